package openstack

import (
	"cmp"
	"context"
	"fmt"
	"net/http"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/servergroups"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// ServerGroup is a server group, in whatever microversion it was read.
type ServerGroup struct {
	ID, Name, Policy string
	MaxServerPerHost int      // rule of anti-affinity; 0 without such a rule
	Members          []string // ids of the servers that are not deleted
}

// GroupTurn is held while server groups of a region are searched, and one is created, inherited or deleted:
// two resources that want one name in one apply get one group.
type GroupTurn struct {
	// Inherited has the ids of the groups that were inherited since the process started, that is, in this
	// command of Terraform.
	Inherited map[string]bool
}

// TakeGroupTurn waits until no one else works on the region's server groups. The function done gives the turn
// back.
func (c *Compute) TakeGroupTurn(ctx context.Context) (turn *GroupTurn, done func(), err error) {
	select {
	case turn = <-c.groupTurn:
		return turn, func() { c.groupTurn <- turn }, nil
	case <-ctx.Done():
		return nil, nil, context.Cause(ctx)
	}
}

func (c *Compute) groupClient() *gophercloud.ServiceClient { return c.At(versionGroupPolicy) }

// answeredGroup is the part of a group in an answer that is read.
type answeredGroup struct {
	ID     Text `json:"id"`
	Name   Text `json:"name"`
	Policy Text `json:"policy"`
	Rules  struct {
		MaxServerPerHost int `json:"max_server_per_host"`
	} `json:"rules"`
	Members []Text `json:"members"`
}

// group translates a group. A group without an id is an error.
func (g answeredGroup) group() (ServerGroup, error) {
	if g.ID == "" {
		return ServerGroup{}, missing("server_group")
	}
	group := ServerGroup{ID: string(g.ID), Name: string(g.Name), Policy: string(g.Policy),
		MaxServerPerHost: g.Rules.MaxServerPerHost}
	for _, id := range g.Members {
		group.Members = append(group.Members, string(id))
	}
	return group, nil
}

// ServerGroups lists the project's server groups.
func (c *Compute) ServerGroups(ctx context.Context) ([]ServerGroup, error) {
	var groups []ServerGroup
	client, list := c.groupClient(), newList()
	for {
		// Nova's list ends at its limit, usually 1,000 items, without a next page.
		var page []answeredGroup
		address := client.ServiceURL("os-server-groups")
		if len(groups) > 0 {
			address += fmt.Sprintf("?offset=%d", len(groups))
		}
		err := list.page()
		if err == nil {
			page, err = get[[]answeredGroup](ctx, client, address, "server_groups")
		}
		for _, g := range page {
			group, broken := g.group()
			groups = append(groups, group)
			err = cmp.Or(err, broken, list.item(g.ID))
		}
		if err != nil {
			return nil, fmt.Errorf("region %s: list server groups: %w", c.Region, err)
		}
		if len(page) == 0 {
			return groups, nil
		}
	}
}

// ServerGroup reads a server group. The error is a 404 if it does not exist.
func (c *Compute) ServerGroup(ctx context.Context, id string) (ServerGroup, error) {
	var group ServerGroup
	client := c.groupClient()
	answer, err := get[answeredGroup](ctx, client, client.ServiceURL("os-server-groups", id), "server_group")
	if err == nil {
		group, err = answer.group()
	}
	if err == nil && group.ID != id {
		err = wrongObject(answer.ID)
	}
	if err != nil {
		return ServerGroup{}, fmt.Errorf("region %s: get the server group %s: %w", c.Region, text.Clean(id), err)
	}
	return group, nil
}

// CreateServerGroup makes a server group. It must not be repeated: if Nova did not answer, the group may
// exist.
func (c *Compute) CreateServerGroup(
	ctx context.Context, name, policy string, maxServerPerHost int,
) (ServerGroup, error) {
	opts := servergroups.CreateOpts{Name: name, Policy: policy}
	if maxServerPerHost > 0 {
		opts.Rules = &servergroups.Rules{MaxServerPerHost: maxServerPerHost}
	}
	var answer struct {
		Group answeredGroup `json:"server_group"`
	}
	var group ServerGroup
	err := servergroups.Create(ctx, c.groupClient(), opts).ExtractInto(&answer)
	if err == nil {
		group, err = answer.Group.group()
	}
	if err != nil {
		return ServerGroup{}, fmt.Errorf("region %s: create the server group %q: %w", c.Region, name, err)
	}
	return group, nil
}

// DeleteServerGroup deletes a server group. It succeeds if the group is gone.
func (c *Compute) DeleteServerGroup(ctx context.Context, id string) error {
	err := servergroups.Delete(ctx, c.groupClient(), id).ExtractErr()
	if err != nil && !gophercloud.ResponseCodeIs(err, http.StatusNotFound) {
		return fmt.Errorf("region %s: delete the server group %s: %w", c.Region, text.Clean(id), err)
	}
	return nil
}
