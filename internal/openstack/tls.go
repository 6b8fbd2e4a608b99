package openstack

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// tls makes the TLS settings. Each of the three arguments is the path of a file or PEM text, as in
// terraform-provider-openstack.
func (c Config) tls() (*tls.Config, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12, InsecureSkipVerify: c.Insecure != nil && *c.Insecure}
	if c.CACertFile != "" {
		text, fault := PEM(c.CACertFile)
		config.RootCAs = x509.NewCertPool()
		if fault == "" && !config.RootCAs.AppendCertsFromPEM(text) {
			fault = "There is no certificate in it: it must be the path of a PEM file, or PEM text."
		}
		if fault != "" {
			return nil, &ArgumentError{"cacert_file", fault}
		}
	}
	if c.Cert == "" && c.Key == "" {
		return config, nil
	}
	cert, fault := PEM(c.Cert)
	if fault != "" {
		return nil, &ArgumentError{"cert", fault}
	}
	key, fault := PEM(c.Key)
	if fault != "" {
		return nil, &ArgumentError{"key", fault}
	}
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		return nil, &ArgumentError{"cert", fmt.Sprintf("The client certificate and its key cannot be used: %s.", err)}
	}
	config.Certificates = []tls.Certificate{pair}
	return config, nil
}

// PEM returns PEM text, or reads it from a file, which may be in the home directory (~/). The value may be a
// key in another format, so no fault repeats it.
func PEM(value string) (text []byte, fault string) {
	if strings.Contains(value, "-----BEGIN") {
		return []byte(strings.TrimSpace(value)), ""
	}
	path := value
	if rest, ok := strings.CutPrefix(value, "~/"); ok {
		home, err := os.UserHomeDir()
		if err != nil {
			return nil, fmt.Sprintf("The home directory is not known: %s.", err)
		}
		path = filepath.Join(home, rest)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		if inner := errors.Unwrap(err); inner != nil {
			err = inner // without the path
		}
		return nil, fmt.Sprintf("It is neither PEM text nor the path of a file that can be read: %s.", err)
	}
	return text, ""
}
