package main

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// BenchmarkStart starts the provider as Terraform does, up to the line with its address. It also reports the size of
// the binary.
func BenchmarkStart(b *testing.B) {
	binary := filepath.Join(b.TempDir(), "provider")
	build := exec.CommandContext(b.Context(), "go", "build", "-trimpath", "-ldflags=-s -w", "-o", binary, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if output, err := build.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, output)
	}
	for b.Loop() {
		handshake(b, binary)
	}
	info, err := os.Stat(binary)
	require.NoError(b, err)
	b.ReportMetric(float64(info.Size())/(1<<20), "binary-MiB")
}

func handshake(b *testing.B, binary string) {
	b.Helper()
	cmd := exec.CommandContext(b.Context(), binary)
	cmd.Env = append(os.Environ(), "PLUGIN_PROTOCOL_VERSIONS=6",
		"TMPDIR="+filepath.Dir(binary), // folder of its socket
		"TF_PLUGIN_MAGIC_COOKIE=d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2") // the provider starts only with this cookie of Terraform
	stdout, err := cmd.StdoutPipe()
	require.NoError(b, err)
	require.NoError(b, cmd.Start())
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil || !strings.HasPrefix(line, "1|6|unix|") {
		b.Errorf("got %q, %v", line, err)
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait() // it was killed
}
