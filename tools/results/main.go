// Command results keeps the results of test runs in test/results, one file for each run, and writes the "tested with"
// of the README from them.
//
//	results -record NAME <output of go test -v>   keeps a run
//	results                                       writes README.md and test/results/README.md
package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

const folder = "test/results"

// run is a run of tests, as a file keeps it.
type run struct {
	Name      string
	Cloud     string            // "OpenStack 2025.1", or "the fake cloud"
	Services  map[string]string `json:",omitempty"` // services of that cloud, with their versions
	User      string            `json:",omitempty"`
	Terraform string            // "Terraform 1.11.4", or "OpenTofu 1.12.6"
	Provider  string            // terraform-provider-openstack: "3.4.0"; older runs had a "stand-in"
	Date      string
	Commit    string // with "-dirty" if something was not committed
	counts
}

// counts are numbers of tests; each subtest counts.
type counts struct {
	Passed  int
	Failed  []string       `json:",omitempty"`
	Skipped map[string]int `json:",omitempty"` // by reason
}

func main() {
	name := flag.String("record", "", "keep the run of which go test -v writes to standard input under this `name`")
	flag.Parse()
	var err error
	if *name != "" {
		err = record(context.Background(), *name, os.Stdin)
	} else {
		err = write(".")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "results:", err)
		os.Exit(1)
	}
}

// record keeps a run in the present tree and environment.
func record(ctx context.Context, name string, output io.Reader) error {
	r := run{Name: name, Cloud: "the fake cloud", Date: time.Now().UTC().Format(time.DateOnly)}
	var err error
	if r.counts, err = count(output); err != nil {
		return err
	}
	if r.Passed+len(r.Failed) == 0 {
		return errors.New("no test was run")
	}
	if os.Getenv("STACKPOLICY_ACC") == "live" {
		r.User = strings.TrimPrefix(os.Getenv("OS_CLOUD"), "stackpolicy-")
		// test/openstack/up.sh writes cloud.json next to clouds.yaml.
		text, err := os.ReadFile(filepath.Join(filepath.Dir(os.Getenv("OS_CLIENT_CONFIG_FILE")), "cloud.json"))
		if err != nil {
			return fmt.Errorf("which cloud was it? %w", err)
		}
		if err := json.Unmarshal(text, &r); err != nil {
			return err
		}
	}
	provider, err := exec.CommandContext(ctx, "tools/openstack/build").Output()
	if err != nil {
		return fmt.Errorf("which terraform-provider-openstack was it? %w", err)
	}
	r.Provider = regexp.MustCompile(`\d+\.\d+\.\d+`).FindString(filepath.Base(string(provider)))
	if r.Terraform, err = terraform(ctx); err != nil {
		return err
	}
	if r.Commit, err = commit(ctx); err != nil {
		return err
	}
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, name+".json"), append(text, '\n'), 0o644)
}

// count reads the output of go test -v. The reason of a skip is the last line that its test wrote.
func count(output io.Reader) (counts, error) {
	c := counts{Skipped: map[string]int{}}
	event := regexp.MustCompile(`^=== (?:RUN|NAME|CONT) +(\S+)`)
	result := regexp.MustCompile(`^ *--- (PASS|FAIL|SKIP): (\S+)`)
	text := regexp.MustCompile(`^ +[A-Za-z0-9_.]+\.go:\d+: (.*)`)
	said, test := map[string]string{}, ""
	lines := bufio.NewScanner(output)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		line := lines.Text()
		if m := event.FindStringSubmatch(line); m != nil {
			test = m[1]
		} else if m := text.FindStringSubmatch(line); m != nil {
			said[test] = m[1]
		} else if m := result.FindStringSubmatch(line); m != nil {
			switch m[1] {
			case "PASS":
				c.Passed++
			case "FAIL":
				c.Failed = append(c.Failed, m[2])
			case "SKIP":
				c.Skipped[cmp.Or(said[m[2]], "no reason")]++
			}
		} else if strings.HasPrefix(line, "panic: ") {
			c.Failed = append(c.Failed, line)
		}
	}
	return c, lines.Err()
}

// terraform returns the program that tests use, with its version.
func terraform(ctx context.Context) (string, error) {
	path, err := exec.CommandContext(ctx, "tools/terraform").Output()
	if err != nil {
		return "", err
	}
	version, err := exec.CommandContext(ctx, strings.TrimSpace(string(path)), "version").Output()
	if err != nil {
		return "", err
	}
	m := regexp.MustCompile(`(?m)^(Terraform|OpenTofu) v(\S+)`).FindSubmatch(version)
	if m == nil {
		return "", fmt.Errorf("what is %s? It says %q", path, version)
	}
	return fmt.Sprintf("%s %s", m[1], m[2]), nil
}

// commit returns the commit that is checked out.
func commit(ctx context.Context) (string, error) {
	hash, err := exec.CommandContext(ctx, "git", "rev-parse", "--short=10", "HEAD").Output()
	if err != nil {
		return "", err
	}
	changed, err := exec.CommandContext(ctx, "git", "status", "--porcelain", "--", ".", ":!"+folder, ":!README.md").
		Output()
	if len(changed) > 0 {
		return strings.TrimSpace(string(hash)) + "-dirty", err
	}
	return strings.TrimSpace(string(hash)), err
}
