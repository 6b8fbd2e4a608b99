// Command cloud serves a fake OpenStack on loopback until it is interrupted, for
// people who want to try their own configuration; "make cloud" runs it from the
// folder of go.mod. It builds the providers, and prints the environment in which
// terraform finds both.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/workspace"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
)

func main() {
	out := flag.String("out", ".cloud", "the folder for the providers and the login")
	listen := flag.String("listen", "127.0.0.1:0", "the address to serve it on")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, *out, *listen)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "cloud:", err)
		os.Exit(1)
	}
}

// Of the names that examples give to clouds, all are this one.
var names = []string{"production", "paris", "oslo"}

func run(ctx context.Context, out, address string) error {
	out, err := filepath.Abs(out)
	if err != nil {
		return err
	}
	cloud := fakecloud.New(fakecloud.Config{})
	if err := cloud.Listen(address); err != nil {
		return err
	}
	defer cloud.Close()
	for _, image := range []string{"debian-12", "debian-13"} {
		cloud.AddImage(fakecloud.Image{Name: image})
	}
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
	if err := os.WriteFile(login, clouds(cloud), 0o600); err != nil {
		return err
	}
	fmt.Printf(`# An OpenStack with the regions RegionOne (az-1, az-2, az-3) and RegionTwo (az-1, az-2),
# the images debian-12 and debian-13, the flavors m1.tiny and
# m1.small, and the network shared. It knows servers and server groups, and forgets all when it ends.
# In another terminal:
export TF_CLI_CONFIG_FILE=%s
export OS_CLIENT_CONFIG_FILE=%s
export OS_CLOUD=production
unset OS_AUTH_URL OS_REGION_NAME
# Ctrl-C ends it.
`, quote(built.Config), quote(login))
	if stub := workspace.Stub(); stub != "" {
		fmt.Println("# " + stub)
	}
	<-ctx.Done()
	return nil
}

// clouds is a clouds.yaml with the fake cloud under all names.
func clouds(cloud *fakecloud.Cloud) []byte {
	var b strings.Builder
	b.WriteString("clouds:\n")
	for _, name := range names {
		fmt.Fprintf(&b, `  %s:
    region_name: %s
    auth:
      auth_url: %s
      username: %s
      password: %s
      project_name: %s
      user_domain_name: %s
      project_domain_name: %s
`,
			name,
			fakecloud.DefaultRegions()[0].Name,
			cloud.AuthURL(),
			fakecloud.MemberUser,
			fakecloud.Password,
			fakecloud.MemberProject,
			fakecloud.DomainName,
			fakecloud.DomainName,
		)
	}
	return []byte(b.String())
}

// quote is a word of a shell.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
