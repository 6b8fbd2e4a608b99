package openstack

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// Cloud is one cloud and one login to it, shared by all its users. Its methods may be called at the same
// time.
type Cloud struct {
	config    Config
	settings  *settings
	transport *transport
	http      http.Client

	sessions shared[struct{}, *session]
	known    shared[struct{}, []string]
	compute  shared[string, *Compute]
	zones    shared[string, []Zone]
	limits   shared[string, *Limits]
	flavors  shared[[2]string, Flavor]
	images   shared[[2]string, Image]

	flavorLists shared[string, []Flavor]
	imageLists  shared[[2]string, []Image]

	networkLists shared[[3]string, []Network]
	volumes      shared[string, map[string][]int64]
}

// session is a login.
type session struct {
	client    *gophercloud.ProviderClient
	endpoints []endpoint
	others    []endpoint             // endpoints of other interfaces
	tokens    shared[string, string] // tokens that expired, each with the one that replaced it
}

// New prepares a cloud. It reads clouds.yaml and the TLS files, and makes no request. The error is an
// [*ArgumentError] if one argument is wrong, and [ErrNoCloud] if no argument names a cloud.
func New(config Config) (*Cloud, error) {
	resolved, err := config.resolve()
	if err != nil {
		return nil, err
	}
	base := http.DefaultTransport.(*http.Transport).Clone()
	base.TLSClientConfig = resolved.tls
	base.MaxIdleConnsPerHost = mostAtOnce // regions often share a host, and each region needs its own connections
	base.MaxResponseHeaderBytes = largestHeader
	t := &transport{
		base:    base,
		retries: config.MaxRetries,
		timeout: cmp.Or(config.RequestTimeout, defaultTimeout),
		log:     config.Log,
		secrets: []string{
			resolved.auth.Password,
			resolved.auth.TokenID,
			resolved.auth.ApplicationCredentialSecret,
			resolved.auth.Passcode,
		},
		slots: make(chan struct{}, mostAtOnce),
		large: make(chan struct{}, 1),
	}
	t.hosts.Store(&resolved.hosts)
	c := &Cloud{config: config, settings: resolved, transport: t}
	if resolved.auth.TokenID == "" {
		t.relogin = c.relogin
	}
	c.http = http.Client{Transport: t}
	return c, nil
}

// Login logs in, unless that was done before.
func (c *Cloud) Login(ctx context.Context) error {
	_, err := c.session(ctx)
	return err
}

// LoginAdvice says what to do about an error of [Cloud.Login].
func (c *Cloud) LoginAdvice(err error) string {
	answer, answered := errors.AsType[gophercloud.ErrUnexpectedResponseCode](err)
	_, lost := errors.AsType[*url.Error](err)
	switch {
	case lost, answered && answer.Actual/100 != 4:
		return "Keystone did not answer, so nothing is known about the credentials. Check auth_url and what lies in " +
			"between (a network, a proxy, a VPN), or wait until it is up."
	case answered && c.settings.auth.TokenID != "":
		return "Keystone does not take the token: it expired, or was made elsewhere. Make another with \"openstack " +
			"token issue\"."
	}
	return "Check the user, the password and the project, or the application credential, and auth_url: in the " +
		"provider block, in clouds.yaml and in the environment (OS_*). \"openstack token issue\" with the same " +
		"values shows whether they are right."
}

// session logs in on the first call.
func (c *Cloud) session(ctx context.Context) (*session, error) {
	return c.sessions.get(ctx, struct{}{}, func(ctx context.Context) (*session, error) {
		client, err := c.login(ctx)
		if err != nil {
			return nil, err
		}
		client.UseTokenLock()
		client.UserAgent.Prepend(c.config.UserAgent)
		s := &session{client: client}
		// A login that was refused is not repeated.
		s.tokens.passes = func(err error) bool { return !gophercloud.ResponseCodeIs(err, http.StatusUnauthorized) }
		if s.endpoints, s.others, err = c.catalogue(client); err != nil {
			return nil, fmt.Errorf("log in at %s: %w", client.IdentityEndpoint, err)
		}
		trusted := c.settings.hosts
		for _, e := range s.endpoints {
			trusted = trusted.with(e.url)
		}
		c.transport.hosts.Store(&trusted)
		client.EndpointLocator = func(opts gophercloud.EndpointOpts) (string, error) { return c.locate(s, opts) }
		return s, nil
	})
}

// client returns a client for a service of a region.
func (c *Cloud) client(
	ctx context.Context, region string,
	of func(*gophercloud.ProviderClient, gophercloud.EndpointOpts) (*gophercloud.ServiceClient, error),
) (*gophercloud.ServiceClient, error) {
	s, err := c.session(ctx)
	if err != nil {
		return nil, err
	}
	return of(s.client, gophercloud.EndpointOpts{Region: region})
}

// login requests a token from the v3 API below the configured address. It does not read the version document
// to find that API: its links may lead to any host, and the password would be sent there.
func (c *Cloud) login(ctx context.Context) (*gophercloud.ProviderClient, error) {
	options := c.settings.auth
	options.AllowReauth = false // the transport does that, for all requests at once
	client, err := openstack.NewClient(options.IdentityEndpoint)
	if err != nil {
		return nil, fmt.Errorf("auth_url %q: %w", options.IdentityEndpoint, err)
	}
	client.HTTPClient = c.http
	if err := openstack.AuthenticateV3(ctx, client, &options, gophercloud.EndpointOpts{}); err != nil {
		return nil, fmt.Errorf("log in at %s: %w", options.IdentityEndpoint, refusal(err))
	}
	return client, nil
}

// rewordedError is an error in other words.
type rewordedError struct {
	error
	said string
}

func (e *rewordedError) Error() string { return e.said }

func (e *rewordedError) Unwrap() error { return e.error }

// clean removes the control characters of what an error quotes.
func clean(err error) error { return &rewordedError{err, text.CleanLines(err.Error())} }

// refusal says in short what an error says in the words of gophercloud.
func refusal(err error) error {
	answer, ok := errors.AsType[gophercloud.ErrUnexpectedResponseCode](err)
	if !ok {
		return err
	}
	said := fmt.Sprintf("%d %s: %s", answer.Actual, http.StatusText(answer.Actual), text.Cut(string(answer.Body), 300))
	return &rewordedError{err, strings.TrimSuffix(said, ": ")}
}

// relogin replaces a token that expired. Requests that find the same token
// expired share one login, which none of them can cancel for the others.
func (c *Cloud) relogin(ctx context.Context, expired string) (string, error) {
	s, err := c.session(ctx)
	if err != nil {
		return "", err
	}
	if token := s.client.Token(); token != expired {
		return token, nil
	}
	return s.tokens.get(ctx, expired, func(ctx context.Context) (string, error) {
		fresh, err := c.login(ctx)
		if err != nil {
			return "", err
		}
		s.client.CopyTokenFrom(fresh)
		return fresh.Token(), nil
	})
}

// shared makes a call once for all callers that need its result. The call does not belong to the first one: a caller
// that is cancelled stops waiting, and the call goes on, within the timeouts of its requests.
//
// An error is kept like a result, so that a cloud that refuses is not asked again, except for an error that
// passes.
type shared[K comparable, V any] struct {
	passes func(error) bool // reports whether an error passes; nil if no error does

	mu    sync.Mutex
	calls map[K]*call[V]
}

type call[V any] struct {
	done  chan struct{}
	value V
	err   error
}

func (s *shared[K, V]) get(ctx context.Context, key K, fetch func(context.Context) (V, error)) (V, error) {
	c := s.join(ctx, key, fetch)
	select {
	case <-c.done:
		return c.value, c.err
	case <-ctx.Done():
		var none V
		return none, context.Cause(ctx)
	}
}

// join returns the running or finished call for a key, or starts it.
func (s *shared[K, V]) join(ctx context.Context, key K, fetch func(context.Context) (V, error)) *call[V] {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, ok := s.calls[key]
	if !ok {
		if s.calls == nil {
			s.calls = make(map[K]*call[V])
		}
		c = &call[V]{done: make(chan struct{})}
		s.calls[key] = c
		go func() {
			defer close(c.done)
			c.value, c.err = fetch(context.WithoutCancel(ctx))
			if c.err != nil && s.passes != nil && s.passes(c.err) {
				s.mu.Lock()
				defer s.mu.Unlock()
				delete(s.calls, key)
			}
		}()
	}
	return c
}
