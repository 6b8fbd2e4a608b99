package affinity

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
)

// Binding is an attachment's hold on a server group.
type Binding struct {
	Group     openstack.ServerGroup
	Inherited bool // the group was there before, and stays when the attachment goes
}

// UnsupportedError says that a region's Nova is too old for a policy.
type UnsupportedError struct {
	Region, Feature string
	Needs           int // microversion 2.Needs
	Offered         string
}

func (e *UnsupportedError) Error() string {
	return fmt.Sprintf("%s needs Nova's microversion 2.%d, and region %s offers %s", e.Feature, e.Needs, e.Region, e.Offered)
}

// LostError says that the answer to a creation was lost, and that it cannot be
// told now whether the group was made. It has this name if it was.
type LostError struct {
	Name string
	err  error
}

func (e *LostError) Error() string {
	return fmt.Sprintf("whether the server group %q was made is not known: %v", e.Name, e.err)
}

func (e *LostError) Unwrap() error { return e.err }

// Attach inherits the group that a policy asks for, or creates it. UserID is
// who is logged in.
//
// A creation whose answer is lost is looked for before anybody tries again, so
// that no group is made twice and none is left behind: a group that has the
// name, was not there before, and is ours and empty is the one that was made.
func Attach(ctx context.Context, compute *openstack.Compute, userID string, policy Policy) (Binding, error) {
	decision, err := decide(ctx, compute, policy, "")
	switch {
	case err != nil:
		return Binding{}, err
	case decision.Inherit != nil:
		return Binding{*decision.Inherit, true}, nil
	}
	name := cmp.Or(decision.Create, "server_group_"+strings.ToLower(rand.Text()))
	group, err := compute.CreateServerGroup(ctx, name, policy.Policy, policy.MaxServerPerHost)
	if err == nil || !lost(err) {
		return Binding{group, false}, err
	}
	look, stop := afterwards(ctx)
	defer stop()
	found, lookErr := Find(look, compute, userID, name, policy)
	switch {
	case lookErr != nil:
		return Binding{}, &LostError{name, errors.Join(err, lookErr)}
	case found == nil && decision.Create == "" && pending(err):
		return Binding{}, &LostError{name, err} // looked for again, for nobody else makes a group of this name
	case found == nil:
		return Binding{}, err
	}
	return Binding{*found, false}, nil
}

// Check finds out what [Attach] would stumble on now, and changes nothing. The
// group going, by its id, will be gone by then.
func Check(ctx context.Context, compute *openstack.Compute, policy Policy, going string) error {
	_, err := decide(ctx, compute, policy, going)
	return err
}

// decide looks at the groups that exist, where one is named.
func decide(ctx context.Context, compute *openstack.Compute, policy Policy, going string) (Decision, error) {
	if err := supported(compute, policy); err != nil {
		return Decision{}, err
	}
	if policy.Name == "" && policy.Hint == "" {
		return Decision{}, nil
	}
	groups, err := compute.ServerGroups(ctx)
	if err != nil {
		return Decision{}, err
	}
	groups = slices.DeleteFunc(groups, func(g openstack.ServerGroup) bool { return g.ID == going })
	return Decide(policy, groups)
}

// afterwards is a context to look once more. Who cancelled is not kept waiting.
func afterwards(ctx context.Context) (context.Context, context.CancelFunc) {
	if ctx.Err() == nil {
		return ctx, func() {}
	}
	return context.WithTimeout(context.WithoutCancel(ctx), 700*time.Millisecond)
}

// supported tells whether Nova knows what the policy asks for.
func supported(compute *openstack.Compute, policy Policy) error {
	switch {
	case strings.HasPrefix(policy.Policy, "soft-") && !compute.Offers(openstack.VersionSoftPolicy):
		return &UnsupportedError{compute.Region, "the policy " + policy.Policy, openstack.VersionSoftPolicy, compute.Newest()}
	case policy.MaxServerPerHost > 0 && !compute.Offers(openstack.VersionGroupPolicy):
		return &UnsupportedError{compute.Region, "the rule max_server_per_host", openstack.VersionGroupPolicy, compute.Newest()}
	}
	return nil
}

// lost tells an error after which Nova may have made the group all the same:
// no answer came, or one that says nothing of it.
func lost(err error) bool {
	answer, ok := errors.AsType[gophercloud.ErrUnexpectedResponseCode](err)
	return !ok || answer.Actual >= http.StatusInternalServerError
}

// pending tells an error after which Nova may still make the group: nobody
// answered, or a proxy that had waited long enough.
func pending(err error) bool {
	if dial, ok := errors.AsType[*net.OpError](err); ok && dial.Op == "dial" {
		return false // nothing was sent
	}
	answer, ok := errors.AsType[gophercloud.ErrUnexpectedResponseCode](err)
	return !ok || answer.Actual == http.StatusBadGateway || answer.Actual == http.StatusGatewayTimeout
}

// Find looks for the group that a lost creation made: it has the name and the
// rules, is empty, and its user is the one who is logged in. Two of that kind
// are an error, for one of them is not ours.
func Find(ctx context.Context, compute *openstack.Compute, userID, name string, policy Policy) (*openstack.ServerGroup, error) {
	groups, err := compute.ServerGroups(ctx)
	if err != nil {
		return nil, err
	}
	groups = slices.DeleteFunc(groups, func(g openstack.ServerGroup) bool {
		return g.Name != name || g.Policy != policy.Policy || g.MaxServerPerHost != policy.MaxServerPerHost && policy.MaxServerPerHost != 0 ||
			len(g.Members) > 0 || g.UserID != userID && g.UserID != "" && userID != ""
	})
	switch len(groups) {
	case 0:
		return nil, nil
	case 1:
		return &groups[0], nil
	}
	return nil, fmt.Errorf("%d server groups named %q are empty and may be the one that was made: delete what is too much", len(groups), name)
}

// Detach deletes the group that an attachment created. A group that is gone is
// no error; one whose id is not known, for its creation's answer was lost, is
// looked for by its name. The warning names servers that still were members.
func Detach(ctx context.Context, compute *openstack.Compute, userID, id, name string, policy Policy) (warning string, err error) {
	if id == "" {
		found, err := Find(ctx, compute, userID, name, policy)
		if err != nil || found == nil {
			return "", err
		}
		id = found.ID
	}
	group, err := compute.ServerGroup(ctx, id)
	switch {
	case gophercloud.ResponseCodeIs(err, http.StatusNotFound):
		return "", nil
	case err != nil:
		return "", err
	}
	if err := compute.DeleteServerGroup(ctx, id); err != nil {
		return "", err
	}
	if len(group.Members) > 0 {
		warning = fmt.Sprintf("The server group %q is deleted, and %d servers that were in it run on without it: %s.",
			group.Name, len(group.Members), strings.Join(compute.ServerNames(ctx, group.Members), ", "))
	}
	return warning, nil
}
