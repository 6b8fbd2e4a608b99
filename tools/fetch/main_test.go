//go:build unix

package main

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/workspace"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestMain is the command itself where TestGet runs it.
func TestMain(m *testing.M) {
	if os.Getenv("TEST_FETCH") != "" {
		main()
		return
	}
	m.Run()
}

const zipped = "tofu_1.2.3_linux_amd64.zip"

// serve serves a release on this machine. A stalled one never answers.
func serve(t *testing.T) (address, sum string) {
	t.Helper()
	var release bytes.Buffer
	w := zip.NewWriter(&release)
	file, err := w.Create("tofu")
	require.NoError(t, err)
	_, err = file.Write([]byte("downloaded"))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasPrefix(r.URL.Path, "/stalled/"):
			<-r.Context().Done()
		case strings.HasPrefix(r.URL.Path, "/cut/"):
			w.Header().Set("Content-Length", fmt.Sprint(release.Len()))
			_, _ = w.Write(release.Bytes()[:20])
		case strings.HasPrefix(r.URL.Path, "/missing/"):
			http.NotFound(w, r)
		default:
			_, _ = w.Write(release.Bytes())
		}
	}))
	t.Cleanup(server.Close)
	return server.URL, fmt.Sprintf("%x", sha256.Sum256(release.Bytes()))
}

func TestFetch(t *testing.T) {
	t.Parallel()
	address, sum := serve(t)
	const other = "0000000000000000000000000000000000000000000000000000000000000000"
	for _, c := range []struct{ name, address, sum, program, fails string }{
		{"good", address, sum, "tofu", ""},
		{"no checksum", address, "", "tofu", "has no checksum"},
		{"another checksum", address, other, "tofu", "its checksum is " + sum},
		{"refused", "http://127.0.0.1:1", sum, "tofu", "refused"},
		{"it never answers", address + "/stalled", sum, "tofu", "timeout"},
		{"not there", address + "/missing", sum, "tofu", "404"},
		{"cut off", address + "/cut", sum, "tofu", "EOF"},
		{"another program", address, sum, "terraform", "does not exist"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			connecting := time.Minute
			if c.name == "it never answers" {
				connecting = time.Millisecond
			}
			dir, sums := t.TempDir(), filepath.Join(t.TempDir(), "checksums")
			require.NoError(t, os.WriteFile(sums, []byte("# a comment\n"+c.sum+"  "+zipped+"\n"), 0o600))
			err := fetch(t.Context(), sums, c.address+"/v1.2.3/"+zipped, c.program, filepath.Join(dir, "program"), connecting)
			left, _ := os.ReadDir(dir)
			if c.fails != "" {
				assert.ErrorContains(t, err, c.fails)
				assert.Empty(t, left, "left behind")
				return
			}
			require.NoError(t, err)
			assert.Len(t, left, 1, "files")
			text, err := os.ReadFile(filepath.Join(dir, "program"))
			require.NoError(t, err)
			assert.Equal(t, "downloaded", string(text))
		})
	}
}

// stub is a "go" that takes no time: it builds this test in place of tools/fetch, and a text in place of OpenTofu.
const stub = `#!/bin/sh
case "$1 $2" in
"env GOOS") echo linux; exit ;;
"env GOARCH") echo amd64; exit ;;
esac
while [ "$1" != -o ]; do shift; done
if [ "$3" = ./tools/fetch ]; then
	printf '#!/bin/sh\nTEST_FETCH=1 exec "%s" "$@"\n' "$TEST_BINARY" >"$2"
else
	printf built >"$2"
fi
chmod +x "$2"
`

// TestGet: tools/get downloads what it can, and builds the rest. It says why in one line, and leaves nothing behind.
func TestGet(t *testing.T) {
	t.Parallel()
	address, sum := serve(t)
	this, err := os.Executable()
	require.NoError(t, err)
	for name, c := range map[string]struct{ sums, address, want, says string }{
		"good":             {sum + "  " + zipped, address, "downloaded", ""},
		"refused":          {sum + "  " + zipped, "http://127.0.0.1:1", "built", "not downloaded: " + zipped},
		"another checksum": {strings.Repeat("0", 64) + "  " + zipped, address, "built", "its checksum is " + sum},
		"no checksum":      {"", address, "built", "tools/tofu/checksums has no checksum of it"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			top := t.TempDir()
			write := func(name, text string) {
				file := filepath.Join(top, name)
				require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
				require.NoError(t, workspace.WriteProgram(file, []byte(text)))
			}
			for _, script := range []string{"get", "slow"} {
				text, err := os.ReadFile(filepath.Join("..", script))
				require.NoError(t, err)
				write("tools/"+script, string(text))
			}
			write("tools/tofu/go.mod", "\tgithub.com/opentofu/opentofu v1.2.3 // indirect\n")
			write("tools/tofu/checksums", c.sums+"\n")
			write("path/go", stub)
			for i, says := range []string{c.says, ""} { // the second call finds the file
				get := exec.CommandContext(t.Context(), filepath.Join(top, "tools/get"), "tofu")
				get.Env = append(os.Environ(), "PATH="+top+"/path:"+os.Getenv("PATH"), "TEST_BINARY="+this, "DOWNLOADS="+c.address)
				var stderr bytes.Buffer
				get.Stderr = &stderr
				output, err := get.Output()
				require.NoError(t, err, stderr.String())
				file := filepath.Join(top, ".tools/bin/tofu_v1.2.3")
				assert.Equal(t, file+"\n", string(output))
				text, err := os.ReadFile(file)
				require.NoError(t, err)
				assert.Equal(t, c.want, string(text))
				assert.Contains(t, stderr.String(), says, "call %d", i)
				assert.LessOrEqual(t, strings.Count(stderr.String(), "not downloaded"), 1, "lines")
			}
			left, err := filepath.Glob(top + "/.tools/bin/*.part")
			require.NoError(t, err)
			assert.Empty(t, left, "left behind")
		})
	}
}
