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
	Inherited bool // the group was there before, and stays when the attachment is destroyed
}

// UnsupportedError says that a region's Nova is too old for a policy.
type UnsupportedError struct {
	Argument        string // that asks for it
	region, feature string
	needs           int // microversion 2.needs
	offered         string
}

func (e *UnsupportedError) Error() string {
	return fmt.Sprintf("%s needs Nova's microversion 2.%d, and region %s offers %s",
		e.feature, e.needs, e.region, e.offered)
}

// LostError says that the answer to a creation was lost, so that nobody knows
// whether the group was made, or whose a group of this name is.
type LostError struct {
	Name string
	Own  bool     // the name is the attachment's own and unpredictable: a group that has it was made by the attachment
	IDs  []string // of the groups that have the name now, sorted; always empty for an own name
	err  error
}

func (e *LostError) Error() string {
	return fmt.Sprintf("it is not known whether the server group %q was made: %v", e.Name, e.err)
}

func (e *LostError) Unwrap() error { return e.err }

// ownPrefix begins the name of a group for which the user gave none. Random
// letters follow.
const ownPrefix = "server_group_"

// Attach inherits the group that a policy asks for, or creates it. Leaving is the
// id of a group that the attachment created and leaves for this one, or "": see
// [choose].
//
// A creation proves that a group is ours in two cases only: Nova answered it, or
// the answer was lost and the group has a name that nobody else can know. So
// after a lost answer a group with a name of the user's is not taken over: the
// error is a [*LostError].
func Attach(ctx context.Context, compute *openstack.Compute, policy Policy, leaving string) (Binding, error) {
	turn, done, err := compute.TakeGroupTurn(ctx)
	if err != nil {
		return Binding{}, err
	}
	defer done()
	chosen, err := decide(ctx, compute, policy, leaving)
	switch {
	case err != nil:
		return Binding{}, err
	case chosen.inherit != nil:
		turn.Inherited[chosen.inherit.ID] = true
		return Binding{*chosen.inherit, true}, nil
	}
	name := cmp.Or(chosen.create, ownPrefix+strings.ToLower(rand.Text()))
	group, err := compute.CreateServerGroup(ctx, name, cmp.Or(policy.Policy, AntiAffinity), policy.MaxServerPerHost)
	if err == nil || !lost(err) {
		return Binding{group, false}, err
	}
	look, stop := afterwards(ctx)
	defer stop()
	found, lookErr := named(look, compute, name)
	own := chosen.create == ""
	switch {
	case lookErr != nil:
		return Binding{}, &LostError{Name: name, Own: own, err: errors.Join(err, lookErr)}
	case len(found) == 0 && !pending(err):
		return Binding{}, err
	case len(found) > 0 && own:
		return Binding{found[0], false}, nil
	}
	missed := &LostError{Name: name, Own: own, err: err}
	for _, g := range found {
		missed.IDs = append(missed.IDs, g.ID)
	}
	return Binding{}, missed
}

// Check returns the group that [Attach] would inherit now, nil for none, or its error, and changes
// nothing.
func Check(
	ctx context.Context, compute *openstack.Compute, policy Policy, leaving string,
) (*openstack.ServerGroup, error) {
	chosen, err := decide(ctx, compute, policy, leaving)
	return chosen.inherit, err
}

// decide looks at the groups that exist, where one is named.
func decide(ctx context.Context, compute *openstack.Compute, policy Policy, leaving string) (decision, error) {
	if err := supported(compute, policy); err != nil {
		return decision{}, err
	}
	if policy.Name == "" && policy.Hint == "" {
		return decision{}, nil
	}
	groups, err := compute.ServerGroups(ctx)
	if err != nil {
		return decision{}, err
	}
	return choose(policy, groups, leaving)
}

// named lists the groups of a name, sorted by id.
func named(ctx context.Context, compute *openstack.Compute, name string) ([]openstack.ServerGroup, error) {
	groups, err := compute.ServerGroups(ctx)
	groups = slices.DeleteFunc(groups, func(g openstack.ServerGroup) bool { return g.Name != name })
	slices.SortFunc(groups, func(a, b openstack.ServerGroup) int { return strings.Compare(a.ID, b.ID) })
	return groups, err
}

// lookTime is how long one more look may take after a cancel. Tests on slow machines
// set a longer one.
var lookTime = 700 * time.Millisecond

// afterwards is a context for one more look after a cancel. It is short, so that
// Terraform ends soon.
func afterwards(ctx context.Context) (context.Context, context.CancelFunc) {
	if ctx.Err() == nil {
		return ctx, func() {}
	}
	return context.WithTimeout(context.WithoutCancel(ctx), lookTime)
}

// supported returns an [*UnsupportedError] where Nova is too old for a policy.
func supported(compute *openstack.Compute, policy Policy) error {
	switch {
	case strings.HasPrefix(policy.Policy, "soft-") && !compute.Offers(openstack.VersionSoftPolicy):
		return &UnsupportedError{"policies", compute.Region, "the policy " + policy.Policy,
			openstack.VersionSoftPolicy, compute.Newest()}
	case policy.MaxServerPerHost > 0 && !compute.Offers(openstack.VersionGroupPolicy):
		return &UnsupportedError{"max_server_per_host", compute.Region, "the rule max_server_per_host",
			openstack.VersionGroupPolicy, compute.Newest()}
	}
	return nil
}

// lost reports whether Nova may have made the group despite an error: no
// answer came, or one that says nothing about it.
func lost(err error) bool {
	answer, ok := errors.AsType[gophercloud.ErrUnexpectedResponseCode](err)
	return !ok || answer.Actual >= http.StatusInternalServerError
}

// pending reports whether Nova may still make the group after an error: no answer came,
// or a proxy gave up waiting for one.
func pending(err error) bool {
	if dial, ok := errors.AsType[*net.OpError](err); ok && dial.Op == "dial" {
		return false // nothing was sent
	}
	answer, ok := errors.AsType[gophercloud.ErrUnexpectedResponseCode](err)
	return !ok || answer.Actual == http.StatusBadGateway || answer.Actual == http.StatusGatewayTimeout
}

// Created is a group that an attachment created: by its id or, where the answer
// to the creation was lost, by the name that only the attachment knew.
type Created struct {
	Region string `json:"region"`
	ID     string `json:"id,omitempty"`
	Name   string `json:"name,omitempty"`
}

// Detach deletes a group that an attachment created. One that does not exist is no
// error. One that another attachment inherited since the process started is kept, and
// kept is true. With create_before_destroy and -replace that happens: the new
// attachment finds the group of the old one by its name and inherits it, a moment
// before the old one is destroyed.
func Detach(ctx context.Context, compute *openstack.Compute, group Created) (kept bool, err error) {
	turn, done, err := compute.TakeGroupTurn(ctx)
	if err != nil {
		return false, err
	}
	defer done()
	if group.ID != "" {
		if turn.Inherited[group.ID] {
			return true, nil
		}
		return false, compute.DeleteServerGroup(ctx, group.ID)
	}
	if !strings.HasPrefix(group.Name, ownPrefix) {
		return false, nil // a name of the user's proves nothing
	}
	found, err := named(ctx, compute, group.Name)
	for _, g := range found {
		err = errors.Join(err, compute.DeleteServerGroup(ctx, g.ID))
	}
	return false, err
}

// Members returns a group and the names of its members, for people: the first
// few of them, see [openstack.Compute.ServerNames]. A group that does not exist
// is nil.
func Members(ctx context.Context, compute *openstack.Compute, id string) (*openstack.ServerGroup, []string, error) {
	group, err := compute.ServerGroup(ctx, id)
	switch {
	case gophercloud.ResponseCodeIs(err, http.StatusNotFound):
		return nil, nil, nil
	case err != nil:
		return nil, nil, err
	}
	slices.Sort(group.Members)
	return &group, compute.ServerNames(ctx, group.Members), nil
}

// Owned reports whether a group is one of the project that is logged in: an
// admin sees those of all projects by their ids.
func Owned(ctx context.Context, compute *openstack.Compute, id string) (bool, error) {
	groups, err := compute.ServerGroups(ctx)
	return slices.ContainsFunc(groups, func(g openstack.ServerGroup) bool { return g.ID == id }), err
}
