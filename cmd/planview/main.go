// Command planview describes what a Terraform plan does to placement
// attachments, as Markdown for a pull request.
package main

import (
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime/debug"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/planview"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// version is set by the linker in releases.
var version = "dev"

//go:embed usage.txt
var usage string

// The exit codes.
const (
	exitFailed      = 1
	exitUsage       = 2
	exitNoPlacement = 3
)

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// run runs the command, and returns the exit code.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("planview", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	log := flags.String("warnings", "", "")
	show := flags.Bool("version", false, "")
	wrong := func(format string, args ...any) int {
		fmt.Fprintf(stderr, "planview: "+format+"\n\n"+usage, args...)
		return exitUsage
	}
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(stdout, usage)
		return 0
	case err != nil:
		return wrong("%v", err)
	}
	switch {
	case *show:
		fmt.Fprintln(stdout, "planview", built())
		return 0
	case flags.NArg() > 1:
		return wrong("give one file, not %d; flags come before it", flags.NArg())
	case (flags.Arg(0) == "" || flags.Arg(0) == "-") && terminal(stdin):
		return wrong("nothing to read: give a file, or pipe the output of \"terraform show -json PLAN\" into planview")
	}
	describe := planview.Markdown
	if terminal(stdout) {
		describe = planview.Terminal
	}
	plan, err := read(flags.Arg(0), *log, stdin)
	if err == nil {
		_, err = io.WriteString(stdout, describe(plan))
	}
	if err != nil {
		fmt.Fprintln(stderr, "planview:", text.CleanLines(err.Error())) // it may quote the plan
		if errors.Is(err, planview.ErrNoPlacement) {
			return exitNoPlacement
		}
		return exitFailed
	}
	return 0
}

// read reads a plan from a file, and the warnings from a log if one is named.
func read(name, log string, stdin io.Reader) (planview.Plan, error) {
	read := func() ([]byte, error) { return os.ReadFile(name) }
	if name == "" || name == "-" {
		read = func() ([]byte, error) { return io.ReadAll(stdin) }
	}
	content, err := read()
	if err != nil {
		return planview.Plan{}, err
	}
	plan, err := planview.Read(content)
	if err != nil || log == "" {
		return plan, err
	}
	if content, err = os.ReadFile(log); err != nil {
		return planview.Plan{}, err
	}
	return plan, planview.AddWarnings(plan, content)
}

// terminal reports whether a stream is a terminal.
func terminal(stream any) bool {
	file, _ := stream.(*os.File)
	info, err := file.Stat() // an error for nil
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// built returns the version of a release, or of the module that "go install" built.
func built() string {
	if info, ok := debug.ReadBuildInfo(); ok && version == "dev" && info.Main.Version != "" {
		return info.Main.Version
	}
	return version
}
