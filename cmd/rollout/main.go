// Command rollout applies a configuration batch after batch, until its placement
// attachments have nothing left to replace.
package main

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/duration"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/rollout"
)

// version is set by the linker in releases.
var version = "dev"

//go:embed usage.txt
var usage string

const exitUsage = 64

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// list reads a flag that may be repeated.
func list(into *[]string) func(given string) error {
	return func(given string) error {
		*into = append(*into, given)
		return nil
	}
}

// length reads a flag with a duration.
func length(into *time.Duration) func(given string) error {
	return func(given string) error {
		d, ok := duration.Parse(given)
		if !ok || d <= 0 {
			return errors.New(duration.Fault(given, time.Second, duration.Longest))
		}
		*into = d
		return nil
	}
}

// run runs the command, and returns the exit code.
func run(args []string, stdout, stderr io.Writer) int {
	var o rollout.Options
	var lock time.Duration
	runner := rollout.Runner{MaxWait: 30 * time.Minute, Poll: 30 * time.Second}
	flags := flag.NewFlagSet("rollout", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.StringVar(&o.Dir, "dir", ".", "")
	flags.StringVar(&o.Program, "terraform", "", "")
	flags.Func("var", "", list(&o.Vars))
	flags.Func("var-file", "", list(&o.VarFiles))
	flags.Func("lock-timeout", "", length(&lock))
	flags.Func("max-time", "", length(&runner.MaxTime))
	flags.Func("max-wait", "", length(&runner.MaxWait))
	flags.Func("poll", "", length(&runner.Poll))
	flags.IntVar(&runner.MaxApplies, "max-applies", 0, "")
	flags.Func("accept", "", list(&runner.Accept))
	policy := flags.String("policy", "", "")
	asJSON := flags.Bool("json", false, "")
	summary := flags.String("summary", "", "")
	show := flags.Bool("version", false, "")
	wrong := func(format string, args ...any) int {
		fmt.Fprintf(stderr, "rollout: "+format+"\n\n"+usage, args...)
		return exitUsage
	}
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(stdout, usage)
		return 0
	case err != nil:
		return wrong("%v", err)
	case *show:
		fmt.Fprintln(stdout, "rollout", built())
		return 0
	case flags.NArg() > 0:
		return wrong("%q is no flag; variables of terraform are given with -var", flags.Arg(0))
	case runner.MaxApplies < 0:
		return wrong("-max-applies is at least 1")
	}
	fail := func(err error) int {
		fmt.Fprintln(stderr, "rollout:", rollout.Printable(err.Error()))
		return rollout.Failed.Code()
	}
	var err error
	if o.Program, err = find(o.Program); err != nil {
		return fail(err)
	}
	if lock > 0 {
		o.LockTimeout = lock.String()
	}
	if *policy != "" {
		runner.Policy = rollout.PolicyCommand(*policy)
	}
	report := []func(rollout.Event){rollout.Lines(stdout)}
	if *asJSON {
		report[0] = rollout.JSON(stdout)
	}
	if *summary != "" {
		file, err := os.OpenFile(*summary, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
		if err != nil {
			return fail(err)
		}
		defer file.Close()
		report = append(report, rollout.Summary(file))
	}
	runner.Report = func(e rollout.Event) {
		for _, f := range report {
			f(e)
		}
	}
	soft, hard, end := interrupts(stderr)
	defer end()
	command, err := rollout.NewCommand(soft, o)
	if err != nil {
		return fail(err)
	}
	defer command.Close()
	runner.Terraform = command
	return runner.Run(soft, hard).Code()
}

// interrupts returns a context that the first signal ends, and a context that the second one ends.
func interrupts(stderr io.Writer) (soft, hard context.Context, end func()) {
	soft, cancelSoft := context.WithCancel(context.Background())
	hard, cancelHard := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-signals
		fmt.Fprintln(stderr, "rollout: ends after the apply that runs; once more interrupts it")
		cancelSoft()
		<-signals
		cancelHard()
	}()
	return soft, hard, func() {
		signal.Stop(signals)
		cancelSoft()
		cancelHard()
	}
}

// find returns the path of terraform or tofu.
func find(program string) (string, error) {
	if program != "" {
		path, err := exec.LookPath(program)
		if err != nil {
			return "", err
		}
		return filepath.Abs(path) // terraform runs in another folder
	}
	for _, name := range []string{"terraform", "tofu"} {
		if path, err := exec.LookPath(name); err == nil {
			return filepath.Abs(path)
		}
	}
	return "", errors.New("neither terraform nor tofu is on PATH: name one with -terraform")
}

// built returns the version of a release, or of the module that "go install" built.
func built() string {
	if info, ok := debug.ReadBuildInfo(); ok && version == "dev" {
		return cmp.Or(info.Main.Version, version)
	}
	return version
}
