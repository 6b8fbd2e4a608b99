// Command demo shows the main job from beginning to end on a fake cloud: a
// cluster is created, grows, shrinks by its oldest nodes, and goes, all through
// a real terraform. It needs no OpenStack and leaves nothing behind.
package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/acctest/workspace"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/fakecloud"
)

//go:embed main.tf
var config string

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "the demo failed:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	cloud := fakecloud.New(fakecloud.Config{})
	if err := cloud.Listen("127.0.0.1:0"); err != nil {
		return err
	}
	defer cloud.Close()
	dir, err := os.MkdirTemp("", "stackpolicy-demo-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)

	terraform, err := workspace.Terraform(ctx)
	if err != nil {
		return err
	}
	fmt.Println("Building the provider, and one for the demo that makes servers ...")
	mirror, err := workspace.Build(ctx, dir)
	if err != nil {
		return err
	}
	w, err := workspace.New(ctx, dir, terraform, mirror, config,
		"OS_AUTH_URL="+cloud.AuthURL(), "OS_USERNAME="+fakecloud.MemberUser, "OS_PASSWORD="+fakecloud.Password,
		"OS_PROJECT_NAME="+fakecloud.MemberProject, "OS_REGION_NAME=RegionOne", "OS_CLOUD=", "TF_VAR_image="+cloud.AddImage(fakecloud.Image{Name: "demo"}))
	if err != nil {
		return err
	}
	d := demo{w, cloud}
	for _, step := range []struct{ title, size string }{
		{"Six nodes over two regions and five zones. RegionTwo has twice the weight, and holds at most six.", "6"},
		{"Grow to eleven: RegionTwo fills up to its cap, and no node moves.", "11"},
		{"Shrink to seven: in each zone the oldest go.", "7"},
	} {
		if err := d.resize(ctx, step.title, step.size); err != nil {
			return err
		}
	}
	return d.destroy(ctx)
}

type demo struct {
	*workspace.Workspace
	cloud *fakecloud.Cloud
}

func (d demo) resize(ctx context.Context, title, size string) error {
	fmt.Printf("\n== %s\n", title)
	before := d.servers()
	if _, err := d.Apply(ctx, "size="+size); err != nil {
		return err
	}
	var summary string
	var change struct {
		Creation struct{ Nodes []string }
		Deletion struct{ Candidates []string }
	}
	if err := errors.Join(d.Output(ctx, "summary", &summary), d.Output(ctx, "change", &change)); err != nil {
		return err
	}
	fmt.Println(summary)
	if come := change.Creation.Nodes; len(come) > 0 {
		fmt.Println("come:", strings.Join(come, " "))
	}
	if gone := change.Deletion.Candidates; len(gone) > 0 {
		fmt.Println("go:  ", strings.Join(gone, " "))
	}
	after := d.servers()
	var kept, created, deleted int
	for id := range before {
		if after[id] {
			kept++
		} else {
			deleted++
		}
	}
	created = len(after) - kept
	fmt.Printf("servers in the cloud: %d created, %d deleted, %d untouched\n", created, deleted, kept)

	plan, err := d.Plan(ctx, "again.tfplan", "size="+size)
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

func (d demo) destroy(ctx context.Context) error {
	fmt.Print("\n== Destroy it all.\n")
	if _, err := d.Destroy(ctx, "size=7"); err != nil {
		return err
	}
	if left := d.servers(); len(left) > 0 {
		return fmt.Errorf("%d servers are left", len(left))
	}
	fmt.Println("no server is left")
	return nil
}

// servers lists the ids of all servers in the cloud.
func (d demo) servers() map[string]bool {
	ids := map[string]bool{}
	for _, region := range []string{"RegionOne", "RegionTwo"} {
		for _, s := range d.cloud.Servers(region) {
			ids[s.ID] = true
		}
	}
	return ids
}
