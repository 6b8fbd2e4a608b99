package hook

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"time"
)

func checkCommand(words []string) []Fault {
	switch {
	case len(words) == 0 || strings.TrimSpace(words[0]) == "":
		return []Fault{{Argument: "command", Text: "A command begins with the name or path of a program."}}
	case slices.ContainsFunc(words, func(v string) bool { return strings.ContainsRune(v, 0) }):
		return []Fault{{Argument: "command", Text: "No argument of a command may contain the character NUL."}}
	}
	return nil
}

func checkEnvironment(names []string) []Fault {
	noName := func(v string) bool { return v == "" || strings.ContainsAny(v, "=\x00") }
	if slices.ContainsFunc(names, noName) {
		return []Fault{{Argument: "environment", Text: "environment lists names of variables, such as KUBECONFIG. " +
			"A name is not empty, and contains neither = nor the character NUL."}}
	}
	return nil
}

// errCommandsNotAllowed means that the provider block does not allow commands.
var errCommandsNotAllowed = errors.New("commands are not allowed: " +
	"a hook of type command needs allow_commands = true in the provider block")

const (
	timeToEnd  = 2 * time.Second // between the request to end and the kill
	mostOutput = 64 << 10        // bytes of output that are logged, the last ones
)

// command runs a command and waits for its end. Exit status 0 completes the hook. A run that was interrupted starts
// again with the same token.
type command struct {
	runner      *Runner
	words       []string
	environment []string // names of further variables of Terraform's environment that the command gets
}

// run is the [hook].
func (c *command) run(ctx context.Context, m Message) error {
	program := plain(c.words[0])
	var output output
	cmd := exec.CommandContext(ctx, c.words[0], c.words[1:]...)
	cmd.Env = append(inherited(os.Environ(), c.environment), facts(m)...)
	cmd.Stdout, cmd.Stderr = &output, &output // the same writer for both, so that only one goroutine writes
	cmd.WaitDelay = timeToEnd
	endWithChildren(cmd)
	c.runner.log(ctx, m, "the command of the lifecycle hook begins", map[string]any{"command": program})
	err := cmd.Run()
	killChildren(cmd) // children that are left, or that did not end when they were asked to
	said := ""
	for _, line := range output.lines(m.Token) {
		said = "; it said last: " + line
		fields := map[string]any{"command": program, "output": line}
		c.runner.log(ctx, m, "output of the command of the lifecycle hook", fields)
	}
	switch exit, failed := errors.AsType[*exec.ExitError](err); {
	case ctx.Err() != nil && err != nil:
		return fmt.Errorf("%w; the command %s was ended", context.Cause(ctx), program)
	case failed:
		return fmt.Errorf("the command %s failed: %s%s", program, exit.ProcessState, said)
	case err != nil && !errors.Is(err, exec.ErrWaitDelay): // ErrWaitDelay: a child holds on to the output
		return fmt.Errorf("the command %s cannot be run: %s", program, plain(err.Error()))
	}
	return nil
}

// inherited returns the variables of Terraform's environment that a command gets: the paths of programs and of the
// user's files, and the variables that the configuration names. Terraform's environment often has secrets in it, and
// no list of their names is complete.
func inherited(environment, named []string) []string {
	named = append([]string{"PATH", "HOME", "USERPROFILE"}, named...)
	return slices.DeleteFunc(slices.Clone(environment), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return !slices.ContainsFunc(named, func(n string) bool {
			return n == name || runtime.GOOS == "windows" && strings.EqualFold(n, name)
		})
	})
}

// facts returns the variables about the node that a command gets.
func facts(m Message) []string {
	facts := []string{
		"STACKPOLICY_NODE_ID=" + m.NodeID,
		"STACKPOLICY_NODE_NAME=" + m.NodeName,
		"STACKPOLICY_REGION=" + m.Region,
		"STACKPOLICY_CLUSTER=" + m.Cluster,
		"STACKPOLICY_TRANSITION=" + m.Transition,
		"STACKPOLICY_TOKEN=" + m.Token,
	}
	if m.Address != "" {
		facts = append(facts, "STACKPOLICY_ADDRESS="+m.Address)
	}
	return facts
}

// output keeps the end of what a command prints.
type output []byte

// Write implements [io.Writer]. It never fails.
func (o *output) Write(p []byte) (int, error) {
	*o = append(*o, p...)
	*o = (*o)[max(0, len(*o)-mostOutput):]
	return len(p), nil
}

// lines lists the lines that are not empty, as plain text without the token.
func (o output) lines(token string) (lines []string) {
	all := string(o)
	if len(o) == mostOutput { // the first line has lost its beginning, perhaps in the middle of the token
		_, all, _ = strings.Cut(all, "\n")
	}
	for line := range strings.Lines(all) {
		if token != "" {
			line = strings.ReplaceAll(line, token, "(token)")
		}
		if line = plain(strings.TrimSpace(line)); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}
