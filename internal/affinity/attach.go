package affinity

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
)

// Binding is the server group of an attachment.
type Binding struct {
	Group     openstack.ServerGroup
	Inherited bool // reports whether the group existed before: it stays when the attachment is destroyed
}

// ownPrefix begins the name of a group if the user gave no name. Random letters follow.
const ownPrefix = "server_group_"

// Attach inherits the group that a policy asks for, or creates it. Only Nova's answer proves that the attachment made a
// group: after a lost answer the error names the group.
func Attach(ctx context.Context, compute *openstack.Compute, policy Policy) (Binding, error) {
	turn, done, err := compute.TakeGroupTurn(ctx)
	if err != nil {
		return Binding{}, err
	}
	defer done()
	inherit, err := Find(ctx, compute, policy, func(string) bool { return false })
	switch {
	case err != nil:
		return Binding{}, err
	case inherit != nil:
		turn.Inherited[inherit.ID] = true
		return Binding{*inherit, true}, nil
	}
	name := cmp.Or(policy.Name, ownPrefix+strings.ToLower(rand.Text()))
	group, err := compute.CreateServerGroup(ctx, name, cmp.Or(policy.Policy, AntiAffinity), policy.MaxServerPerHost)
	if err != nil && lost(err) {
		err = fmt.Errorf("it is not known whether the server group %q was made: %w. Look for it in region %s "+
			"(openstack server group list): if it is there and yours, delete it, or import it as "+
			"<region>/<id>/created. The next apply inherits a group whose name the configuration gives, and such a "+
			"group stays when the attachment is destroyed", name, err, compute.Region)
	}
	return Binding{group, false}, err
}

// Find returns the group that a policy inherits once the groups that leave are gone, or nil if it creates one.
func Find(
	ctx context.Context, compute *openstack.Compute, policy Policy, leaves func(id string) bool,
) (*openstack.ServerGroup, error) {
	if policy.Name == "" && policy.Hint == "" {
		return nil, nil
	}
	groups, err := compute.ServerGroups(ctx)
	if err != nil {
		return nil, err
	}
	return choose(policy, groups, leaves)
}

// lost reports whether Nova may have made the group despite an error: there was no answer, or one that says nothing
// about the group.
func lost(err error) bool {
	answer, ok := errors.AsType[gophercloud.ErrUnexpectedResponseCode](err)
	return !ok || answer.Actual >= http.StatusInternalServerError
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

// Owned reports whether a group belongs to the present project: an admin can read the groups of all projects by their
// ids.
func Owned(ctx context.Context, compute *openstack.Compute, id string) (bool, error) {
	groups, err := compute.ServerGroups(ctx)
	return slices.ContainsFunc(groups, func(g openstack.ServerGroup) bool { return g.ID == id }), err
}
