package registry

import (
	"encoding/pem"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// Serve serves a handler on loopback until the end of the test, with the certificate for 127.0.0.1 of net/http's own
// tests, which is its own authority. It returns the host and port, and the file with the certificate, for SSL_CERT_FILE
// of clients.
func Serve(t testing.TB, handler http.Handler) (host, authority string) {
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
