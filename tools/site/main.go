// Command site builds the page with the playground and the viewer, and serves it
// on loopback; "make site" runs it from the folder of go.mod.
package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/planview"
)

func main() {
	out := flag.String("out", ".site", "the folder to build into")
	listen := flag.String("serve", "", "the address to serve it on, such as 127.0.0.1:8000; empty: it is only built")
	flag.Parse()
	err := build(*out)
	if err == nil && *listen != "" {
		err = serve(*out, *listen)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "site:", err)
		os.Exit(1)
	}
}

// maxSize is the maximum size in bytes of the compressed planner, which every visitor has to load. A package that
// makes it larger should be left out.
const maxSize = 1_800_000

// build builds the page into a folder, from the folder of go.mod.
func build(out string) error {
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	wasm := filepath.Join(out, "planner.wasm")
	build := []string{"build", "-trimpath", "-ldflags", "-s -w", "-o", wasm, "./site/wasm"}
	compile := exec.Command("go", build...) //nolint:noctx // it ends with this command
	compile.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	if output, err := compile.CombinedOutput(); err != nil {
		return fmt.Errorf("build the planner: %w\n%s", err, output)
	}
	program, err := os.ReadFile(wasm)
	if err != nil {
		return err
	}
	var small bytes.Buffer
	packer, err := gzip.NewWriterLevel(&small, gzip.BestCompression)
	if err != nil {
		return err
	}
	_, err = packer.Write(program)
	if err := errors.Join(err, packer.Close(), os.Remove(wasm)); err != nil {
		return err
	}
	if small.Len() > maxSize {
		return fmt.Errorf("the planner has %d bytes compressed, and should have %d at most", small.Len(), maxSize)
	}
	root, err := exec.Command("go", "env", "GOROOT").Output() //nolint:noctx // it ends with this command
	if err != nil {
		return fmt.Errorf("find Go: %w", err)
	}
	files := map[string][]byte{
		"planner.wasm.gz": small.Bytes(),
		"planview.css":    []byte(planview.CSS + planview.ArticleCSS),
	}
	for name, from := range map[string]string{
		"index.html": "site/index.html", "page.css": "site/page.css", "page.js": "site/page.js",
		"llms.txt": "llms.txt", "llms-full.txt": "llms-full.txt",
		"wasm_exec.js": filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", "wasm_exec.js"),
	} {
		if files[name], err = os.ReadFile(from); err != nil {
			return err
		}
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(out, name), text, 0o644); err != nil {
			return err
		}
	}
	fmt.Printf("%s: the planner has %.1f MB, %.2f MB compressed (%s)\n",
		out, float64(len(program))/1e6, float64(small.Len())/1e6, runtime.Version())
	return nil
}

// serve serves a folder until it is interrupted.
func serve(dir, address string) error {
	listener, err := net.Listen("tcp", address) //nolint:noctx // it ends with this command
	if err != nil {
		return err
	}
	fmt.Printf("http://%s/\n", listener.Addr())
	server := &http.Server{Handler: http.FileServer(http.Dir(dir)), ReadHeaderTimeout: 10 * time.Second}
	return server.Serve(listener)
}
