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

// Tests run programs: terraform, and providers that they build. The cache of "go test" does not know these programs,
// and would say "ok (cached)" about a broken one. But it knows which files of this tree a test read with os.Stat, and
// checks whether they changed. So this package reads the sources of each program.

// Watch makes a file of this tree an input of the tests of this process.
func Watch(file string) error {
	_, err := os.Stat(file)
	return err
}

// watchProgram makes a program at any path an input. Files outside the tree do not count, but a link in the tree to
// such a file does.
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

// sources lists the files of this tree that are compiled into programs, and their folders, because a new file changes
// those.
const sources = `{{with .Module}}{{if .Main}}{{$.Dir}}{{range $.GoFiles}}
{{$.Dir}}/{{.}}{{end}}{{range $.EmbedFiles}}
{{$.Dir}}/{{.}}{{end}}{{end}}{{end}}`

// sourcesOf lists the sources of a program of this tree.
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
	// Terraform reads the whole file for each command. Without the state of the repository in it, the file changes
	// only with its source.
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
