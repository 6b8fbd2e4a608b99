// Command cloud serves a fake OpenStack on loopback until it is interrupted, with a page that shows it and can break
// it, for people who want to try their own configuration. "make cloud" runs it from the folder of go.mod. It builds
// the providers, and prints the environment in which terraform finds both.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/workspace"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
)

func main() {
	out := flag.String("out", ".cloud", "the folder for the providers and the login")
	listen := flag.String("listen", "127.0.0.1:8023", "the address of this machine to serve it on")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, *out, *listen)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "cloud:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, out, listen string) error {
	out, err := filepath.Abs(out)
	if err != nil {
		return err
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", listen)
	if err != nil {
		return fmt.Errorf("%w; -listen names another address", err)
	}
	address := listener.Addr().(*net.TCPAddr)
	if !address.IP.IsLoopback() {
		return fmt.Errorf("%s can be reached from elsewhere, and everybody may break this cloud", address)
	}
	p := newSandbox(address.String())
	defer p.cloud.Close()
	server := &http.Server{Handler: p.handler(), ReadHeaderTimeout: time.Minute}
	defer server.Close()
	go func() { _ = server.Serve(listener) }() // returns ErrServerClosed
	fmt.Println("# Building the providers ...")
	mirror := filepath.Join(out, "providers")
	if err := errors.Join(os.MkdirAll(out, 0o755), os.RemoveAll(mirror), os.Mkdir(mirror, 0o755)); err != nil {
		return err
	}
	built, err := workspace.Build(ctx, mirror)
	if err != nil {
		return err
	}
	login := filepath.Join(out, "clouds.yaml")
	if err := os.WriteFile(login, clouds(p.url), 0o600); err != nil {
		return err
	}
	var images []string
	for _, id := range slices.Sorted(maps.Keys(p.images)) {
		images = append(images, p.images[id]+" ("+id+")")
	}
	fmt.Printf(`# An OpenStack: servers, server groups, volumes, ports, and the members of a pool.
# Regions: RegionOne (az-1, az-2, az-3) and RegionTwo (az-1, az-2). Flavors: m1.tiny and m1.small.
# Network: shared. Images, of which the servers of %s run and answer nothing:
#   %s
# See it, and break it: %s/
# Ctrl-C ends it, and it forgets everything. In another terminal:
export TF_CLI_CONFIG_FILE=%s
export OS_CLIENT_CONFIG_FILE=%s
export OS_CLOUD=production
unset OS_AUTH_URL OS_REGION_NAME
# What guides ask for; the pool is in RegionOne, and the consumer of hooks has always drained.
export TF_VAR_network_id=%[6]s
export TF_VAR_network_ids='{ RegionOne = "%[6]s" }'
export TF_VAR_pool_id=%[7]s
export TF_VAR_health_url='%[3]s/health/{name}'
export TF_VAR_drain_url=%[3]s/drain
# Ready.
`, silent, strings.Join(images, "\n#   "), p.url, quote(built.Config), quote(login),
		fakecloud.NetworkID, p.pool)
	<-ctx.Done()
	return nil
}

// clouds returns a clouds.yaml in which each name that the examples give to a cloud means this one.
func clouds(url string) []byte {
	return fakecloud.CloudsYAML(url+"/identity/v3", map[string]string{
		"production": fakecloud.MemberUser, "paris": fakecloud.MemberUser, "oslo": fakecloud.MemberUser,
	})
}

// quote returns a text as one word of a shell.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
