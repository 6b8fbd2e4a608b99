package workspace

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
)

// Mirror is a folder with the providers, in the form of terraform's filesystem_mirror, and a configuration of the
// command line that names it.
type Mirror struct {
	Config   string            // value of TF_CLI_CONFIG_FILE
	Programs map[string]string // by address
}

// Addresses of providers.
const (
	StackPolicy = "stackpolicy/stackpolicy"
	OpenStack   = "terraform-provider-openstack/openstack"
)

var versionOf = regexp.MustCompile(`_v(\d+\.\d+\.\d+)$`)

// OpenStackProvider returns the program of terraform-provider-openstack, which tools/get brings once.
func OpenStackProvider(ctx context.Context) (string, error) {
	get := exec.CommandContext(ctx, filepath.Join(Root(), "tools", "get"), "openstack")
	get.Stderr = os.Stderr
	output, err := get.Output()
	if err != nil {
		return "", fmt.Errorf("bring terraform-provider-openstack: %w", err)
	}
	program := strings.TrimSpace(string(output))
	return program, errors.Join(Watch(get.Path), Watch(program))
}

// Build builds the provider of this tree into a folder, and puts terraform-provider-openstack next to it.
func Build(ctx context.Context, dir string) (*Mirror, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	own, err := build(ctx, dir)
	if err != nil {
		return nil, err
	}
	foreign, err := OpenStackProvider(ctx)
	if err != nil {
		return nil, err
	}
	version := versionOf.FindStringSubmatch(foreign)
	if version == nil {
		return nil, fmt.Errorf("the name of %s has no version", foreign)
	}
	if err := errors.Join(
		place(dir, StackPolicy, "0.0.1", func(file string) error { return os.Link(own, file) }),
		place(dir, OpenStack, version[1], func(file string) error { return os.Symlink(foreign, file) }),
	); err != nil {
		return nil, err
	}
	m := &Mirror{filepath.Join(dir, "cli.tfrc"), map[string]string{StackPolicy: own, OpenStack: foreign}}
	return m, os.WriteFile(m.Config,
		fmt.Appendf(nil, "provider_installation {\n  filesystem_mirror {\n    path = %q\n  }\n}\n", dir), 0o600)
}

// build builds the provider of this tree into a folder, and returns the program. It is kept in the tree, too, so that
// the next process does not link it again.
func build(ctx context.Context, dir string) (string, error) {
	kept := filepath.Join(Root(), ".tools", "providers")
	if err := os.MkdirAll(kept, 0o755); err != nil {
		return "", err
	}
	unlock, err := lock(filepath.Join(kept, "lock"))
	if err != nil {
		return "", err
	}
	defer unlock()
	binary, own := filepath.Join(kept, path.Base(StackPolicy)), filepath.Join(dir, path.Base(StackPolicy))
	return own, errors.Join(Program(ctx, binary, "."), cp(binary, own))
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
