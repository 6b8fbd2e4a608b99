package fakecloud

// watcher sees all that happens to the servers of a region.
type watcher struct {
	region string
	sees   func([]Server)
}

// Watch has sees called after each request to Nova in a region, with the servers as
// they are then, oldest first. It must not call the cloud.
func (c *Cloud) Watch(regionName string, sees func([]Server)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.watchers = append(c.watchers, watcher{regionName, sees})
}

// show shows the servers to those who watch the region of a request.
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
