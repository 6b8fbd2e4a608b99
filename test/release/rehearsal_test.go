// Package release_test rehearses a release on this machine: goreleaser makes it, a key of the test signs it, a
// registry on loopback serves it, and terraform and tofu install it. make rehearsal runs it.
package release_test

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/workspace"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	tools      = flag.String("tools", "", "the folder with the tools that make release uses")
	terraform  = flag.String("terraform", "", "the terraform to install them with")
	tofu       = flag.String("tofu", "", "the tofu to install them with")
	allTargets = flag.Bool("all-targets", false, "build for every platform, not only for this one")
)

const (
	provider    = "stackpolicy/stackpolicy"
	first, next = "1.0.0", "1.1.0"
)

// rehearsal has what the cases share.
type rehearsal struct {
	cli         string // path of terraform or tofu
	first, next string // folders with the files of each release
	signer      signer
	foreign     string // filesystem mirror with terraform-provider-openstack
}

func TestRehearsal(t *testing.T) {
	if *tools == "" {
		t.Skip("needs goreleaser: make rehearsal brings it")
	}
	r := rehearsal{signer: newSigner(t), foreign: t.TempDir()}
	src := newSource(t, r.signer)
	r.first = src.release(t, first, "- A rehearsal,\n  of two lines.\n", *allTargets)
	r.next = src.release(t, next, "- Another one.\n", false)
	notes, err := os.ReadFile(filepath.Join(src.dir, ".tools", "release-notes.md"))
	require.NoError(t, err)
	assert.Equal(t, "- Another one.", strings.TrimSpace(string(notes)), "the notes of version %s", next)
	_, err = workspace.Build(t.Context(), r.foreign)
	require.NoError(t, err)
	t.Run("complete", r.complete)
	for _, tool := range releasedTools {
		t.Run(tool, func(t *testing.T) { r.tool(t, tool) })
	}
	if hasSyft() {
		t.Run("contents", r.contents)
	}
	t.Run("reproduce", func(t *testing.T) { r.reproduce(t, src) })
	t.Run("verify", r.verify)
	ran := 0
	for name, path := range map[string]string{"terraform": *terraform, "tofu": *tofu} {
		if path == "" {
			t.Logf("NOT RUN with %s: there is none", name)
			continue
		}
		ran++
		r.cli = path
		t.Run(name, func(t *testing.T) {
			t.Run("install", r.install)
			t.Run("refuse", r.refuse)
			t.Run("first page", r.firstPage)
			t.Run("mirror", r.mirror)
			t.Run("filesystem mirror", r.filesystemMirror)
		})
	}
	assert.NotZero(t, ran, "there is neither terraform nor tofu")
}

// start starts a registry with the first release. It returns the host and port, and the variable with which clients
// trust its certificate.
func (r rehearsal) start(t *testing.T) (reg *registry, host, trust string) {
	t.Helper()
	reg = newRegistry(provider, r.signer.key(t))
	require.NoError(t, reg.publish(first, r.first))
	host, authority := serve(t, reg)
	return reg, host, "SSL_CERT_FILE=" + authority
}

// settings writes a configuration of the command line.
func settings(t *testing.T, text string) *workspace.Mirror {
	t.Helper()
	file := filepath.Join(t.TempDir(), "cli.tfrc")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	return &workspace.Mirror{Config: file}
}

// init runs init in a new folder with a configuration.
func (r rehearsal) init(t *testing.T, settings *workspace.Mirror, config string, env ...string) (*workspace.Workspace, string, error) {
	t.Helper()
	w := &workspace.Workspace{Dir: t.TempDir(), Terraform: r.cli, Env: append(env,
		"TF_CLI_CONFIG_FILE="+settings.Config, "TF_IN_AUTOMATION=1", "CHECKPOINT_DISABLE=1")}
	require.NoError(t, os.WriteFile(filepath.Join(w.Dir, "main.tf"), []byte(config), 0o600))
	output, err := w.Run(t.Context(), "init", "-input=false", "-no-color")
	return w, output, err
}

// from is a configuration that only uses the provider.
func from(source string) string {
	return fmt.Sprintf("terraform {\n  required_providers {\n    stackpolicy = {\n      source = %q\n    }\n  }\n}\n", source) +
		"output \"spread\" {\n  value = provider::stackpolicy::distribute(3, { RegionOne = {}, RegionTwo = { weight = 200 } })\n}\n"
}

// use plans with the provider that was installed.
func use(t *testing.T, w *workspace.Workspace) {
	t.Helper()
	output, err := w.Run(t.Context(), "plan", "-input=false", "-no-color")
	assert.NoError(t, err)
	assert.Regexp(t, `RegionTwo\s+= 2`, output)
}

// complete: a release has everything that the registries need, and every target in the configuration.
func (r rehearsal) complete(t *testing.T) {
	require.NoError(t, newRegistry(provider).publish(first, r.first))
	// There are four systems and four processors, without those that .goreleaser.yml leaves out.
	for _, name := range zipsOf(t, r.first, 13) {
		archive, err := zip.OpenReader(name)
		require.NoError(t, err)
		var names []string
		for _, f := range archive.File {
			names = append(names, f.Name)
		}
		assert.NoError(t, archive.Close())
		program := "terraform-provider-stackpolicy_v" + first
		if strings.Contains(name, "_windows_") {
			program += ".exe"
		}
		assert.Subset(t, names, []string{program, "LICENSE", "README.md", "CHANGELOG.md"}, filepath.Base(name))
	}
}

// zipsOf lists the zips of a folder. There are as many as all if everything was built for all platforms.
func zipsOf(t *testing.T, folder string, all int) []string {
	t.Helper()
	if !*allTargets {
		all = 1
	}
	zips, err := filepath.Glob(filepath.Join(folder, "*.zip"))
	require.NoError(t, err)
	assert.Len(t, zips, all, "zips")
	return zips
}

// unzipped returns a file of the zip for this platform.
func unzipped(t *testing.T, zipped, name string) []byte {
	t.Helper()
	archive, err := zip.OpenReader(zipped + zipHere)
	require.NoError(t, err)
	defer archive.Close()
	text, err := fs.ReadFile(archive, name)
	require.NoError(t, err)
	return text
}

// sums returns the checksums of the first release.
func (r rehearsal) sums(t *testing.T) string {
	t.Helper()
	sums, err := os.ReadFile(filepath.Join(r.first, "terraform-provider-stackpolicy_"+first+"_SHA256SUMS"))
	require.NoError(t, err)
	return string(sums)
}

// tool: the zips of a tool are next to the provider's, each with its signature, and are not in the checksums that
// registries read.
func (r rehearsal) tool(t *testing.T, name string) {
	dir := filepath.Join(r.first, name)
	for _, file := range zipsOf(t, dir, 8) { // four systems with two processors
		r.signer.gpg(t, "--verify", file+".sig", file)
	}
	assert.NotContains(t, r.sums(t), name, "the checksums")
	program := filepath.Join(t.TempDir(), name)
	require.NoError(t, workspace.WriteProgram(program, unzipped(t, filepath.Join(dir, name+"_"+first), name)))
	assert.Equal(t, name+" "+first+"\n", run(t, ".", nil, program, "-version"), "what it says of itself")
}

// contents: each zip has a list of its contents. The checksums have the lists of the provider's zips.
func (r rehearsal) contents(t *testing.T) {
	for _, pattern := range []string{"*.zip", "planview/*.zip", "rollout/*.zip"} {
		zips, err := filepath.Glob(filepath.Join(r.first, pattern))
		require.NoError(t, err)
		require.NotEmpty(t, zips, "zips")
		for _, name := range zips {
			name += ".sbom.json"
			text, err := os.ReadFile(name)
			require.NoError(t, err)
			var list struct {
				SPDXVersion string
				Packages    []struct{ Name string }
			}
			if err := json.Unmarshal(text, &list); err != nil || !strings.HasPrefix(list.SPDXVersion, "SPDX-") {
				t.Errorf("%s: %q, %v", name, list.SPDXVersion, err)
			}
			assert.Contains(t, list.Packages, struct{ Name string }{"github.com/stackpolicy/terraform-provider-stackpolicy"}, name)
			sum := fmt.Sprintf("%x  %s\n", sha256.Sum256(text), filepath.Base(name))
			assert.Equal(t, pattern == "*.zip", strings.Contains(r.sums(t), sum), "the checksums have %s", filepath.Base(name))
		}
	}
}

// printed returns the commands that a page prints after a text, for a version and the folder of a mirror.
func printed(t *testing.T, page, after, version, mirror string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(workspace.Root(), page))
	require.NoError(t, err)
	_, rest, _ := strings.Cut(string(text), after)
	block := regexp.MustCompile("(?s)```sh\n(.*?)```").FindStringSubmatch(rest)
	require.NotNil(t, block, "commands in %s after %q", page, after)
	return strings.NewReplacer(first, version, place, mirror).Replace(block[1])
}

// verify: the commands of SECURITY.md succeed for the release, and fail for a changed one.
func (r rehearsal) verify(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(r.first)))
	commands := printed(t, "SECURITY.md", "**Signature and checksums.**", first, "")
	run(t, dir, r.signer.env(), "sh", "-euc", commands)
	zips := zipsOf(t, dir, 13)
	require.NotEmpty(t, zips)
	require.NoError(t, os.WriteFile(zips[0], []byte("something else"), 0o600))
	w := workspace.Workspace{Dir: dir, Terraform: "sh", Env: r.signer.env()}
	output, err := w.Run(t.Context(), "-euc", commands)
	assert.Error(t, err, "passed with a zip that was changed:\n%s", output)
}

// install: init finds the registry by its host, verifies the signature and remembers the checksums of all platforms.
func (r rehearsal) install(t *testing.T) {
	_, host, trust := r.start(t)
	w, output, err := r.init(t, settings(t, ""), from(host+"/"+provider), trust)
	require.NoError(t, err)
	assert.Regexp(t, `v1\.0\.0 \([^)]*signed, key ID `+r.signer.key(t).ID, output, "the signature that was verified")
	lock, err := os.ReadFile(filepath.Join(w.Dir, ".terraform.lock.hcl"))
	require.NoError(t, err)
	for line := range strings.Lines(r.sums(t)) {
		if sum, name, _ := strings.Cut(strings.TrimSpace(line), "  "); strings.HasSuffix(name, ".zip") {
			assert.Contains(t, string(lock), `"zh:`+sum+`"`, "the checksum of %s", name)
		}
	}
	use(t, w)
}

// zipHere is the end of the name of the zip for this platform.
const zipHere = "_" + runtime.GOOS + "_" + runtime.GOARCH + ".zip"

// refuse: init installs nothing that was changed after the signature, is not signed by a key of the registry, or
// comes from a host without a valid certificate.
func (r rehearsal) refuse(t *testing.T) {
	other := newSigner(t)
	flip := func(file []byte) []byte {
		file[len(file)/2] ^= 1
		return file
	}
	for _, c := range []struct {
		name   string
		change func(*registry) error
		trust  bool
		want   string
	}{
		{"the right one is taken", func(*registry) error { return nil }, true, ""},
		{"a zip that was changed", func(reg *registry) error { return reg.replace(first, zipHere, flip) }, true,
			"checksum"},
		{"checksums that were changed with it", func(reg *registry) error {
			var before, after [32]byte
			err := reg.replace(first, zipHere, func(file []byte) []byte {
				before = sha256.Sum256(file)
				file = flip(file)
				after = sha256.Sum256(file)
				return file
			})
			if err != nil {
				return err
			}
			return reg.replace(first, "_SHA256SUMS", func(sums []byte) []byte {
				return bytes.ReplaceAll(sums, []byte(hex.EncodeToString(before[:])), []byte(hex.EncodeToString(after[:])))
			})
		}, true, "signature"},
		{"checksums signed by a foreign key", func(reg *registry) error {
			var sums []byte
			if err := reg.replace(first, "_SHA256SUMS", func(file []byte) []byte { sums = file; return file }); err != nil {
				return err
			}
			return reg.replace(first, "_SHA256SUMS.sig", func([]byte) []byte { return other.sign(t, sums) })
		}, true, "signature"},
		{"a registry that names another key", func(reg *registry) error { reg.setKeys(other.key(t)); return nil }, true, "signature"},
		{"a host that nobody vouches for", func(*registry) error { return nil }, false, "certificate"},
	} {
		t.Run(c.name, func(t *testing.T) {
			reg, host, trust := r.start(t)
			require.NoError(t, c.change(reg))
			if !c.trust {
				trust = "SSL_CERT_FILE=" + os.DevNull
			}
			w, output, err := r.init(t, settings(t, ""), from(host+"/"+provider), trust)
			if c.want == "" {
				assert.NoError(t, err)
				return
			}
			assert.ErrorContains(t, err, c.want, output)
			found, _ := filepath.Glob(filepath.Join(w.Dir, ".terraform/providers/*/*/*/*/*/terraform-provider-*"))
			assert.Empty(t, found, "installed anyway")
		})
	}
}

// instead returns settings with which the host of this rehearsal replaces the public registry.
func (r rehearsal) instead(t *testing.T, host string) *workspace.Mirror {
	t.Helper()
	public := "registry.terraform.io"
	if r.cli == *tofu {
		public = "registry.opentofu.org"
	}
	return settings(t, fmt.Sprintf(`host %[1]q {
  services = { "providers.v1" = "https://%[2]s/v1/providers/" }
}
provider_installation {
  filesystem_mirror {
    path    = %[3]q
    include = ["%[1]s/terraform-provider-openstack/*"]
  }
  direct {
    include = ["%[1]s/stackpolicy/*"]
  }
}
`, public, host, r.foreign))
}

// firstPage: the first configuration of the first page is installed and applied. After the next release init -upgrade
// installs the new version, which changes nothing in the state of the first one.
func (r rehearsal) firstPage(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(workspace.Root(), "docs", "index.md"))
	require.NoError(t, err)
	config := regexp.MustCompile("(?s)```terraform\n(.*?)```").FindSubmatch(page)
	require.NotNil(t, config, "the configuration")
	module := strings.ReplaceAll(string(config[1]), "github.com/stackpolicy/terraform-provider-stackpolicy//", workspace.Root()+"/")
	cloud := fakecloud.Start(t, fakecloud.Config{})
	cloud.AddImage(fakecloud.Image{Name: "debian-12"})
	service := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})) // it answers 200
	t.Cleanup(service.Close)
	reg, host, trust := r.start(t)
	w, _, err := r.init(t, r.instead(t, host), module,
		append(cloud.Environment(fakecloud.MemberUser), trust, "TF_VAR_health_url="+service.URL+"/{name}")...)
	require.NoError(t, err)
	_, err = w.Apply(t.Context())
	require.NoError(t, errors.Join(err, reg.publish(next, r.next)))
	output, err := w.Run(t.Context(), "init", "-upgrade", "-input=false", "-no-color")
	require.NoError(t, err, output)
	require.Contains(t, output, "Installed stackpolicy/stackpolicy v"+next)
	output, err = w.Run(t.Context(), "plan", "-input=false", "-no-color", "-detailed-exitcode")
	assert.NoError(t, err, "the next version plans a change:\n%s", output)
	assert.Equal(t, 6, len(cloud.Servers("RegionOne"))+len(cloud.Servers("RegionTwo")), "servers")
	_, err = w.Destroy(t.Context())
	assert.NoError(t, err)
}

// mirror: "providers mirror" copies the provider for a machine without internet.
func (r rehearsal) mirror(t *testing.T) {
	_, host, trust := r.start(t)
	source := host + "/" + provider
	w, _, err := r.init(t, settings(t, ""), from(source), trust)
	require.NoError(t, err)
	dir := t.TempDir()
	_, err = w.Run(t.Context(), "providers", "mirror", dir)
	require.NoError(t, err)
	offline, _, err := r.init(t, settings(t, fmt.Sprintf("provider_installation {\n  filesystem_mirror {\n    path = %q\n  }\n}\n", dir)), from(source))
	require.NoError(t, err)
	use(t, offline)
}

// place is the folder of the mirror in the guide on installing.
const place = "/srv/terraform/providers"

// guideSettings returns the configurations of the command line that the guide on installing shows, for another folder.
func (r rehearsal) guideSettings(t *testing.T, folder string) (list []*workspace.Mirror) {
	t.Helper()
	guide, err := os.ReadFile(filepath.Join(workspace.Root(), installing))
	require.NoError(t, err)
	for _, block := range regexp.MustCompile("(?s)```terraform\n(provider_installation .*?)```").FindAllStringSubmatch(string(guide), -1) {
		text := strings.ReplaceAll(block[1], place, folder)
		if r.cli == *tofu {
			text = strings.ReplaceAll(text, "registry.terraform.io", "registry.opentofu.org")
		}
		list = append(list, settings(t, text))
	}
	require.NotEmpty(t, list, "the guide shows none")
	return list
}

const installing = "templates/guides/installing.md.tmpl"

// filesystemMirror: two releases are copied to a mirror as the guide says. With each of its settings init installs the newer one.
func (r rehearsal) filesystemMirror(t *testing.T) {
	dir := t.TempDir()
	for version, folder := range map[string]string{first: r.first, next: r.next} {
		run(t, folder, nil, "sh", "-euc", printed(t, installing, "## A filesystem mirror", version, dir))
	}
	for _, s := range r.guideSettings(t, dir) {
		w, output, err := r.init(t, s, from(provider))
		require.NoError(t, err, output)
		require.Contains(t, output, "Installed stackpolicy/stackpolicy v"+next)
		use(t, w)
		_, err = w.Run(t.Context(), "providers", "lock", "-fs-mirror="+dir, "-platform="+runtime.GOOS+"_"+runtime.GOARCH)
		assert.NoError(t, err)
	}
}

// reproduce: the commands in SECURITY.md build the program of the release again, to the byte.
func (r rehearsal) reproduce(t *testing.T, src source) {
	built := filepath.Join(t.TempDir(), "program")
	run(t, src.dir, []string{"CGO_ENABLED=0"}, "go", "build", "-trimpath", "-ldflags", "-s -w -X main.version="+next, "-o", built)
	want, err := os.ReadFile(built)
	require.NoError(t, err)
	got := unzipped(t, filepath.Join(r.next, "terraform-provider-stackpolicy_"+next), "terraform-provider-stackpolicy_v"+next)
	assert.True(t, bytes.Equal(got, want), "the program of the release has %d bytes, the one that was built again %d, and they differ", len(got), len(want))
}
