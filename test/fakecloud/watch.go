package fakecloud

// watcher sees all changes of the servers of a region.
type watcher struct {
	region string
	sees   func([]Server)
}

// Watch calls sees after each request to Nova in a region, with the present servers, oldest first. The function must
// not call the cloud.
func (c *Cloud) Watch(regionName string, sees func([]Server)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.watchers = append(c.watchers, watcher{regionName, sees})
}

// show shows the servers to the watchers of the request's region.
func (k *call) show() {
	for _, w := range k.watchers {
		if k.record.Service != Compute || k.record.Region != w.region || k.region == nil {
			continue
		}
		var list []Server
		for s := range k.region.servers.oldest() {
			list = append(list, s.snapshot())
		}
		w.sees(list)
	}
}
