package release_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/workspace"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"
)

// run runs a program in a folder, and returns its output.
func run(t *testing.T, dir string, env []string, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	output, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s %s\n%s", name, strings.Join(args, " "), output)
	return string(output)
}

// signer is a signing key, made for the test, in a keyring of its own.
type signer struct {
	home, fingerprint string
}

func newSigner(t *testing.T) signer {
	t.Helper()
	home, err := os.MkdirTemp("", "gpg-") //nolint:usetesting // the path of gpg's socket must be short
	require.NoError(t, err)
	s := signer{home: home}
	t.Cleanup(func() {
		stop := exec.CommandContext(context.WithoutCancel(t.Context()), "gpgconf", "--kill", "gpg-agent")
		stop.Env = append(os.Environ(), s.env()...)
		assert.NoError(t, errors.Join(stop.Run(), os.RemoveAll(home)))
	})
	// Terraform's registry accepts only RSA and DSA keys.
	s.gpg(t, "--batch", "--passphrase", "", "--quick-generate-key", "rehearsal <rehearsal@example.invalid>", "rsa3072", "sign", "1d")
	found := regexp.MustCompile(`(?m)^fpr:+([0-9A-F]+):`).FindStringSubmatch(s.gpg(t, "--list-keys", "--with-colons"))
	require.NotNil(t, found, "the key of gpg")
	s.fingerprint = found[1]
	return s
}

func (s signer) env() []string {
	return []string{"GNUPGHOME=" + s.home, "GPG_FINGERPRINT=" + s.fingerprint}
}

func (s signer) gpg(t *testing.T, args ...string) string {
	t.Helper()
	return run(t, s.home, s.env(), "gpg", args...)
}

// key returns the public key in the form of a registry.
func (s signer) key(t *testing.T) publicKey {
	t.Helper()
	return publicKey{ID: s.fingerprint[len(s.fingerprint)-16:], Armor: s.gpg(t, "--armor", "--export", s.fingerprint)}
}

// sign signs as goreleaser does.
func (s signer) sign(t *testing.T, file []byte) []byte {
	t.Helper()
	name := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(name, file, 0o600))
	s.gpg(t, "--batch", "--local-user", s.fingerprint, "--output", name+".sig", "--detach-sign", name)
	signature, err := os.ReadFile(name + ".sig")
	require.NoError(t, err)
	return signature
}

// source is a repository with the files of this tree, committed or not, from which releases are made.
type source struct {
	dir    string
	signer signer
}

func newSource(t *testing.T, s signer) source {
	t.Helper()
	top, dir := workspace.Root(), t.TempDir()
	for name := range strings.SplitSeq(strings.TrimRight(run(t, top, nil, "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"), "\x00"),
		"\x00") {
		info, err := os.Stat(filepath.Join(top, name))
		if errors.Is(err, os.ErrNotExist) {
			continue // deleted, and not committed
		}
		require.NoError(t, err)
		text, err := os.ReadFile(filepath.Join(top, name))
		to := filepath.Join(dir, name)
		require.NoError(t, errors.Join(err, os.MkdirAll(filepath.Dir(to), 0o755), os.WriteFile(to, text, info.Mode().Perm())))
	}
	src := source{dir, s}
	run(t, dir, nil, "git", "init", "--quiet", "--initial-branch=main")
	// goreleaser needs the name of the remote, and does not contact it.
	run(t, dir, nil, "git", "remote", "add", "origin", "https://github.com/stackpolicy/terraform-provider-stackpolicy")
	return src
}

// release follows RELEASING.md: it writes the changes, commits and tags, and runs the commands of the workflow
// without publishing anything. It returns the folder with the files that would have been published, and the files
// of each tool in a folder of its own.
func (src source) release(t *testing.T, version, changes string, all bool) string {
	t.Helper()
	changelog := filepath.Join(src.dir, "CHANGELOG.md")
	before, err := os.ReadFile(changelog)
	require.NoError(t, err)
	title, rest, _ := strings.Cut(string(before), "\n")
	text := fmt.Sprintf("%s\n\n## %s (2026-11-21)\n\n%s%s", title, version, changes, rest)
	states := filepath.Join(src.dir, "internal/provider/testdata/states")
	require.NoError(t, errors.Join(os.WriteFile(changelog, []byte(text), 0o600),
		os.CopyFS(filepath.Join(states, version), os.DirFS(filepath.Join(states, "next")))))
	author := []string{"GIT_AUTHOR_NAME=rehearsal", "GIT_AUTHOR_EMAIL=r@example.invalid", "GIT_COMMITTER_NAME=rehearsal",
		"GIT_COMMITTER_EMAIL=r@example.invalid"}
	git := func(args ...string) {
		run(t, src.dir, author, "git", append([]string{"-c", "core.hooksPath=/dev/null", "-c", "commit.gpgSign=false"}, args...)...)
	}
	git("add", "--all")
	git("commit", "--quiet", "--message", "Release "+version)
	git("tag", "v"+version)
	without := "--skip=publish"
	if !hasSyft() {
		without += ",sbom"
		t.Logf("NOT RUN for version %s: lists of contents (SBOM), which need syft", version)
	}
	if !all {
		without += " --config=" + oneTarget(t, filepath.Join(src.dir, ".goreleaser.yml"))
	}
	run(t, src.dir, src.signer.env(), "make", "release", "BIN="+*tools, "RELEASE="+without)
	published, prefix := t.TempDir(), "terraform-provider-stackpolicy_"+version+"_"
	publish(t, filepath.Join(src.dir, "dist", prefix+"*"), published, "")
	// goreleaser uploads the manifest under that name.
	publish(t, filepath.Join(src.dir, "terraform-registry-manifest.json"), published, prefix+"manifest.json")
	for _, tool := range releasedTools {
		publish(t, filepath.Join(src.dir, "dist", tool+"_"+version+"_*"), filepath.Join(published, tool), "")
	}
	return published
}

// publish copies files, without folders, to a folder, under their names or under another one.
func publish(t *testing.T, pattern, folder, name string) {
	t.Helper()
	files, err := filepath.Glob(pattern)
	require.NoError(t, errors.Join(err, os.MkdirAll(folder, 0o755)))
	for _, file := range files {
		if info, err := os.Stat(file); err != nil || info.IsDir() {
			continue
		}
		text, err := os.ReadFile(file)
		require.NoError(t, errors.Join(err, os.WriteFile(filepath.Join(folder, cmp.Or(name, filepath.Base(file))), text, 0o600)))
	}
}

// releasedTools are the programs that are released next to the provider.
var releasedTools = []string{"planview", "rollout"}

// hasSyft reports whether there is a syft, which lists the contents of an archive. Building it takes longer than the
// rehearsal, so the rehearsal does not build it.
func hasSyft() bool {
	_, err := exec.LookPath("syft")
	return err == nil
}

// oneTarget returns a copy of a configuration of goreleaser that builds only for this machine, which takes a minute
// instead of ten.
func oneTarget(t *testing.T, file string) string {
	t.Helper()
	var config map[string]any
	text, err := os.ReadFile(file)
	require.NoError(t, errors.Join(err, yaml.Unmarshal(text, &config)))
	for _, b := range config["builds"].([]any) {
		build := b.(map[string]any)
		build["goos"], build["goarch"] = []string{runtime.GOOS}, []string{runtime.GOARCH}
		delete(build, "ignore")
	}
	text, err = yaml.Marshal(config)
	name := filepath.Join(t.TempDir(), "goreleaser.yml")
	require.NoError(t, errors.Join(err, os.WriteFile(name, text, 0o600)))
	return name
}
