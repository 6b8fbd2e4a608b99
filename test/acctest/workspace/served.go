package workspace

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Attached says how terraform reaches providers that run already, by their addresses with the registry: the value of
// TF_REATTACH_PROVIDERS.
type Attached map[string]json.RawMessage

// Served are providers as processes that stay, instead of new ones for each step of each command of terraform. They
// have the environment of a workspace, and are started again if that changes.
type Served struct {
	Programs map[string]string // by address

	mu    sync.Mutex
	env   []string
	value Attached
	end   func()
}

// Attach is for [Workspace.Attach]: it starts the providers unless they run already.
func (s *Served) Attach(ctx context.Context, w *Workspace) (Attached, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.end == nil || !slices.Equal(s.env, w.Env) {
		s.close()
		if err := s.start(ctx, w); err != nil {
			s.close()
			return nil, err
		}
	}
	return maps.Clone(s.value), nil
}

// Close ends the providers.
func (s *Served) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.close()
}

func (s *Served) close() {
	if s.end != nil {
		s.end()
		s.end = nil
	}
}

var reattach = regexp.MustCompile(`TF_REATTACH_PROVIDERS='(.*)'`)

func (s *Served) start(ctx context.Context, w *Workspace) error {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx)) // a test's own context ends before its cleanup
	var commands []*exec.Cmd
	s.env = slices.Clone(w.Env)
	s.end = func() {
		cancel()
		for _, c := range commands {
			_ = c.Wait() // it was killed
		}
	}
	s.value = Attached{}
	for address, program := range s.Programs {
		cmd := exec.CommandContext(ctx, program, "-debug")
		cmd.Dir, cmd.Env = w.Dir, append(os.Environ(), w.Env...)
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			return err
		}
		commands = append(commands, cmd)
		found := ""
		for lines := bufio.NewScanner(out); found == "" && lines.Scan(); {
			if match := reattach.FindStringSubmatch(lines.Text()); match != nil {
				found = match[1]
			}
		}
		of := Attached{}
		if err := json.Unmarshal([]byte(found), &of); err != nil {
			return fmt.Errorf("%s did not say how terraform reaches it: %w", address, err)
		}
		maps.Copy(s.value, of)
		for name, value := range of {
			s.value[strings.Replace(name, "registry.terraform.io", "registry.opentofu.org", 1)] = value
		}
		go func() { _, _ = io.Copy(io.Discard, out) }()
	}
	return nil
}
