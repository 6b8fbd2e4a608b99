package hook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
)

var commandType = Type{
	Name: "command",
	Arguments: []Argument{
		{
			Name: "command",
			Kind: List,
			Description: "The command and its arguments, run without a shell, with the facts in its " +
				"[environment](../guides/draining-nodes.md#a-command). Needs `allow_commands = true` in the " +
				"provider block.",
			check: func(values []string) []Fault {
				switch {
				case len(values) == 0 || strings.TrimSpace(values[0]) == "":
					return []Fault{{Text: "A command begins with the name or path of a program."}}
				case slices.ContainsFunc(values, func(v string) bool { return strings.ContainsRune(v, 0) }):
					return []Fault{{Text: "No argument of a command may contain the character NUL."}}
				}
				return nil
			},
		},
		{
			Name:     "environment",
			Kind:     List,
			Optional: true,
			Description: "Names of variables of Terraform's environment that the command gets too, such as " +
				"`KUBECONFIG`.",
			check: func(values []string) []Fault {
				noName := func(v string) bool { return v == "" || strings.ContainsAny(v, "=\x00") }
				if slices.ContainsFunc(values, noName) {
					return []Fault{{Text: "environment lists names of variables, such as KUBECONFIG. " +
						"A name is not empty, and contains neither = nor the character NUL."}}
				}
				return nil
			},
		},
	},
	make: func(r *Runner, s Spec) (hook, error) {
		if !r.AllowCommands {
			return nil, errCommandsNotAllowed
		}
		return (&command{runner: r, words: s.Arguments["command"], environment: s.Arguments["environment"]}).run, nil
	},
}

// errCommandsNotAllowed means that the provider block does not allow commands.
var errCommandsNotAllowed = errors.New("commands are not allowed: " +
	"a hook of type command needs allow_commands = true in the provider block")

const (
	timeToEnd   = 2 * time.Second // between the request to end and the kill
	mostOutput  = 64 << 10        // bytes of output that are logged
	longestLine = 8 << 10         // bytes of one line of output
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
	output := &lines{token: m.Token, log: func(line string) {
		fields := map[string]any{"command": program, "output": line}
		c.runner.log(ctx, m, "output of the command of the lifecycle hook", fields)
	}}
	cmd := exec.CommandContext(ctx, c.words[0], c.words[1:]...)
	cmd.Env = append(inherited(os.Environ(), c.environment), facts(m)...)
	cmd.Stdout, cmd.Stderr = output, output // the same writer for both, so that only one goroutine writes
	cmd.WaitDelay = timeToEnd
	endWithChildren(cmd)
	c.runner.log(ctx, m, "the command of the lifecycle hook begins", map[string]any{"command": program})
	err := cmd.Run()
	killChildren(cmd) // children that are left, or that did not end when they were asked to
	output.flush()
	switch exit, failed := errors.AsType[*exec.ExitError](err); {
	case ctx.Err() != nil && err != nil:
		return fmt.Errorf("%w; the command %s was ended", context.Cause(ctx), program)
	case failed:
		return fmt.Errorf("the command %s failed: %s%s", program, exit.ProcessState, output.tail())
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

// lines logs the command's output line by line and remembers the last line. It logs a bounded amount of plain text,
// without the token.
type lines struct {
	token string
	log   func(line string)

	mu     sync.Mutex
	part   []byte // beginning of a line
	last   string
	logged int // bytes
}

// Write implements [io.Writer]. It never fails.
func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for rest := p; len(rest) > 0; {
		line, after, ended := bytes.Cut(rest, []byte("\n"))
		l.part = append(l.part, line[:min(len(line), max(longestLine-len(l.part), 0))]...)
		if ended {
			l.end()
		}
		rest = after
	}
	return len(p), nil
}

// flush ends the last line.
func (l *lines) flush() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.end()
}

func (l *lines) end() {
	line := strings.TrimSpace(string(l.part))
	l.part = l.part[:0]
	if l.token != "" {
		line = strings.ReplaceAll(line, l.token, "(token)")
	}
	if line = plain(line); line == "" {
		return
	}
	l.last = line
	if l.logged < mostOutput {
		if l.logged += len(line); l.logged >= mostOutput {
			line += " (and more, which is not logged)"
		}
		l.log(line)
	}
}

// tail returns the last line as the end of an error.
func (l *lines) tail() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.last == "" {
		return ""
	}
	return fmt.Sprintf("; it said last: %s", l.last)
}
