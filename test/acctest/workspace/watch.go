package workspace

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Tests run programs: terraform, and providers that they build. The cache of "go
// test" knows of neither, and would say "ok (cached)" of one that is broken since.
// It does know which files of this tree a test looked at with os.Stat, and looks
// whether they changed. So what goes into a program is looked at here.

// Watch makes a file of this tree an input of the tests of this process.
func Watch(file string) error {
	_, err := os.Stat(file)
	return err
}

// watchProgram does the same for a program that lies anywhere: files outside of
// the tree do not count, but a link to one that lies in the tree does.
func watchProgram(program string) error {
	folder := filepath.Join(Root(), ".tools", "watched")
	link := filepath.Join(folder, url.PathEscape(program))
	err := os.MkdirAll(folder, 0o755)
	if err == nil {
		err = os.Symlink(program, link)
	}
	if err != nil && !errors.Is(err, os.ErrExist) {
		return fmt.Errorf("watch %s: %w", program, err)
	}
	return Watch(link)
}

// sources lists what of this tree is compiled into programs: their files, and
// their folders, because a new file changes those.
const sources = `{{with .Module}}{{if .Main}}{{$.Dir}}{{range $.GoFiles}}
{{$.Dir}}/{{.}}{{end}}{{range $.EmbedFiles}}
{{$.Dir}}/{{.}}{{end}}{{end}}{{end}}`

// sourcesOf lists what goes into a program of this tree.
func sourcesOf(ctx context.Context, program string) ([]string, error) {
	list := exec.CommandContext(ctx, "go", "list", "-deps", "-f", sources, program)
	list.Dir = Root()
	list.Stderr = os.Stderr
	output, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("list the source of %s: %w", program, err)
	}
	files := strings.Split(strings.TrimSpace(string(output)), "\n")
	return append(files, filepath.Join(Root(), "go.mod"), filepath.Join(Root(), "go.sum")), nil
}

// Program builds a program of this tree into a file.
func Program(ctx context.Context, file, source string) error {
	// Terraform reads the whole file for each command. Without the state of the
	// repository in it, it stays the same until its source changes.
	build := exec.CommandContext(ctx, "go", "build", "-buildvcs=false", "-ldflags=-s -w", "-o", file, source)
	build.Dir = Root()
	if output, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build %s: %w\n%s", source, err, output)
	}
	files, err := sourcesOf(ctx, source)
	for _, file := range files {
		err = errors.Join(err, Watch(file))
	}
	return err
}
