// Package requesttf has the arguments of a request to a cluster.
package requesttf

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/request"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// Model has the arguments of a request to a cluster; data sources embed it.
type Model struct {
	ScaleOut   types.Object  `tfsdk:"scale_out"`
	ScaleIn    types.Object  `tfsdk:"scale_in"`
	Resize     types.Object  `tfsdk:"resize"`
	NodeCreate types.Object  `tfsdk:"node_create"`
	Decision   types.Dynamic `tfsdk:"decision"`
}

type resizeModel struct {
	AdjustmentType types.String `tfsdk:"adjustment_type"`
	Number         types.Number `tfsdk:"number"`
	MinSize        types.Int64  `tfsdk:"min_size"`
	MaxSize        types.Int64  `tfsdk:"max_size"`
	MinStep        types.Int64  `tfsdk:"min_step"`
	Strict         types.Bool   `tfsdk:"strict"`
}

type placeModel struct {
	Region types.String `tfsdk:"region"`
	Zone   types.String `tfsdk:"zone"`
}

// Read translates the request. It returns nil if a value is not known yet, because
// then nothing can be said about the request.
func (m Model) Read(ctx context.Context, diags *diag.Diagnostics) *request.Request {
	if !value.Known(ctx, m.ScaleOut, m.ScaleIn, m.Resize, m.NodeCreate, m.Decision) {
		return nil
	}
	r := &request.Request{
		ScaleOut: ReadCount(m.ScaleOut),
		ScaleIn:  ReadCount(m.ScaleIn),
		Resize:   ReadResize(ctx, m.Resize, diags),
		Decision: ReadDecision(m.Decision, diags),
	}
	if place := value.Object[placeModel](ctx, m.NodeCreate, diags); place != nil {
		r.NodeCreate = &placement.Place{Region: place.Region.ValueString(), Zone: place.Zone.ValueString()}
	}
	return r
}

// Validate reads and checks the request, as far as it is known.
func (m Model) Validate(ctx context.Context, diags *diag.Diagnostics) {
	if r := m.Read(ctx, diags); r != nil && !diags.HasError() {
		Report(r.Check(), diags)
	}
}

// Report reports a fault of a request at its argument.
func Report(err error, diags *diag.Diagnostics) {
	fault, ok := errors.AsType[*request.ArgumentError](err)
	switch {
	case err == nil:
	case !ok:
		diags.AddError("Invalid request", err.Error())
	case fault.Argument == "":
		diags.AddError("Invalid request", fault.Fault)
	default:
		diags.AddAttributeError(value.Path(fault.Argument), "Invalid request", fault.Fault)
	}
}

// WarnOfCut warns that more nodes must be removed than the cluster has; asked is that
// number of nodes, or 0 to give no warning. See [request.Request.Cut].
func WarnOfCut(asked, size int64, diags *diag.Diagnostics) {
	if asked == 0 {
		return
	}
	what := "all of them would be removed"
	if size == 0 {
		what = "there is nothing to remove"
	}
	diags.AddWarning("The count is above the cluster's size", fmt.Sprintf(
		"%s must be removed, and the cluster has %d: %s.", text.Nodes(asked), size, what))
}

// ReadResize translates the block resize. An empty block asks for nothing, and gives
// nil.
func ReadResize(ctx context.Context, block types.Object, diags *diag.Diagnostics) *request.Resize {
	if !value.GivenBlock(block) {
		return nil
	}
	m := value.Object[resizeModel](ctx, block, diags)
	number, ok := value.Decimal(m.Number)
	if !ok {
		diags.AddAttributeError(path.Root("resize").AtName("number"), "Invalid request",
			"A number of a usual size is needed, not "+value.NumberText(m.Number.ValueBigFloat())+".")
	}
	return &request.Resize{
		AdjustmentType: request.AdjustmentType(m.AdjustmentType.ValueString()),
		Number:         number,
		MinSize:        m.MinSize.ValueInt64Pointer(),
		MaxSize:        m.MaxSize.ValueInt64Pointer(),
		MinStep:        m.MinStep.ValueInt64Pointer(),
		Strict:         m.Strict.ValueBool(),
	}
}

// ReadCount reads a block with a count, which defaults to 1: an empty block counts as
// given.
func ReadCount(block types.Object) *int64 {
	count, given := block.Attributes()["count"].(types.Int64)
	if !given {
		return nil
	}
	return new(value.NumberOr(count, 1))
}
