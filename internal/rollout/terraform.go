package rollout

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-exec/tfexec"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/duration"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/planview"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/status"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// Command is a terraform or tofu that runs in a folder.
type Command struct {
	tf      *tfexec.Terraform
	dir     string // folder of saved plans
	options []tfexec.PlanOption
}

// Options are the options of a plan.
type Options struct {
	Dir, Program   string
	Vars, VarFiles []string
	LockTimeout    string // "" means none
}

// NewCommand prepares a folder. Close removes the plans that are saved in it, because they may have secrets in them.
func NewCommand(ctx context.Context, o Options) (*Command, error) {
	tf, err := tfexec.NewTerraform(o.Dir, o.Program)
	if err != nil {
		return nil, err
	}
	// terraform-exec removes this variable from the environment.
	if wanted := os.Getenv("TF_WORKSPACE"); wanted != "" {
		if now, err := tf.WorkspaceShow(ctx); err != nil || now != wanted {
			if err := tf.WorkspaceSelect(ctx, wanted); err != nil {
				return nil, fmt.Errorf("select the workspace %q of TF_WORKSPACE: %w", wanted, err)
			}
		}
	}
	dir, err := folder(o.Dir)
	if err != nil {
		return nil, err
	}
	c := &Command{tf: tf, dir: dir}
	for _, v := range o.Vars {
		c.options = append(c.options, tfexec.Var(v))
	}
	for _, file := range o.VarFiles {
		c.options = append(c.options, tfexec.VarFile(file))
	}
	if o.LockTimeout != "" {
		c.options = append(c.options, tfexec.LockTimeout(o.LockTimeout))
	}
	return c, nil
}

// Close removes the saved plans.
func (c *Command) Close() error { return os.RemoveAll(c.dir) }

// folder makes a folder for saved plans, beside what Terraform keeps of a configuration. It removes what a run that was
// killed left there, because plans have secrets in them.
func folder(configuration string) (string, error) {
	dir := filepath.Join(cmp.Or(os.Getenv("TF_DATA_DIR"), ".terraform"), "stackpolicy-rollout")
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(configuration, dir)
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	_ = os.RemoveAll(dir) // Windows keeps the log of an apply that goes on after its run was killed
	return dir, os.MkdirAll(dir, 0o700)
}

// Plan implements [Terraform].
func (c *Command) Plan(ctx context.Context) (*Plan, error) {
	// Terraform writes into an existing file, and keeps its mode, 0600.
	file, err := os.CreateTemp(c.dir, "*.tfplan")
	if err != nil {
		return nil, err
	}
	file.Close()
	p := &Plan{File: file.Name()}
	var log, shown bytes.Buffer
	_, err = c.tf.PlanJSON(ctx, &log, append(slices.Clone(c.options), tfexec.Out(p.File))...)
	if err != nil {
		return nil, fault("plan", log.Bytes(), err)
	}
	c.tf.SetStdout(&shown) // the text itself: the decoded plan does not say why a resource is replaced
	_, err = c.tf.ShowPlanFile(ctx, p.File)
	c.tf.SetStdout(io.Discard)
	if err != nil {
		return nil, fmt.Errorf("show the plan: %w", err)
	}
	p.JSON = shown.Bytes()
	if p.View, err = planview.Read(p.JSON); err != nil && !errors.Is(err, planview.ErrNoPlacement) {
		return nil, err
	}
	p.Changes = p.View.Changes
	for _, a := range p.View.Attachments {
		if a.Action != planview.Delete {
			p.Clusters = append(p.Clusters, clusterOf(a))
		}
	}
	return p, planview.AddWarnings(p.View, log.Bytes())
}

// line prepares a foreign text as part of a line.
func line(s string) string { return Printable(text.Clean(s)) }

func clusterOf(a planview.Attachment) Cluster {
	c := Cluster{
		Address:   line(a.Address),
		Name:      line(a.Cluster),
		Remaining: a.Remaining,
		Phase:     status.Phase(line(a.Phase)),
		Status:    line(a.Status),
	}
	for _, change := range a.Why {
		c.Change = append(c.Change, line(change))
	}
	for _, held := range a.Held {
		c.Held = append(c.Held, line(held))
	}
	c.Pause, _ = duration.Parse(a.Pause) // the provider has checked it
	return c
}

// Apply implements [Terraform]. The apply survives any end of this program: it writes to a file, and is not in a
// process group that a terminal interrupts. A killed apply could lose the state file that it is writing.
// terraform-exec would kill its children, so only this method does without it.
func (c *Command) Apply(ctx context.Context, plan *Plan, progress func(message string)) error {
	log, err := os.CreateTemp(c.dir, "*.log")
	if err != nil {
		return err
	}
	defer log.Close()
	cmd := exec.CommandContext(ctx, c.tf.ExecPath(), "apply", "-input=false", "-json", plan.File)
	cmd.Dir, cmd.Env = c.tf.WorkingDir(), append(os.Environ(), "TF_IN_AUTOMATION=1")
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = apart()
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	if err := cmd.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	read, err := os.Open(log.Name())
	if err != nil {
		return errors.Join(err, <-ended)
	}
	defer read.Close()
	var rest []byte
	report := func() {
		more, _ := io.ReadAll(read)
		rest = append(rest, more...)
		for {
			line, after, whole := bytes.Cut(rest, []byte("\n"))
			if !whole {
				return
			}
			rest = after
			var l planview.LogLine
			if json.Unmarshal(line, &l) == nil && (l.Type == "apply_complete" || l.Type == "apply_errored") {
				progress(l.Message)
			}
		}
	}
	for tick := time.NewTicker(100 * time.Millisecond); ; {
		select {
		case <-tick.C:
			report()
			continue
		case err = <-ended:
		}
		tick.Stop()
		report()
		if err == nil {
			return nil
		}
		said, _ := os.ReadFile(log.Name())
		return fault("apply", said, err)
	}
}

// PolicyCommand is a command of the shell that gets a plan as JSON on its standard input. It refuses the plan with
// any exit status other than 0, and its output is the reason.
func PolicyCommand(command string) func(ctx context.Context, plan []byte) error {
	return func(ctx context.Context, plan []byte) error {
		shell := []string{"/bin/sh", "-c", command}
		if runtime.GOOS == "windows" {
			shell = []string{"cmd", "/C", command}
		}
		cmd := exec.CommandContext(ctx, shell[0], shell[1:]...)
		// Processes that the shell has started end with it.
		cmd.SysProcAttr, cmd.WaitDelay = apart(), 5*time.Second
		cmd.Cancel = func() error { return stop(cmd) }
		var said bytes.Buffer
		cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(plan), &said, &said
		err := cmd.Run()
		if err == nil {
			return nil
		}
		if reason := strings.TrimSpace(said.String()); reason != "" {
			return errors.New(reason)
		}
		return fmt.Errorf("%s: %w", command, err)
	}
}

// FailedError is the reason why terraform failed.
type FailedError struct {
	Faults []Fault
}

// Fault is an error that terraform printed.
type Fault struct {
	Address, Summary, Detail string
}

// Error implements [error].
func (f *FailedError) Error() string {
	parts := make([]string, len(f.Faults))
	for i, fault := range f.Faults {
		parts[i] = fault.Summary
		if fault.Address != "" {
			parts[i] = fault.Address + ": " + fault.Summary
		}
		if fault.Detail != "" {
			parts[i] += "\n" + fault.Detail
		}
	}
	return strings.Join(parts, "\n\n")
}

// fault returns the reason in a log why terraform failed.
func fault(what string, log []byte, err error) error {
	var failure FailedError
	for line := range bytes.Lines(log) {
		var l planview.LogLine
		if json.Unmarshal(line, &l) == nil && l.Diagnostic != nil && l.Diagnostic.Severity == "error" {
			d := l.Diagnostic
			failure.Faults = append(failure.Faults, Fault{d.Address, d.Summary, d.Detail})
		}
	}
	if len(failure.Faults) == 0 {
		return fmt.Errorf("%s: %w", what, err)
	}
	// Terraform works on several resources at once, so their order changes.
	slices.SortStableFunc(failure.Faults, func(a, b Fault) int { return cmp.Compare(a.Address, b.Address) })
	return &failure
}
