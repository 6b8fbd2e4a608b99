package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"regexp"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/workspace"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
)

type demo struct {
	*workspace.Workspace
	cloud  *fakecloud.Cloud
	images map[string]string // ids by name

	// The present configuration.
	size  int
	image string
}

// serveHealth answers for the servers: servers of web-v3 never become ready.
func (d *demo) serveHealth() (*http.Server, error) {
	listener, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	server := &http.Server{Addr: listener.Addr().String(), ReadHeaderTimeout: 10 * time.Second}
	server.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for _, s := range d.servers() {
			if "/"+s.Name == r.URL.Path && s.ImageID != d.images["web-v3"] {
				return
			}
		}
		w.WriteHeader(http.StatusServiceUnavailable)
	})
	go func() { _ = server.Serve(listener) }()
	return server, nil
}

func (d *demo) variables() []string {
	return []string{fmt.Sprintf("size=%d", d.size), "image=" + d.image}
}

// step applies, and shows the result.
func (d *demo) step(ctx context.Context, title string) error {
	fmt.Printf("\n== %s\n", title)
	before := d.servers()
	if _, err := d.Apply(ctx, d.variables()...); err != nil {
		return err
	}
	var summary, change string
	var remaining int
	if err := errors.Join(d.Output(ctx, "summary", &summary), d.Output(ctx, "change", &change),
		d.Output(ctx, "remaining", &remaining)); err != nil {
		return err
	}
	if change != "" {
		fmt.Println(change)
	}
	fmt.Println(summary)
	if remaining > 0 {
		fmt.Println("still to be replaced:", remaining)
	}
	d.count(before)
	return nil
}

// detail finds the nodes in the error of the readiness attachment.
var detail = regexp.MustCompile(`- (web-\d+) \(server [^)]*\): ([^\n]*)`)

// fails applies a configuration that must fail, and shows what is left.
func (d *demo) fails(ctx context.Context, title string) error {
	fmt.Printf("\n== %s\n", title)
	before := d.servers()
	_, err := d.Apply(ctx, d.variables()...)
	if err == nil {
		return errors.New("the apply should have failed")
	}
	nodes := detail.FindAllStringSubmatch(err.Error(), -1)
	if len(nodes) == 0 {
		return err
	}
	fmt.Println("Error: Servers are not in service")
	for _, node := range nodes {
		fmt.Printf("  - %s: %s\n", node[1], node[2])
	}
	d.count(before)
	standing := 0
	for id, s := range d.servers() {
		if _, old := before[id]; old && s.Metadata[openstack.MarkKey] != "" && s.Status == "ACTIVE" {
			standing++
		}
	}
	fmt.Printf("left standing: %d nodes in service, of a cluster of %d\n", standing, d.size)
	if standing != d.size {
		return fmt.Errorf("%d nodes are in service, and there should be %d", standing, d.size)
	}
	return nil
}

// settled fails unless the next plan is empty.
func (d *demo) settled(ctx context.Context) error {
	plan, err := d.Plan(ctx, "again.tfplan", d.variables()...)
	if err != nil {
		return err
	}
	for _, change := range plan.ResourceChanges {
		if !change.Change.Actions.NoOp() && !change.Change.Actions.Read() {
			return fmt.Errorf("the next plan is not empty: %s of %s", change.Change.Actions, change.Address)
		}
	}
	fmt.Println("the next plan is empty")
	return nil
}

func (d *demo) destroy(ctx context.Context) error {
	fmt.Print("\n== Destroy it all.\n")
	if _, err := d.Destroy(ctx, d.variables()...); err != nil {
		return err
	}
	if left := d.servers(); len(left) > 0 {
		return fmt.Errorf("%d servers are left", len(left))
	}
	fmt.Println("no server is left")
	return nil
}

// servers returns all servers in the cloud, by id.
func (d *demo) servers() map[string]fakecloud.Server {
	servers := map[string]fakecloud.Server{}
	for _, region := range []string{"RegionOne", "RegionTwo"} {
		for _, s := range d.cloud.Servers(region) {
			servers[s.ID] = s
		}
	}
	return servers
}

// count shows what happened to the servers.
func (d *demo) count(before map[string]fakecloud.Server) {
	after := d.servers()
	kept := 0
	for id := range before {
		if _, stays := after[id]; stays {
			kept++
		}
	}
	fmt.Printf("servers in the cloud: %d created, %d deleted, %d untouched\n", len(after)-kept, len(before)-kept, kept)
}
