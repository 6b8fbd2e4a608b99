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
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Served are the providers of this tree as processes that stay, instead of new ones for each step of each command of
// terraform. They have the environment of a workspace, and are started again if that changes.
type Served struct {
	mu    sync.Mutex
	env   []string
	value string
	end   func()
}

// Attach is for [Workspace.Attach]: it starts the providers unless they run already.
func (s *Served) Attach(ctx context.Context, w *Workspace, mirror *Mirror) (string, context.CancelFunc, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.end == nil || !slices.Equal(s.env, w.Env) {
		s.close()
		if err := s.start(ctx, w, filepath.Dir(mirror.Config)); err != nil {
			s.close()
			return "", nil, err
		}
	}
	return s.value, func() {}, nil
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

func (s *Served) start(ctx context.Context, w *Workspace, dir string) error {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx)) // a test's own context ends before its cleanup
	var commands []*exec.Cmd
	s.env = slices.Clone(w.Env)
	s.end = func() {
		cancel()
		for _, c := range commands {
			_ = c.Wait() // it was killed
		}
	}
	all := map[string]json.RawMessage{}
	for _, address := range []string{StackPolicy, OpenStack} {
		if address == OpenStack && Stub() == "" {
			continue // terraform starts the genuine provider
		}
		cmd := exec.CommandContext(ctx, filepath.Join(dir, path.Base(address)), "-debug")
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
		of := map[string]json.RawMessage{}
		if err := json.Unmarshal([]byte(found), &of); err != nil {
			return fmt.Errorf("%s did not say how terraform reaches it: %w", address, err)
		}
		maps.Copy(all, of)
		for name, value := range of {
			all[strings.Replace(name, "registry.terraform.io", "registry.opentofu.org", 1)] = value
		}
		go func() { _, _ = io.Copy(io.Discard, out) }()
	}
	text, err := json.Marshal(all)
	s.value = string(text)
	return err
}
