// Command fetch downloads a program of a release, if the checksum of its zip is known.
//
//	fetch CHECKSUMS URL PROGRAM FILE
//
// It puts PROGRAM of the zip at URL into FILE. CHECKSUMS has a line "SHA256  NAME" for each zip. What does not work is
// said in one line, and nothing is left of it.
package main

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path"
	"regexp"
	"time"
)

const (
	download = 2 * time.Minute
	maxSize  = 200 << 20 // bytes of a zip: OpenTofu has 35 MB
)

func main() {
	if len(os.Args) != 5 {
		fmt.Fprintln(os.Stderr, "usage: fetch CHECKSUMS URL PROGRAM FILE")
		os.Exit(2)
	}
	err := fetch(context.Background(), os.Args[1], os.Args[2], os.Args[3], os.Args[4], 5*time.Second)
	if err != nil {
		fmt.Fprintf(os.Stderr, "not downloaded: %s: %v\n", path.Base(os.Args[2]), err)
		os.Exit(1)
	}
}

// fetch takes no longer than connecting to reach the host, and to get the beginning of its answer.
func fetch(ctx context.Context, checksums, address, program, file string, connecting time.Duration) error {
	known, err := os.ReadFile(checksums)
	if err != nil {
		return err
	}
	sum := regexp.MustCompile(`(?m)^([0-9a-f]{64})  ` + regexp.QuoteMeta(path.Base(address)) + `$`).FindSubmatch(known)
	if sum == nil {
		return fmt.Errorf("%s has no checksum of it", checksums)
	}
	text, err := get(ctx, address, connecting)
	if err != nil {
		return err
	}
	if got := fmt.Sprintf("%x", sha256.Sum256(text)); got != string(sum[1]) {
		return fmt.Errorf("its checksum is %s, and %s has %s", got, checksums, sum[1])
	}
	archive, err := zip.NewReader(bytes.NewReader(text), int64(len(text)))
	if err != nil {
		return err
	}
	in, err := archive.Open(program)
	if err != nil {
		return err
	}
	part := file + ".part"
	out, err := os.OpenFile(part, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o755) //nolint:gosec // it is a program
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in) //nolint:gosec // the checksum is known
	if err = errors.Join(err, out.Close()); err != nil {
		return errors.Join(err, os.Remove(part))
	}
	return os.Rename(part, file)
}

func get(ctx context.Context, address string, connecting time.Duration) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, download)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	client := http.Client{Transport: &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: connecting}).DialContext,
		TLSHandshakeTimeout:   connecting,
		ResponseHeaderTimeout: connecting,
	}}
	response, err := client.Do(request)
	if err != nil {
		return nil, errors.Unwrap(err) // without the address
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, errors.New("the answer is " + response.Status)
	}
	return io.ReadAll(http.MaxBytesReader(nil, response.Body, maxSize))
}
