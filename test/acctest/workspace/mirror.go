package workspace

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"syscall"
)

// Mirror is a folder with the providers, in the form of terraform's filesystem_mirror, and a configuration of the
// command line that names it.
type Mirror struct {
	Config string // value of TF_CLI_CONFIG_FILE
}

// standIn is the source of the stand-in for terraform-provider-openstack.
const standIn = "./test/acctest/openstackstub/serve"

// Addresses of providers.
const (
	StackPolicy = "stackpolicy/stackpolicy"
	OpenStack   = "terraform-provider-openstack/openstack"
)

// genuine is the environment variable that names the binary of the genuine terraform-provider-openstack. Without it a
// stand-in of this tree is used.
const genuine = "STACKPOLICY_OPENSTACK_PROVIDER"

var versionOf = regexp.MustCompile(`_v(\d+\.\d+\.\d+[^/]*?)(?:_x5)?(?:\.exe)?$`)

// openstack returns the binary of the genuine provider, or "" without one, and its version, or the version that the
// stand-in imitates.
func openstack() (binary, version string, err error) {
	version = "3.4.0"
	given := os.Getenv(genuine)
	if given == "" {
		return "", version, nil
	}
	if binary, err = filepath.Abs(given); err == nil {
		_, err = os.Stat(binary)
	}
	if err == nil {
		err = watchProgram(binary)
	}
	if err != nil {
		return "", "", fmt.Errorf("the provider that %s names: %w", genuine, err)
	}
	if found := versionOf.FindStringSubmatch(binary); found != nil {
		version = found[1]
	}
	return binary, version, nil
}

// Stub says which terraform-provider-openstack the tests use, or returns "" if it is the genuine one.
func Stub() string {
	if os.Getenv(genuine) != "" {
		return ""
	}
	return "openstack_compute_instance_v2 was the STAND-IN, not terraform-provider-openstack: " + genuine +
		" names no binary"
}

// Build builds the provider of this tree into a folder, and puts the genuine terraform-provider-openstack next to it,
// or its stand-in.
func Build(ctx context.Context, dir string) (*Mirror, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if err := build(ctx, dir, StackPolicy, "0.0.1", "."); err != nil {
		return nil, err
	}
	binary, version, err := openstack()
	switch {
	case err != nil:
		return nil, err
	case binary != "":
		err = place(dir, OpenStack, version, func(file string) error { return os.Symlink(binary, file) })
	default:
		err = build(ctx, dir, OpenStack, version, standIn)
	}
	if err != nil {
		return nil, err
	}
	m := &Mirror{Config: filepath.Join(dir, "cli.tfrc")}
	return m, os.WriteFile(m.Config,
		fmt.Appendf(nil, "provider_installation {\n  filesystem_mirror {\n    path = %q\n  }\n}\n", dir), 0o600)
}

// build builds a provider of this tree into its place. The binary is kept in the tree, so that the next process does
// not link it again.
func build(ctx context.Context, dir, address, version, source string) error {
	kept := filepath.Join(Root(), ".tools", "providers")
	if err := os.MkdirAll(kept, 0o755); err != nil {
		return err
	}
	unlock, err := lock(filepath.Join(kept, "lock"))
	if err != nil {
		return err
	}
	defer unlock()
	binary, own := filepath.Join(kept, path.Base(address)), filepath.Join(dir, path.Base(address))
	if err := errors.Join(Program(ctx, binary, source), cp(binary, own)); err != nil {
		return err
	}
	return place(dir, address, version, func(file string) error { return os.Link(own, file) })
}

// cp copies a program, or makes a link to it on the same disk.
func cp(from, to string) error {
	if os.Link(from, to) == nil {
		return nil
	}
	text, err := os.ReadFile(from)
	return errors.Join(err, WriteProgram(to, text))
}

// WriteProgram writes a program that can be run at once. If it were written directly, a process that another test
// starts at the same time would have the file open for writing until it becomes a program of its own, and until then
// this program would be "text file busy" (https://go.dev/issue/22315).
func WriteProgram(file string, text []byte) error {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	return os.WriteFile(file, text, 0o755) //nolint:gosec // it is a program
}

// place puts a provider where terraform looks for it, and where OpenTofu looks for it under the name of its own
// registry.
func place(dir, address, version string, put func(file string) error) error {
	for _, registry := range []string{"registry.terraform.io", "registry.opentofu.org"} {
		folder := filepath.Join(dir, registry, address, version, runtime.GOOS+"_"+runtime.GOARCH)
		if err := errors.Join(os.MkdirAll(folder, 0o755),
			put(filepath.Join(folder, "terraform-provider-"+path.Base(address)+"_v"+version))); err != nil {
			return err
		}
	}
	return nil
}
