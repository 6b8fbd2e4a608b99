// Package workspace runs a real terraform in a folder of its own, with the
// providers built from this source tree, and terraform-provider-openstack where
// its binary is there: what terraform-plugin-testing cannot
// do, which knows no for_each, no saved plans and no processes to kill.
package workspace

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"

	tfjson "github.com/hashicorp/terraform-json"
)

// Mirror is a folder with the providers, as terraform's filesystem_mirror wants
// it, and a configuration of the command line that names it.
type Mirror struct {
	Config string // value of TF_CLI_CONFIG_FILE
}

// built are the providers of this tree, by their addresses.
var built = map[string]struct{ version, source string }{
	StackPolicy: {"0.0.1", "."},
	Nova:        {"0.0.1", "./internal/acctest/nova/serve"},
}

// standIn is the source of what takes the place of terraform-provider-openstack.
const standIn = "./internal/acctest/openstackstub/serve"

// Addresses of providers.
const (
	StackPolicy = "stackpolicy/stackpolicy"
	Nova        = "stackpolicy/nova" // makes servers where tests need no more
	OpenStack   = "terraform-provider-openstack/openstack"
)

// genuine is the environment variable that names the binary of the genuine
// terraform-provider-openstack. Without it a stand-in of this tree takes its
// place.
const genuine = "STACKPOLICY_OPENSTACK_PROVIDER"

var versionOf = regexp.MustCompile(`_v(\d+\.\d+\.\d+[^/]*?)(?:_x5)?(?:\.exe)?$`)

// openstack is the binary of the genuine provider, "" where there is none, and
// its version, or the one whose place the stand-in takes.
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

// Stub says which terraform-provider-openstack tests use; "" if it is the
// genuine one.
func Stub() string {
	if os.Getenv(genuine) != "" {
		return ""
	}
	return "openstack_compute_instance_v2 was the STAND-IN, not terraform-provider-openstack: " + genuine +
		" names no binary"
}

// Build builds the providers of this tree into a folder, and puts the genuine
// terraform-provider-openstack with them, or its stand-in.
func Build(ctx context.Context, dir string) (*Mirror, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	for address, p := range built {
		if err := build(ctx, dir, address, p.version, p.source); err != nil {
			return nil, err
		}
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
	return m, os.WriteFile(
		m.Config,
		fmt.Appendf(nil, "provider_installation {\n  filesystem_mirror {\n    path = %q\n  }\n}\n", dir),
		0o600,
	)
}

// build builds a provider of this tree into its place. The binary is kept in the
// tree, so that the next process does not link it again.
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

// WriteProgram writes a program that can be run at once. A process that another test begins
// meanwhile would have the file open for writing until it becomes a program of its own, and
// until then this one is "text file busy" (https://go.dev/issue/22315).
func WriteProgram(file string, text []byte) error {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	return os.WriteFile(file, text, 0o755) //nolint:gosec // it is a program
}

// place puts a provider where terraform looks for it, and OpenTofu, which does
// so under the name of its own registry.
func place(dir, address, version string, put func(file string) error) error {
	for _, registry := range []string{"registry.terraform.io", "registry.opentofu.org"} {
		folder := filepath.Join(dir, registry, address, version, runtime.GOOS+"_"+runtime.GOARCH)
		if err := errors.Join(
			os.MkdirAll(folder, 0o755),
			put(filepath.Join(folder, "terraform-provider-"+path.Base(address)+"_v"+version)),
		); err != nil {
			return err
		}
	}
	return nil
}

// Root is the folder of go.mod.
func Root() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(file), "..", "..", "..")
}

// Terraform is the path of the terraform (or tofu) to use, as tools/terraform
// finds it.
func Terraform(ctx context.Context) (string, error) {
	find := exec.CommandContext(ctx, filepath.Join(Root(), "tools", "terraform"))
	find.Stderr = os.Stderr
	find.Env = append(
		os.Environ(),
		"TF_ACC_TERRAFORM_PATH="+os.Getenv("TF_ACC_TERRAFORM_PATH"),
		"PATH="+os.Getenv("PATH"),
	) // inputs too
	output, err := find.Output()
	if err != nil {
		return "", fmt.Errorf("find a terraform or tofu: %w", err)
	}
	path := strings.TrimSpace(string(output))
	return path, errors.Join(Watch(find.Path), watchProgram(path))
}

// Workspace is a folder with a configuration and its state.
type Workspace struct {
	Dir       string
	Terraform string
	Env       []string // in addition to this process's own

	// Attach serves the providers of this tree from this process, and returns the
	// value for TF_REATTACH_PROVIDERS. nil: terraform starts those of the mirror.
	Attach func(context.Context) (string, context.CancelFunc, error)

	// Blocks are provider blocks by name, for configurations without their own.
	Blocks map[string]string

	providers []string // required, by address
	stale     bool     // more of them since the last init
}

// New prepares a folder for a configuration that uses the providers.
func New(ctx context.Context, dir, terraform string, mirror *Mirror, config string, env ...string) (*Workspace, error) {
	w := Open(dir, terraform, mirror, env...)
	if err := w.Write(config); err != nil {
		return nil, err
	}
	return w, w.Init(ctx)
}

// WithoutTLS lets terraform and the providers that it starts talk without TLS:
// to make its keys takes as long as a plan.
const WithoutTLS = "TF_DISABLE_PLUGIN_TLS=1"

// Open is a folder that has a configuration, before its init.
func Open(dir, terraform string, mirror *Mirror, env ...string) *Workspace {
	return &Workspace{Dir: dir, Terraform: terraform, Env: append(env,
		"TF_CLI_CONFIG_FILE="+mirror.Config, "TF_IN_AUTOMATION=1", "CHECKPOINT_DISABLE=1", WithoutTLS)}
}

// Init installs the providers.
func (w *Workspace) Init(ctx context.Context) error {
	w.stale = false
	_, err := w.Run(ctx, "init", "-input=false", "-no-color")
	return err
}

// Mentioned are the addresses of the providers that a configuration mentions.
// Terraform starts all that it requires, also for what needs none of them.
func Mentioned(config string) (addresses []string) {
	for _, address := range []string{StackPolicy, Nova, OpenStack} {
		if strings.Contains(config, path.Base(address)) {
			addresses = append(addresses, address)
		}
	}
	return addresses
}

// Required says where providers come from.
func Required(addresses ...string) string {
	var b strings.Builder
	b.WriteString("terraform {\n  required_providers {\n")
	for _, address := range addresses {
		fmt.Fprintf(&b, "    %s = {\n      source = %q\n    }\n", path.Base(address), address)
	}
	b.WriteString("  }\n}\n")
	return b.String()
}

// Write replaces the configuration.
func (w *Workspace) Write(config string) error {
	for _, address := range Mentioned(config) {
		if !slices.Contains(w.providers, address) {
			w.providers, w.stale = append(w.providers, address), true
		}
	}
	var blocks strings.Builder
	for _, address := range w.providers {
		if name := path.Base(address); !strings.Contains(config, fmt.Sprintf("provider %q", name)) {
			blocks.WriteString(w.Blocks[name])
		}
	}
	return errors.Join(
		os.WriteFile(filepath.Join(w.Dir, "required.tf"), []byte(Required(w.providers...)+blocks.String()), 0o600),
		os.WriteFile(filepath.Join(w.Dir, "main.tf"), []byte(config), 0o600))
}

// Command is terraform with arguments, ready to run, and to be killed: the
// providers are processes of their own.
func (w *Workspace) Command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, w.Terraform, args...)
	cmd.Dir = w.Dir
	cmd.Env = append(os.Environ(), w.Env...)
	return cmd
}

// Error is a terraform that failed.
type Error struct {
	Args   []string
	Output string
	err    error
}

func (e *Error) Error() string {
	return fmt.Sprintf("terraform %s: %v\n%s", strings.Join(e.Args, " "), e.err, e.Output)
}

func (e *Error) Unwrap() error { return e.err }

// Run runs terraform and returns what it prints.
func (w *Workspace) Run(ctx context.Context, args ...string) (string, error) {
	if w.stale {
		if err := w.Init(ctx); err != nil {
			return "", err
		}
	}
	cmd := w.Command(ctx, args...)
	if w.Attach != nil {
		attached, end, err := w.Attach(ctx)
		if err != nil {
			return "", err
		}
		defer end()
		cmd.Env = append(cmd.Env, "TF_REATTACH_PROVIDERS="+attached)
	}
	var out, all bytes.Buffer
	cmd.Stdout = &out
	cmd.Stderr = &all
	err := cmd.Run()
	if err != nil {
		return out.String(), &Error{args, out.String() + all.String(), err}
	}
	return out.String(), nil
}

// Apply applies the configuration; variables are NAME=VALUE.
func (w *Workspace) Apply(ctx context.Context, variables ...string) (string, error) {
	return w.Run(ctx, append([]string{"apply", "-auto-approve", "-input=false", "-no-color"}, vars(variables)...)...)
}

// Destroy destroys all there is.
func (w *Workspace) Destroy(ctx context.Context, variables ...string) (string, error) {
	return w.Run(ctx, append([]string{"destroy", "-auto-approve", "-input=false", "-no-color"}, vars(variables)...)...)
}

// Plan plans into a file, and returns what is in it.
func (w *Workspace) Plan(ctx context.Context, file string, variables ...string) (*tfjson.Plan, error) {
	if _, err := w.Run(
		ctx,
		append([]string{"plan", "-input=false", "-no-color", "-out=" + file}, vars(variables)...)...); err != nil {
		return nil, err
	}
	text, err := w.Run(ctx, "show", "-json", "-no-color", file)
	if err != nil {
		return nil, err
	}
	plan := new(tfjson.Plan)
	return plan, plan.UnmarshalJSON([]byte(text))
}

// State returns the state.
func (w *Workspace) State(ctx context.Context) (*tfjson.State, error) {
	text, err := w.Run(ctx, "show", "-json", "-no-color")
	if err != nil {
		return nil, err
	}
	state := new(tfjson.State)
	return state, state.UnmarshalJSON([]byte(text))
}

// Output decodes an output value.
func (w *Workspace) Output(ctx context.Context, name string, into any) error {
	text, err := w.Run(ctx, "output", "-json", "-no-color", name)
	if err != nil {
		return err
	}
	return json.Unmarshal([]byte(text), into)
}

func vars(list []string) []string {
	args := make([]string, len(list))
	for i, v := range list {
		args[i] = "-var=" + v
	}
	return args
}
