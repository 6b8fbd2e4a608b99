package openstack

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	encoding "encoding/pem"
	"errors"
	"io"
	"log"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/terraform-provider-openstack/utils/v2/auth"
)

const cloudsYAML = `
clouds:
  addressless:
    auth: {username: ann, password: secret, project_id: p}
  simple:
    region_name: RegionTwo
    auth: {auth_url: "https://simple.example/v3", username: ann, password: secret, project_name: web, user_domain_name: Default, project_domain_name: Default}
  regional:
    region_name: RegionOne
    verify: false
    interface: internal
    auth: {auth_url: "https://regional.example/v3", username: ann, password: secret, project_id: "42", domain_id: default}
    regions:
      - name: RegionTwo
        values: {auth: {username: tom}}
  credential:
    auth_type: v3applicationcredential
    auth: {auth_url: "https://credential.example/v3", application_credential_id: "7", application_credential_secret: secret}
  leaky:
    auth: {auth_url: "https://ann:secret@leaky.example/v3", username: ann, password: secret, project_id: "42", domain_id: default}
  token:
    auth_type: token
    auth: {auth_url: "https://token.example/v3", token: t-1, username: ann, project_name: web, project_domain_name: Default}
`

// cleanEnvironment hides this machine's OpenStack settings, and sets others.
func cleanEnvironment(t *testing.T, set map[string]string) {
	t.Helper()
	for _, entry := range os.Environ() {
		if name, _, _ := strings.Cut(entry, "="); strings.HasPrefix(name, "OS_") {
			t.Setenv(name, "") // so that the value is restored afterwards
			os.Unsetenv(name)
		}
	}
	for name, value := range set {
		t.Setenv(name, value)
	}
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("clouds.yaml", []byte(cloudsYAML), 0o600))
	require.NoError(t, os.WriteFile("elsewhere.yaml", []byte(strings.ReplaceAll(cloudsYAML, "simple", "moved")), 0o600))
	t.Setenv("HOME", t.TempDir())
}

// TestResolveLikeTheOpenStackProvider compares the resolution of credentials with the helper that
// terraform-provider-openstack logs in with.
//
// Three differences are intended. Credentials that cannot log in are refused here at once, and there only
// when they are used. A user named by id has no domain here; there the default domain stays, and the login
// fails. If an entry of clouds.yaml verifies TLS, insecure is false here and unset there, which means the
// same.
func TestResolveLikeTheOpenStackProvider(t *testing.T) {
	log.SetOutput(io.Discard) // the helper logs
	defer log.SetOutput(os.Stderr)
	const url = "https://keystone.example/v3"
	password := Config{AuthURL: url, UserName: "ann", Password: "secret", TenantName: "web", DomainName: "Default"}
	with := func(change func(*Config)) Config {
		c := password
		change(&c)
		return c
	}
	yes := true
	for _, c := range []struct {
		name   string
		config Config
		env    map[string]string
	}{
		{"password, one domain for both", password, nil},
		{"password, a default domain", with(func(c *Config) { c.DomainName, c.DefaultDomain = "", "default" }), nil},
		{"password, domains apart", with(func(c *Config) {
			c.DomainName, c.UserDomainName, c.ProjectDomainName = "", "people", "projects"
		}), nil},
		{"password, domains by id", with(func(c *Config) { c.DomainName, c.UserDomainID, c.ProjectDomainID = "", "1", "2" }), nil},
		{"user and project by id", Config{AuthURL: url, UserID: "u", Password: "secret", TenantID: "p"}, nil},
		{"user by id, together with the default domain", Config{AuthURL: url, UserID: "u", Password: "secret", TenantID: "p", DefaultDomain: "default"}, nil},
		{"project by id and name", with(func(c *Config) { c.TenantID = "p" }), nil},
		{"domain scope", Config{AuthURL: url, UserID: "u", Password: "secret", DomainName: "Default"}, nil},
		{"token", Config{AuthURL: url, Token: "t-1", TenantName: "web", ProjectDomainName: "Default"}, nil},
		{"token beats user", with(func(c *Config) { c.Token = "t-1" }), nil},
		{"application credential by id", Config{AuthURL: url, ApplicationCredentialID: "7", ApplicationCredentialSecret: "secret"}, nil},
		{"application credential by name",
			Config{AuthURL: url, ApplicationCredentialName: "ci", ApplicationCredentialSecret: "secret", UserName: "ann", UserDomainName: "Default"}, nil},
		{"region and TLS switched off", with(func(c *Config) { c.Region, c.Insecure = "RegionTwo", &yes }), nil},
		{"clouds.yaml", Config{Cloud: "simple"}, nil},
		{"clouds.yaml ignores credentials", Config{Cloud: "simple", AuthURL: url, UserName: "tom", Password: "other"}, nil},
		{"clouds.yaml, another region", Config{Cloud: "simple", Region: "RegionOne"}, nil},
		{"clouds.yaml, a region's own values", Config{Cloud: "regional", Region: "RegionTwo"}, nil},
		{"clouds.yaml, verify: false", Config{Cloud: "regional"}, nil},
		{"clouds.yaml, insecure argument wins", Config{Cloud: "simple", Insecure: &yes}, nil},
		{"clouds.yaml, application credential", Config{Cloud: "credential"}, nil},
		{"clouds.yaml, token", Config{Cloud: "token"}, nil},
		{"a clouds.yaml elsewhere", Config{Cloud: "moved"}, map[string]string{"OS_CLIENT_CONFIG_FILE": "elsewhere.yaml"}},
		{"the environment fills in", Config{AuthURL: url, UserName: "ann"}, map[string]string{
			"OS_PASSWORD": "secret", "OS_PROJECT_NAME": "web", "OS_USER_DOMAIN_NAME": "Default", "OS_PROJECT_DOMAIN_NAME": "Default"}},
		{"the environment names the project twice", Config{AuthURL: url, UserName: "ann", Password: "secret"}, map[string]string{
			"OS_PROJECT_NAME": "web", "OS_PROJECT_ID": "p", "OS_USER_DOMAIN_NAME": "Default"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			cleanEnvironment(t, c.env)
			got, err := c.config.resolve()
			require.NoError(t, err)
			theirs := oracle(c.config)
			require.NoError(t, theirs.LoadAndValidate(t.Context()), "the oracle refuses")
			want := *theirs.AuthOpts
			if want.UserID != "" {
				want.DomainID, want.DomainName = "", ""
			}
			assert.Equal(t, want, got.auth, "credentials")
			assert.Equal(t, theirs.Region, got.region, "region")
			assert.Equal(t, theirs.Insecure != nil && *theirs.Insecure, got.tls.InsecureSkipVerify, "insecure")
		})
	}
}

func oracle(c Config) *auth.Config {
	overrides := map[string]any{}
	for service, url := range c.EndpointOverrides {
		overrides[service] = url
	}
	return &auth.Config{Cloud: c.Cloud, IdentityEndpoint: c.AuthURL, Region: c.Region, Username: c.UserName, UserID: c.UserID, UserDomainName: c.UserDomainName,
		UserDomainID: c.UserDomainID, TenantName: c.TenantName, TenantID: c.TenantID, ProjectDomainName: c.ProjectDomainName,
		ProjectDomainID: c.ProjectDomainID, DomainName: c.DomainName, DomainID: c.DomainID, DefaultDomain: c.DefaultDomain, Password: c.Password,
		Token: c.Token, ApplicationCredentialID: c.ApplicationCredentialID, ApplicationCredentialName: c.ApplicationCredentialName,
		ApplicationCredentialSecret: c.ApplicationCredentialSecret, AuthOpts: &gophercloud.AuthOptions{Scope: &gophercloud.AuthScope{}},
		Insecure: c.Insecure, CACertFile: c.CACertFile, ClientCertFile: c.Cert, ClientKeyFile: c.Key, EndpointType: c.EndpointType,
		EndpointOverrides: overrides, DelayedAuth: true}
}

func TestResolveRefuses(t *testing.T) {
	const url = "https://keystone.example/v3"
	with := func(change func(*Config)) Config {
		c := Config{AuthURL: url, UserID: "u", Password: "secret", TenantID: "p"}
		change(&c)
		return c
	}
	for name, c := range map[string]struct {
		config   Config
		argument string
		text     string
	}{
		"nothing":                    {Config{}, "", ErrNoCloud.Error()},
		"unknown cloud":              {Config{Cloud: "elsewhere"}, "cloud", "/clouds.yaml has addressless, credential, leaky, regional, simple, token."},
		"a cloud without an address": {Config{Cloud: "addressless"}, "cloud", `Cloud "addressless" has no auth_url: write it under auth. The file `},
		"a user and a credential": {with(func(c *Config) { c.ApplicationCredentialID, c.ApplicationCredentialSecret = "7", "secret" }),
			"application_credential_id", "unset OS_PASSWORD, or OS_APPLICATION_CREDENTIAL_ID"},
		"Keystone v2":               {with(func(c *Config) { c.AuthURL = "https://keystone.example/v2.0/" }), "auth_url", "end it in /v3"},
		"a comma":                   {with(func(c *Config) { c.AuthURL += "," }), "auth_url", "belongs to no address"},
		"a federated login":         {Config{AuthURL: url, AuthType: "v3oidcpassword"}, "token", `A login of the type "v3oidcpassword"`},
		"nobody":                    {Config{AuthURL: url}, "user_name", "No user is given"},
		"no password":               {Config{AuthURL: url, UserName: "ann", DomainName: "Default"}, "password", "has no password"},
		"no domain":                 {Config{AuthURL: url, UserName: "ann", Password: "secret"}, "user_domain_name", `The user "ann" belongs to a domain`},
		"user by name and id":       {Config{AuthURL: url, UserName: "ann", UserID: "u", Password: "secret"}, "user_id", "The user is named twice"},
		"credential without secret": {Config{AuthURL: url, ApplicationCredentialID: "7"}, "application_credential_secret", "needs its secret"},
		"certificate without key": {Config{AuthURL: url, UserID: "u", Password: "secret", TenantID: "p", Cert: "c.pem"}, "cert",
			"needs both cert and key"},
		"a CA file that is not there": {with(func(c *Config) { c.CACertFile = "none.pem" }), "cacert_file",
			"neither PEM text nor the path of a file that can be read: no such file"},
		"a CA file without a PEM": {with(func(c *Config) { c.CACertFile = "clouds.yaml" }), "cacert_file", "There is no certificate in it"},
		"a CA text that is cut": {with(func(c *Config) { c.CACertFile = "-----BEGIN CERTIFICATE-----\nMII" }), "cacert_file",
			"There is no certificate in it"},
		"a key that is not there": {with(func(c *Config) { c.Cert, c.Key = "clouds.yaml", "~/none.key" }), "key", "can be read: no such file"},
		"a key that is none": {with(func(c *Config) { c.Cert, c.Key = "clouds.yaml", "-----BEGIN secret" }), "cert",
			"cannot be used: tls: failed to find any PEM data in certificate input."},
		"a password in the address": {with(func(c *Config) { c.AuthURL = "https://ann:secret@keystone.example" }), "auth_url",
			"no user name and no password in it"},
		"no address":                {with(func(c *Config) { c.AuthURL = "keystone" }), "auth_url", "must begin with https://"},
		"a password in clouds.yaml": {Config{Cloud: "leaky"}, "cloud", "no user name and no password in it"},
		"a password in an override": {with(func(c *Config) { c.EndpointOverrides = map[string]string{"compute": "https://a:secret@nova"} }),
			"endpoint_overrides", "no user name and no password in it"},
		"too many retries":             {with(func(c *Config) { c.MaxRetries = 1001 }), "max_retries", "at most 1000 times, not 1001"},
		"no end of time":               {with(func(c *Config) { c.RequestTimeout = 25 * time.Hour }), "request_timeout", "86400 seconds"},
		"less than no time":            {with(func(c *Config) { c.RequestTimeout = -1 }), "request_timeout", "86400 seconds"},
		"an endpoint type of its own":  {Config{AuthURL: url, EndpointType: "private"}, "endpoint_type", `"private" is not one of`},
		"a negative number of retries": {Config{AuthURL: url, MaxRetries: -1}, "max_retries", "not -1"},
		"a project name without domain": {Config{AuthURL: url, UserID: "u", Password: "secret", TenantName: "web"}, "project_domain_name",
			`The project "web" belongs`},
	} {
		t.Run(name, func(t *testing.T) {
			cleanEnvironment(t, nil)
			_, err := c.config.resolve()
			require.ErrorContains(t, err, c.text)
			var argument *ArgumentError
			if errors.As(err, &argument) != (c.argument != "") || argument != nil && argument.Argument != c.argument {
				t.Errorf("got %#v, want a fault of %q", err, c.argument)
			}
			for _, secret := range []string{c.config.Password, c.config.ApplicationCredentialSecret, "secret@"} {
				assert.False(t, secret != "" && strings.Contains(err.Error(), secret), "the error shows a secret: %v", err)
			}
		})
	}
}

// TestClientCertificate: certificate and key are PEM text, or paths of files, which may be in the home
// directory.
func TestClientCertificate(t *testing.T) {
	cleanEnvironment(t, nil)
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	require.NoError(t, err)
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	require.NoError(t, err)
	block := func(kind string, der []byte) string {
		return string(encoding.EncodeToMemory(&encoding.Block{Type: kind, Bytes: der}))
	}
	cert, private := block("CERTIFICATE", der), block("PRIVATE KEY", secret)
	home, err := os.UserHomeDir()
	require.NoError(t, err)
	for name, text := range map[string]string{"cert.pem": cert, "key.pem": private} {
		require.NoError(t, os.WriteFile(filepath.Join(home, name), []byte(text), 0o600))
	}
	for _, c := range []Config{
		{Cert: cert, Key: private},
		{Cert: filepath.Join(home, "cert.pem"), Key: private},
		{Cert: "~/cert.pem", Key: "~/key.pem"},
		{Cert: "\n" + cert + "\n", Key: " " + private},
	} {
		got, err := c.tls()
		if err != nil || len(got.Certificates) != 1 || string(got.Certificates[0].Certificate[0]) != string(der) {
			t.Errorf("cert %.20q: got %v, %v", c.Cert, got, err)
		}
	}
	raw := base64.StdEncoding.EncodeToString(secret) // base64 without PEM around it
	if _, err := (Config{Cert: cert, Key: raw}).tls(); err == nil || strings.Contains(err.Error(), raw[:20]) {
		t.Errorf("got %v", err)
	}
	if got, err := (Config{}).tls(); err != nil || got.InsecureSkipVerify || got.MinVersion != tls.VersionTLS12 || got.RootCAs != nil {
		t.Errorf("got %+v, %v", got, err)
	}
}
