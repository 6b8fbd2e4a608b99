// Package requesttf has the arguments of a request to a cluster.
package requesttf

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/attribute"
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

// Attributes adds the argument decision to the attributes; the other parts of a
// request are [Blocks].
func Attributes(attributes map[string]schema.Attribute) map[string]schema.Attribute {
	attributes["decision"] = DecisionArgument("`creation`, `deletion` or both",
		"A plan uses the share of its own region or regions, and works out the places in it itself.")
	return attributes
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

// NotForetold ends the description of a plan, which knows less of nodes than a placement attachment.
const NotForetold = "A placement attachment " +
	"[knows more of its nodes](../guides/how-the-planner-decides.md#which-nodes-are-removed)."

// Precedence says what the plans of regions and zones do if the node of node_create
// names a place.
const Precedence = "If it does, nothing is planned."

// Blocks returns the blocks of a request; named says what happens if a node names a
// place. They are blocks because Terraform silently drops a misspelled key of a nested
// attribute, and refuses it in a block.
func Blocks(named string) map[string]schema.Block {
	return map[string]schema.Block{
		"scale_out": attribute.Block("Add nodes (CLUSTER_SCALE_OUT); an empty block adds one.", attribute.Fields{
			"count": count("Number of nodes to add. Defaults to `1`."),
		}),
		"scale_in": ScaleInBlock(),
		"resize":   ResizeBlock(),
		"node_create": attribute.Block("Add one node, which may name its place (NODE_CREATE). "+named, attribute.Fields{
			"region": attribute.Text("Region that the node asks for.", attribute.NotEmpty),
			"zone":   attribute.Text("Availability zone that the node asks for.", attribute.NotEmpty),
		}),
	}
}

func count(description string) schema.Attribute {
	return attribute.Number(description, int64validator.AtLeast(0), int64validator.AtMost(placement.MaxNodes))
}

// ScaleInBlock is the block that asks to remove nodes.
func ScaleInBlock() schema.Block {
	return attribute.Block("Remove nodes (CLUSTER_SCALE_IN); an empty block removes one.",
		attribute.Fields{"count": count("Number of nodes to remove. Defaults to `1`.")})
}

// ResizeBlock is the block that asks for another size.
func ResizeBlock() schema.Block {
	return attribute.Block("Give the cluster another size (CLUSTER_RESIZE).", attribute.Fields{
		"adjustment_type": attribute.Text("Meaning of `number`: `EXACT_CAPACITY` (the new size), " +
			"`CHANGE_IN_CAPACITY` (nodes to add, or to remove if negative) or `CHANGE_IN_PERCENTAGE` (the " +
			"same in percent). Without it only the bounds count."),
		"number": schema.NumberAttribute{
			Optional: true,
			MarkdownDescription: "A percentage may have decimals; it rounds towards zero, but changes at least " +
				"one node.",
		},
		"min_size": attribute.Number("Smallest number of nodes. Defaults to `0`."),
		"max_size": attribute.Number("Largest number of nodes. Defaults to `-1`, no bound."),
		"min_step": attribute.Number("Smallest change of a percentage, in nodes. Defaults to `1`."),
		"strict": attribute.Flag("Whether a size outside the bounds is an error. By default the nearest bound " +
			"counts."),
	})
}
