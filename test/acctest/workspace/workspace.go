// Package workspace runs a real terraform in a folder of its own, with the provider built from this source tree, and
// with terraform-provider-openstack. terraform-plugin-testing has no for_each, no saved
// plans and no processes to kill.
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
	"runtime"
	"slices"
	"strings"

	tfjson "github.com/hashicorp/terraform-json"
)

// Root is the folder of go.mod.
func Root() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(file), "..", "..", "..")
}

// Terraform returns the path of the terraform (or tofu) to use, as tools/terraform finds it.
func Terraform(ctx context.Context) (string, error) {
	find := exec.CommandContext(ctx, filepath.Join(Root(), "tools", "terraform"))
	find.Stderr = os.Stderr
	find.Env = append(os.Environ(), "TF_ACC_TERRAFORM_PATH="+os.Getenv("TF_ACC_TERRAFORM_PATH"),
		"PATH="+os.Getenv("PATH")) // inputs of the tests too
	output, err := find.Output()
	if err != nil {
		return "", fmt.Errorf("find a terraform or tofu: %w", err)
	}
	program := strings.TrimSpace(string(output))
	return program, errors.Join(Watch(find.Path), watchProgram(program))
}

// Workspace is a folder with a configuration and its state.
type Workspace struct {
	Dir       string
	Terraform string
	Env       []string // in addition to this process's own

	// Attach serves the providers that the workspace needs. If it is nil, terraform starts the mirror's.
	Attach func(context.Context) (Attached, context.CancelFunc, error)

	// Blocks are provider blocks by name, for configurations without their own.
	Blocks map[string]string

	providers []string // required, by address
	stale     bool     // reports whether there are more of them since the last init
}

// New prepares a folder for a configuration that uses the providers.
func New(ctx context.Context, dir, terraform string, mirror *Mirror, config string, env ...string) (*Workspace, error) {
	w := Open(dir, terraform, mirror, env...)
	if err := w.Write(config); err != nil {
		return nil, err
	}
	return w, w.Init(ctx)
}

// WithoutTLS lets terraform and its providers communicate without TLS, because making its keys takes as long as a
// plan.
const WithoutTLS = "TF_DISABLE_PLUGIN_TLS=1"

// Open returns a folder that has a configuration, before its init.
func Open(dir, terraform string, mirror *Mirror, env ...string) *Workspace {
	return &Workspace{Dir: dir, Terraform: terraform, Env: append(env,
		"TF_CLI_CONFIG_FILE="+mirror.Config, "TF_IN_AUTOMATION=1", "CHECKPOINT_DISABLE=1", WithoutTLS)}
}

// Init installs providers and modules, if there are any to install: providers that are served need no installation.
func (w *Workspace) Init(ctx context.Context) error {
	w.stale = false
	if w.Attach != nil {
		if modules, err := w.hasModules(); err != nil || !modules {
			return err
		}
	}
	_, err := w.Run(ctx, "init", "-input=false", "-no-color")
	return err
}

// hasModules reports whether the configuration calls a module.
func (w *Workspace) hasModules() (found bool, err error) {
	files, err := filepath.Glob(filepath.Join(w.Dir, "*.tf"))
	for _, file := range files {
		text, readErr := os.ReadFile(file)
		err = errors.Join(err, readErr)
		found = found || bytes.Contains(text, []byte("\nmodule \""))
	}
	return found, err
}

// Mentioned lists the addresses of the providers that a configuration mentions. Terraform starts every required
// provider, even if no resource needs it.
func Mentioned(config string) (addresses []string) {
	for _, address := range []string{StackPolicy, OpenStack} {
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

// Needs reports whether a configuration that was written needs a provider.
func (w *Workspace) Needs(address string) bool { return slices.Contains(w.providers, address) }

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

// Command returns terraform with arguments, ready to run, and to be killed: the providers are processes of their own.
func (w *Workspace) Command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, w.Terraform, args...)
	cmd.Dir = w.Dir
	cmd.Env = append(os.Environ(), w.Env...)
	return cmd
}

// Attached returns the environment in which terraform finds the providers, also if a script runs it. The function end
// must be called when terraform has ended.
func (w *Workspace) Attached(ctx context.Context) (env []string, end context.CancelFunc, err error) {
	env = append(os.Environ(), w.Env...)
	if w.Attach == nil {
		return env, func() {}, nil
	}
	value, end, err := w.Attach(ctx)
	if err != nil {
		return nil, nil, err
	}
	text, err := json.Marshal(value)
	return append(env, "TF_REATTACH_PROVIDERS="+string(text)), end, err
}

// Error is the failure of a terraform.
type Error struct {
	Args   []string
	Output string
	err    error
}

func (e *Error) Error() string {
	return fmt.Sprintf("terraform %s: %v\n%s", strings.Join(e.Args, " "), e.err, e.Output)
}

func (e *Error) Unwrap() error { return e.err }

// Run runs terraform and returns its output.
func (w *Workspace) Run(ctx context.Context, args ...string) (string, error) {
	if w.stale {
		if err := w.Init(ctx); err != nil {
			return "", err
		}
	}
	env, end, err := w.Attached(ctx)
	if err != nil {
		return "", err
	}
	defer end()
	cmd := w.Command(ctx, args...)
	cmd.Env = env
	var out, all bytes.Buffer
	cmd.Stdout = &out
	cmd.Stderr = &all
	if err = cmd.Run(); err != nil {
		return out.String(), &Error{args, out.String() + all.String(), err}
	}
	return out.String(), nil
}

// Apply applies the configuration; variables are NAME=VALUE.
func (w *Workspace) Apply(ctx context.Context, variables ...string) (string, error) {
	return w.Run(ctx, append([]string{"apply", "-auto-approve", "-input=false", "-no-color"}, Vars(variables)...)...)
}

// Destroy destroys everything.
func (w *Workspace) Destroy(ctx context.Context, variables ...string) (string, error) {
	return w.Run(ctx, append([]string{"destroy", "-auto-approve", "-input=false", "-no-color"}, Vars(variables)...)...)
}

// Plan plans into a file, and returns the plan.
func (w *Workspace) Plan(ctx context.Context, file string, variables ...string) (*tfjson.Plan, error) {
	if _, err := w.Run(ctx,
		append([]string{"plan", "-input=false", "-no-color", "-out=" + file}, Vars(variables)...)...); err != nil {
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

// Vars returns arguments that set variables, which are NAME=VALUE.
func Vars(list []string) []string {
	args := make([]string, len(list))
	for i, v := range list {
		args[i] = "-var=" + v
	}
	return args
}
