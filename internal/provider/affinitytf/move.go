package affinitytf

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
)

// The resource that a moved block can name, and its provider, on any registry host.
const (
	movedType     = "openstack_compute_servergroup_v2"
	movedProvider = "terraform-provider-openstack/openstack"
)

// movedGroup has the attributes of the moved resource.
type movedGroup struct {
	ID       string   `json:"id"`
	Region   string   `json:"region"`
	Name     string   `json:"name"`
	Policies []string `json:"policies"`
	Members  []string `json:"members"`
	Rules    []struct {
		MaxServerPerHost int `json:"max_server_per_host"`
	} `json:"rules"`
}

// MoveState takes over a server group that another resource created. A state does not say which
// cluster the group is for, so MoveState does not decide whether it is inherited: created does, in
// ModifyPlan.
func (r *attachmentResource) MoveState(context.Context) []resource.StateMover {
	return []resource.StateMover{{StateMover: moveState}}
}

func moveState(ctx context.Context, req resource.MoveStateRequest, resp *resource.MoveStateResponse) {
	var moved movedGroup
	if req.SourceTypeName != movedType || !strings.HasSuffix("/"+req.SourceProviderAddress, "/"+movedProvider) {
		resp.Diagnostics.AddError("Unable to move the resource", fmt.Sprintf("An affinity attachment takes over %s of "+
			"the provider %s, and this is %s of %s. Import the server group instead: its import id is <region>/<id>.",
			movedType, movedProvider, req.SourceTypeName, req.SourceProviderAddress))
		return
	}
	if err := json.Unmarshal(req.SourceRawState.JSON, &moved); err != nil || moved.ID == "" || moved.Region == "" ||
		len(moved.Policies) == 0 {
		resp.Diagnostics.AddError("Unable to move the resource", "The state of the "+movedType+" lacks the id, the "+
			"region or the policy of its server group. Refresh it with an apply before you move it.")
		return
	}
	group := openstack.ServerGroup{ID: moved.ID, Name: moved.Name, Policy: moved.Policies[0], Members: moved.Members}
	for _, rule := range moved.Rules {
		group.MaxServerPerHost = rule.MaxServerPerHost
	}
	var model attachmentModel
	model.SchedulerHints = types.ObjectNull(map[string]attr.Type{"group": types.StringType})
	model.Region = types.StringValue(moved.Region)
	model.adopt(group)
	model.bind(group, types.BoolNull())
	resp.Diagnostics.Append(resp.TargetState.Set(ctx, &model)...)
	resp.Diagnostics.Append(resp.TargetIdentity.Set(ctx, model.identity())...)
}
