// Command demo shows the main job from beginning to end on a fake cloud. A cluster is created, grows, shrinks by its
// oldest nodes, gets a new image in batches, survives an image with which no server becomes ready, and is destroyed,
// all through a real terraform. It needs no OpenStack and leaves nothing behind.
package main

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"os/signal"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/workspace"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
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
	fmt.Println("Building the provider ...")
	mirror, err := workspace.Build(ctx, dir)
	if err != nil {
		return err
	}
	d := demo{cloud: cloud, images: map[string]string{}}
	for _, name := range []string{"web-v1", "web-v2", "web-v3"} {
		d.images[name] = cloud.AddImage(fakecloud.Image{Name: name})
	}
	health, err := d.serveHealth()
	if err != nil {
		return err
	}
	defer health.Close()
	env := append(cloud.Environment(fakecloud.MemberUser), "TF_VAR_health=http://"+health.Addr)
	d.Workspace, err = workspace.New(ctx, dir, terraform, mirror, config, env...)
	if err != nil {
		return err
	}
	return d.tell(ctx)
}

// tell runs the demo.
func (d *demo) tell(ctx context.Context) error {
	d.image = "web-v1"
	for _, step := range []struct {
		title string
		size  int
	}{
		{"Six nodes over two regions and five zones. RegionTwo has twice the weight, and holds at most six.", 6},
		{"Grow to eleven.", 11},
		{"Shrink to seven. The oldest should leave first.", 7},
	} {
		d.size = step.size
		if err := d.step(ctx, step.title); err != nil {
			return err
		}
		if err := d.settled(ctx); err != nil {
			return err
		}
	}
	d.image = "web-v2"
	for _, title := range []string{
		"A new image, in batches of four. Old nodes should be drained when the new ones answer.",
		"Apply again, until the plan is empty.",
	} {
		if err := d.step(ctx, title); err != nil {
			return err
		}
	}
	for _, part := range []func(context.Context) error{d.settled, d.bad, d.destroy} {
		if err := part(ctx); err != nil {
			return err
		}
	}
	return nil
}

// bad rolls out an image with which no server becomes ready, and takes it back.
func (d *demo) bad(ctx context.Context) error {
	d.image = "web-v3"
	for _, title := range []string{
		"An image with which no server ever answers.",
		"Apply it again, as an impatient pipeline does.",
	} {
		if err := d.fails(ctx, title); err != nil {
			return err
		}
	}
	d.image = "web-v2"
	if err := d.step(ctx, "Back to the image before."); err != nil {
		return err
	}
	return d.settled(ctx)
}
