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

// Binding is the server group of an attachment.
type Binding struct {
	Group     openstack.ServerGroup
	Inherited bool // reports whether the group existed before: it stays when the attachment is destroyed
}

// LostError means that there was no answer to a creation. It is not known whether the group was made, or who made a
// group with this name.
type LostError struct {
	Name string
	IDs  []string // ids of the groups that have the name now, sorted
	err  error
}

func (e *LostError) Error() string {
	return fmt.Sprintf("it is not known whether the server group %q was made: %v", e.Name, e.err)
}

func (e *LostError) Unwrap() error { return e.err }

// ownPrefix begins the name of a group if the user gave no name. Random letters follow.
const ownPrefix = "server_group_"

// Attach inherits the group that a policy asks for, or creates it.
//
// A creation proves only in two cases that the attachment made a group: Nova answered it, or the answer was lost and
// the group has a name that nobody else can know. So after a lost answer a group with the user's name is not used,
// and the error is a [*LostError].
func Attach(ctx context.Context, compute *openstack.Compute, policy Policy) (Binding, error) {
	turn, done, err := compute.TakeGroupTurn(ctx)
	if err != nil {
		return Binding{}, err
	}
	defer done()
	chosen, err := decide(ctx, compute, policy, func(string) bool { return false })
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
	switch {
	case lookErr != nil:
		return Binding{}, &LostError{Name: name, err: errors.Join(err, lookErr)}
	case len(found) == 0 && !pending(err):
		return Binding{}, err
	case len(found) > 0 && chosen.create == "":
		return Binding{found[0], false}, nil
	}
	missed := &LostError{Name: name, err: err}
	for _, g := range found {
		missed.IDs = append(missed.IDs, g.ID)
	}
	return Binding{}, missed
}

// Check returns the group that [Attach] would inherit once the groups that leave are gone, nil for none, or its error,
// and changes nothing.
func Check(
	ctx context.Context, compute *openstack.Compute, policy Policy, leaves func(id string) bool,
) (*openstack.ServerGroup, error) {
	chosen, err := decide(ctx, compute, policy, leaves)
	return chosen.inherit, err
}

// decide looks at the existing groups if the policy names one.
func decide(
	ctx context.Context, compute *openstack.Compute, policy Policy, leaves func(id string) bool,
) (decision, error) {
	if policy.Name == "" && policy.Hint == "" {
		return decision{}, nil
	}
	groups, err := compute.ServerGroups(ctx)
	if err != nil {
		return decision{}, err
	}
	return choose(policy, groups, leaves)
}

// named lists the groups that have a name, sorted by id.
func named(ctx context.Context, compute *openstack.Compute, name string) ([]openstack.ServerGroup, error) {
	groups, err := compute.ServerGroups(ctx)
	groups = slices.DeleteFunc(groups, func(g openstack.ServerGroup) bool { return g.Name != name })
	slices.SortFunc(groups, func(a, b openstack.ServerGroup) int { return strings.Compare(a.ID, b.ID) })
	return groups, err
}

// lookTime is the maximum time for one more look after a cancel. Tests on slow machines set a longer one.
var lookTime = 700 * time.Millisecond

// afterwards returns a context for one more look after a cancel. It is short, so that Terraform ends soon.
func afterwards(ctx context.Context) (context.Context, context.CancelFunc) {
	if ctx.Err() == nil {
		return ctx, func() {}
	}
	return context.WithTimeout(context.WithoutCancel(ctx), lookTime)
}

// lost reports whether Nova may have made the group despite an error: there was no answer, or an answer that says
// nothing about the group.
func lost(err error) bool {
	answer, ok := errors.AsType[gophercloud.ErrUnexpectedResponseCode](err)
	return !ok || answer.Actual >= http.StatusInternalServerError
}

// pending reports whether Nova may still make the group after an error: there was no answer, or a proxy gave up
// waiting for it.
func pending(err error) bool {
	if dial, ok := errors.AsType[*net.OpError](err); ok && dial.Op == "dial" {
		return false // the request was not sent
	}
	answer, ok := errors.AsType[gophercloud.ErrUnexpectedResponseCode](err)
	return !ok || answer.Actual == http.StatusBadGateway || answer.Actual == http.StatusGatewayTimeout
}

// Detach deletes a group that an attachment created. It succeeds if the group does not exist. It keeps a group that
// another attachment has inherited since the process started, and then returns true for kept. That happens with
// create_before_destroy and -replace: the new attachment finds the group of the old one by its name and inherits it,
// a moment before the old attachment is destroyed.
func Detach(ctx context.Context, compute *openstack.Compute, id string) (kept bool, err error) {
	turn, done, err := compute.TakeGroupTurn(ctx)
	if err != nil {
		return false, err
	}
	defer done()
	if turn.Inherited[id] {
		return true, nil
	}
	return false, compute.DeleteServerGroup(ctx, id)
}

// Members returns the names of the first few members of a group, for people: see [openstack.Compute.ServerNames]. It
// returns none of a group that cannot be read.
func Members(ctx context.Context, compute *openstack.Compute, id string) []string {
	if id == "" {
		return nil
	}
	group, err := compute.ServerGroup(ctx, id)
	if err != nil {
		return nil
	}
	slices.Sort(group.Members)
	return compute.ServerNames(ctx, group.Members)
}

// Owned reports whether a group belongs to the present project: an admin can read the groups of all projects by their
// ids.
func Owned(ctx context.Context, compute *openstack.Compute, id string) (bool, error) {
	groups, err := compute.ServerGroups(ctx)
	return slices.ContainsFunc(groups, func(g openstack.ServerGroup) bool { return g.ID == id }), err
}
