package release_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// publicKey is a key that the registry names as the provider's.
type publicKey struct {
	ID    string `json:"key_id"`
	Armor string `json:"ascii_armor"`
}

// registry is a registry of one provider in this process: service discovery, versions, downloads, checksums, signatures
// and TLS, in the protocol of Terraform's and OpenTofu's registries. It serves the files of a release unchanged, and
// publishes only releases that the public registries accept. It is safe for concurrent use.
type registry struct {
	address string // namespace/type
	mux     *http.ServeMux

	mu       sync.Mutex
	keys     []publicKey
	releases []release
}

// release is a published version.
type release struct {
	Version   string     `json:"version"`
	Protocols []string   `json:"protocols"`
	Platforms []platform `json:"platforms"`

	files map[string][]byte
	sums  map[string]string
}

type platform struct {
	OS   string `json:"os"`
	Arch string `json:"arch"`
}

// newRegistry returns a registry for a provider, such as "stackpolicy/stackpolicy".
func newRegistry(address string, keys ...publicKey) *registry {
	r := &registry{address: address, mux: http.NewServeMux(), keys: keys}
	r.mux.HandleFunc("GET /.well-known/terraform.json", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, map[string]string{"providers.v1": "/v1/providers/"})
	})
	r.mux.HandleFunc("GET /v1/providers/"+address+"/versions", func(w http.ResponseWriter, _ *http.Request) {
		r.mu.Lock()
		defer r.mu.Unlock()
		answer(w, map[string][]release{"versions": r.releases})
	})
	r.mux.HandleFunc("GET /v1/providers/"+address+"/{version}/download/{os}/{arch}", r.download)
	r.mux.HandleFunc("GET /files/{version}/{file}", r.file)
	return r
}

func (r *registry) ServeHTTP(w http.ResponseWriter, req *http.Request) { r.mux.ServeHTTP(w, req) }

// setKeys replaces the provider's keys.
func (r *registry) setKeys(keys ...publicKey) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.keys = keys
}

// publish publishes the files of a folder as a version. It refuses the same things as the public registries: a file
// that is missing or has another name, a zip without the program, a checksum that is missing or wrong, a manifest
// that is not a provider's.
func (r *registry) publish(version, dir string) error {
	prefix := "terraform-provider-" + path.Base(r.address) + "_" + version
	rel := release{Version: version, files: map[string][]byte{}}
	found, err := filepath.Glob(filepath.Join(dir, prefix+"*"))
	if err != nil {
		return err
	}
	for _, name := range found {
		if rel.files[filepath.Base(name)], err = os.ReadFile(name); err != nil {
			return err
		}
	}
	sums, signed := rel.files[prefix+"_SHA256SUMS"], rel.files[prefix+"_SHA256SUMS.sig"]
	if len(sums) == 0 || len(signed) == 0 {
		return fmt.Errorf("version %s has no checksums, or no signature of them, in %s", version, dir)
	}
	if rel.sums, err = check(sums, rel.files); err != nil {
		return fmt.Errorf("version %s: %w", version, err)
	}
	var manifest struct {
		Version  int `json:"version"`
		Metadata struct {
			ProtocolVersions []string `json:"protocol_versions"`
		} `json:"metadata"`
	}
	name := prefix + "_manifest.json"
	err = json.Unmarshal(rel.files[name], &manifest)
	if err != nil || manifest.Version != 1 || len(manifest.Metadata.ProtocolVersions) == 0 || rel.sums[name] == "" {
		return fmt.Errorf("version %s: %s is missing, not in the checksums, or not a manifest: %w", version, name, err)
	}
	rel.Protocols = manifest.Metadata.ProtocolVersions
	for name := range rel.sums {
		place, isZip := strings.CutSuffix(strings.TrimPrefix(name, prefix+"_"), ".zip")
		if system, arch, ok := strings.Cut(place, "_"); isZip && ok {
			rel.Platforms = append(rel.Platforms, platform{system, arch})
		}
	}
	if len(rel.Platforms) == 0 {
		return fmt.Errorf("version %s has no zip for any platform", version)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.releases = append(r.releases, rel)
	return nil
}

// check returns the checksums by file, and fails unless each file exists and matches its checksum.
func check(sums []byte, files map[string][]byte) (map[string]string, error) {
	listed := map[string]string{}
	for line := range strings.Lines(string(sums)) {
		sum, name, ok := strings.Cut(strings.TrimSpace(line), "  ")
		if !ok {
			return nil, fmt.Errorf("%q is no line of a list of checksums", line)
		}
		file, ok := files[name]
		if !ok {
			return nil, fmt.Errorf("%s is in the checksums, but not there", name)
		}
		if digest := sha256.Sum256(file); hex.EncodeToString(digest[:]) != sum {
			return nil, fmt.Errorf("the checksum of %s is wrong", name)
		}
		listed[name] = sum
	}
	for name := range files {
		if strings.HasSuffix(name, ".zip") && listed[name] == "" {
			return nil, fmt.Errorf("%s is not in the checksums", name)
		}
	}
	return listed, nil
}

// replace replaces a file of a version without any check, as an attacker in the registry, or between it and its user,
// would.
func (r *registry) replace(version, suffix string, change func([]byte) []byte) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, rel := range r.releases {
		for name, file := range rel.files {
			if rel.Version == version && strings.HasSuffix(name, suffix) {
				rel.files[name] = change(slices.Clone(file))
				digest := sha256.Sum256(rel.files[name])
				rel.sums[name] = hex.EncodeToString(digest[:])
				return nil
			}
		}
	}
	return errors.New("no version " + version + " with a file *" + suffix)
}

func (r *registry) find(version string) (release, bool) {
	i := slices.IndexFunc(r.releases, func(rel release) bool { return rel.Version == version })
	if i < 0 {
		return release{}, false
	}
	return r.releases[i], true
}

func (r *registry) download(w http.ResponseWriter, req *http.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	rel, ok := r.find(req.PathValue("version"))
	prefix := "terraform-provider-" + path.Base(r.address) + "_" + rel.Version
	zip := prefix + "_" + req.PathValue("os") + "_" + req.PathValue("arch") + ".zip"
	if !ok || rel.files[zip] == nil {
		http.NotFound(w, req)
		return
	}
	files := "/files/" + rel.Version + "/"
	answer(w, map[string]any{
		"protocols":             rel.Protocols,
		"os":                    req.PathValue("os"),
		"arch":                  req.PathValue("arch"),
		"filename":              zip,
		"download_url":          files + zip,
		"shasums_url":           files + prefix + "_SHA256SUMS",
		"shasums_signature_url": files + prefix + "_SHA256SUMS.sig",
		"shasum":                rel.sums[zip],
		"signing_keys":          map[string][]publicKey{"gpg_public_keys": r.keys},
	})
}

func (r *registry) file(w http.ResponseWriter, req *http.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	rel, _ := r.find(req.PathValue("version"))
	file, ok := rel.files[req.PathValue("file")]
	if !ok {
		http.NotFound(w, req)
		return
	}
	_, _ = w.Write(file) // the client may have closed the connection
}

func answer(w http.ResponseWriter, body any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(body) // the client may have closed the connection
}

// serve serves a handler on loopback until the end of the test, with the certificate for 127.0.0.1 of net/http's own
// tests, which is its own authority. It returns the host and port, and the file with the certificate, for SSL_CERT_FILE
// of clients.
func serve(t testing.TB, handler http.Handler) (host, authority string) {
	t.Helper()
	server := httptest.NewUnstartedServer(handler)
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // a client reports the same
	server.StartTLS()
	t.Cleanup(server.Close)
	authority = filepath.Join(t.TempDir(), "authority.pem")
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	require.NoError(t, os.WriteFile(authority, text, 0o600))
	return server.Listener.Addr().String(), authority
}
