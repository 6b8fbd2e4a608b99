// Package openstack logs in to a cloud, on the first request, and makes the few calls that the policies need.
//
// Clients are built per region and microversion and never change afterwards. Every request honours its
// context and has a timeout. It is repeated at most as often as the configuration says, and only if repeating
// is safe.
package openstack

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/utils/v2/openstack/clientconfig"
)

// Config is the cloud and the credentials. Its fields are the arguments of the provider block, completed from
// the environment.
type Config struct {
	Cloud    string // entry of clouds.yaml; it replaces all credentials below
	AuthURL  string
	AuthType string // value of OS_AUTH_TYPE; used only to refuse types of login that are not possible here
	Region   string

	UserName, UserID, UserDomainName, UserDomainID                                  string
	TenantName, TenantID, ProjectDomainName, ProjectDomainID                        string
	DomainName, DomainID, DefaultDomain                                             string
	Password, Token                                                                 string
	ApplicationCredentialID, ApplicationCredentialName, ApplicationCredentialSecret string

	Insecure              *bool
	CACertFile, Cert, Key string // path of a file, or PEM text

	EndpointType      string            // public, internal or admin
	EndpointOverrides map[string]string // URL, or another service type, by service type
	MaxRetries        int
	RequestTimeout    time.Duration // timeout of one try; 0 means a minute

	UserAgent string
	Log       func(ctx context.Context, message string, fields map[string]any) // called once for each request; or nil
}

// ArgumentError is a fault in one argument of the provider block.
type ArgumentError struct {
	Argument string
	Fault    string
}

func (e *ArgumentError) Error() string { return e.Argument + ": " + e.Fault }

func fault(argument, format string, args ...any) error {
	return &ArgumentError{argument, fmt.Sprintf(format, args...)}
}

// ErrNoCloud means that neither the configuration nor the environment names a cloud.
var ErrNoCloud = errors.New("no cloud is configured: set auth_url or cloud in the provider block, or OS_AUTH_URL or " +
	"OS_CLOUD in the environment")

// settings is a Config that is completed from clouds.yaml.
type settings struct {
	auth   gophercloud.AuthOptions
	region string
	tls    *tls.Config
	hosts  hosts // hosts that the user named
}

// endpointTypes are the spellings of gophercloud's three availabilities.
var endpointTypes = []string{"", "public", "publicURL", "internal", "internalURL", "admin", "adminURL"}

// resolve reads clouds.yaml and checks the credentials. It makes no request. Credentials resolve as in
// terraform-provider-openstack, so that its provider block can be copied.
func (c Config) resolve() (*settings, error) {
	switch {
	case c.AuthURL == "" && c.Cloud == "":
		return nil, ErrNoCloud
	case c.MaxRetries < 0:
		return nil, fault("max_retries", "A number of retries is 0 or more, not %d.", c.MaxRetries)
	case c.MaxRetries > MostRetries:
		return nil, fault("max_retries", "A request is repeated at most %d times, not %d.", MostRetries, c.MaxRetries)
	case c.RequestTimeout < 0 || c.RequestTimeout > LongestTimeout:
		return nil, fault("request_timeout", "The time for an answer is at most %s (%d seconds).", LongestTimeout,
			LongestTimeout/time.Second)
	case !slices.Contains(endpointTypes, c.EndpointType):
		return nil, fault("endpoint_type", "%q is not one of public, internal and admin.", c.EndpointType)
	}
	opts := &clientconfig.ClientOpts{Cloud: c.Cloud}
	if c.Cloud != "" {
		opts.RegionName = c.Region // a region's values in clouds.yaml override the cloud's
		entry, err := clientconfig.GetCloudFromYAML(opts)
		if err != nil {
			return nil, fault("cloud", "Cloud %q, which the argument cloud or OS_CLOUD names: %s. %s", c.Cloud, err,
				cloudsFile())
		}
		if c = c.filledFrom(entry); c.AuthURL == "" {
			return nil, fault("cloud", "Cloud %q has no auth_url: write it under auth. %s", c.Cloud, cloudsFile())
		}
	} else {
		opts.AuthInfo = c.authInfo()
	}
	options, err := clientconfig.AuthOptions(opts)
	if err != nil {
		return nil, fmt.Errorf("credentials: %w", err)
	}
	if options.IdentityEndpoint == "" {
		options.IdentityEndpoint = c.AuthURL
	}
	trusted, err := c.trusted(options.IdentityEndpoint)
	if err != nil {
		return nil, err
	}
	if options.UserID != "" {
		// The id is unambiguous. gophercloud refuses it together with a domain, and default_domain, which is
		// never empty, sets one.
		options.DomainID, options.DomainName = "", ""
	}
	if err := checkCredentials(options, c.AuthType); err != nil {
		return nil, err
	}
	if (c.Cert == "") != (c.Key == "") {
		return nil, &ArgumentError{"cert", "A client certificate needs both cert and key."}
	}
	config, err := c.tls()
	if err != nil {
		return nil, err
	}
	return &settings{auth: *options, region: c.Region, tls: config, hosts: trusted}, nil
}

// trusted checks the addresses that the user named and allows credentials to be sent to them. No other
// address is trusted before the catalogue is known.
func (c Config) trusted(authURL string) (hosts, error) {
	argument := "auth_url"
	if c.Cloud != "" {
		argument = "cloud" // the entry in clouds.yaml has the address
	}
	if wrong := addressFault(authURL); wrong != "" {
		return nil, &ArgumentError{argument, wrong}
	}
	if strings.Contains(authURL, "/v2.0") {
		return nil, fault(argument, "%q is the address of Keystone v2, which is not supported: end it in /v3.", authURL)
	}
	trusted := hosts(nil).with(authURL)
	for _, service := range slices.Sorted(maps.Keys(c.EndpointOverrides)) {
		address := c.EndpointOverrides[service]
		if !strings.Contains(address, "://") {
			continue // the value is another service type
		}
		if wrong := addressFault(address); wrong != "" {
			return nil, &ArgumentError{"endpoint_overrides", wrong}
		}
		trusted = trusted.with(address)
	}
	return trusted, nil
}

// addressFault returns what is wrong with an address of the configuration, or "". It refuses an address with a
// password, which each message about a request would show, and does not repeat it.
func addressFault(address string) string {
	if strings.Contains(address, "@") {
		return "An address has no user name and no password in it: use the arguments user_name and password."
	}
	if strings.Trim(address, ` ,;'"`) != address {
		return fmt.Sprintf("%.200q begins or ends with a character that belongs to no address.", address)
	}
	u, err := url.Parse(address)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return fmt.Sprintf("%.200q is not the address of a service: "+
			"it must begin with https:// (or http://) and a host.", address)
	}
	return ""
}

// cloudsFile describes which file was read, and which clouds it has.
func cloudsFile() string {
	file, _, err := clientconfig.FindAndReadCloudsYAML()
	if err != nil {
		return "The file that OS_CLIENT_CONFIG_FILE names is looked for, then clouds.yaml in the working directory, " +
			"in ~/.config/openstack and in /etc/openstack."
	}
	clouds, _ := clientconfig.LoadCloudsYAML() // empty if the file is broken, which an earlier error reports
	names := strings.Join(slices.Sorted(maps.Keys(clouds)), ", ")
	return fmt.Sprintf("The file %s has %s.", file, cmp.Or(names, "no cloud that can be read"))
}

// filledFrom completes the arguments that are not set from an entry of clouds.yaml.
func (c Config) filledFrom(entry *clientconfig.Cloud) Config {
	for _, f := range []struct {
		argument *string
		entry    string
	}{
		{&c.Region, entry.RegionName}, {&c.CACertFile, entry.CACertFile}, {&c.AuthType, string(entry.AuthType)},
		{&c.Cert, entry.ClientCertFile}, {&c.Key, entry.ClientKeyFile},
	} {
		if *f.argument == "" {
			*f.argument = f.entry
		}
	}
	if c.Insecure == nil && entry.Verify != nil {
		c.Insecure = new(!*entry.Verify)
	}
	if c.AuthURL == "" && entry.AuthInfo != nil {
		c.AuthURL = entry.AuthInfo.AuthURL
	}
	return c
}

func (c Config) authInfo() *clientconfig.AuthInfo {
	return &clientconfig.AuthInfo{
		AuthURL: c.AuthURL, Token: c.Token,
		Username: c.UserName, UserID: c.UserID, Password: c.Password,
		UserDomainName: c.UserDomainName, UserDomainID: c.UserDomainID,
		ProjectName: c.TenantName, ProjectID: c.TenantID,
		ProjectDomainName: c.ProjectDomainName, ProjectDomainID: c.ProjectDomainID,
		DomainName: c.DomainName, DomainID: c.DomainID, DefaultDomain: c.DefaultDomain,
		ApplicationCredentialID:     c.ApplicationCredentialID,
		ApplicationCredentialName:   c.ApplicationCredentialName,
		ApplicationCredentialSecret: c.ApplicationCredentialSecret,
	}
}

// federated matches the types of login that need a service other than Keystone.
var federated = regexp.MustCompile("oidc|saml|adfs|kerberos|oauth")

// checkCredentials finds credentials that are missing or contradict each other, before anything is sent.
// gophercloud finds other faults when it builds the login request.
func checkCredentials(options *gophercloud.AuthOptions, authType string) error {
	credential := options.ApplicationCredentialID != "" || options.ApplicationCredentialName != ""
	switch {
	case credential && options.ApplicationCredentialSecret == "":
		return &ArgumentError{"application_credential_secret", "An application credential needs its secret."}
	case credential && options.Password != "":
		return fault("application_credential_id", "A login takes a password or an application credential, and both "+
			"are given. Remove one of them, in the environment too: unset OS_PASSWORD, or "+
			"OS_APPLICATION_CREDENTIAL_ID, _NAME and _SECRET.")
	case options.TokenID == "" && !credential && federated.MatchString(authType):
		return fault("token", "A login of the type %q, as OS_AUTH_TYPE or clouds.yaml have it, is not possible here. "+
			"Give a token, from \"openstack token issue\", or an application credential.", authType)
	case options.TokenID == "" && !credential && options.UserID == "" && options.Username == "":
		return fault("user_name", "No user is given to log in with: give user_name and password, a token, or an "+
			"application credential.")
	case options.TokenID == "" && !credential && options.Password == "":
		return fault("password", "The user has no password: give one, or a token, or an application credential.")
	case options.UserID != "" && options.Username != "":
		return fault("user_id", "The user is named twice, as user_id %q and user_name %q: give one of them.",
			options.UserID, options.Username)
	case options.Username != "" && options.DomainID == "" && options.DomainName == "":
		return fault("user_domain_name", "The user %q belongs to a domain, which is not named: "+
			"give user_domain_name (often Default) or user_domain_id.", options.Username)
	case options.Scope.ProjectName != "" && options.Scope.DomainID == "" && options.Scope.DomainName == "":
		return fault("project_domain_name", "The project %q belongs to a domain, which is not named: "+
			"give project_domain_name (often Default) or project_domain_id.", options.Scope.ProjectName)
	}
	scope, err := options.ToTokenV3ScopeMap()
	if err == nil {
		_, err = options.ToTokenV3CreateMap(scope)
	}
	if err != nil {
		return fmt.Errorf("credentials: %w", err)
	}
	return nil
}

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
