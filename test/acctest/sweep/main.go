// Command sweep removes what acceptance tests left behind on the cloud that OS_CLOUD or the OS_* variables name:
// servers, server groups, queues, volumes and ports with names of tests, in the user's own project, in all regions.
// If the server of a volume is still being removed, the next sweep removes the volume.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
)

func main() {
	older := flag.Duration("older", 2*time.Hour, "leave what may be of a test that began less than this ago")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	cloud, err := openstack.New(acctest.Login())
	if err == nil {
		err = sweep(ctx, cloud, *older, time.Now(), os.Stdout)
	}
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "sweep:", err)
		os.Exit(1)
	}
}
