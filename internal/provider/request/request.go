// Package request has the arguments that say what is asked of a cluster.
package request

import (
	"context"
	"errors"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/cluster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
)

// Model is what is asked of a cluster; data sources embed it.
type Model struct {
	ScaleOut   types.Object `tfsdk:"scale_out"`
	ScaleIn    types.Object `tfsdk:"scale_in"`
	Resize     types.Object `tfsdk:"resize"`
	NodeCreate types.Object `tfsdk:"node_create"`
	Decision   types.Object `tfsdk:"decision"`
}

type countModel struct {
	Count types.Int64 `tfsdk:"count"`
}

// Resize is the argument resize.
type Resize struct {
	AdjustmentType types.String `tfsdk:"adjustment_type"`
	Number         types.Int64  `tfsdk:"number"`
	MinSize        types.Int64  `tfsdk:"min_size"`
	MaxSize        types.Int64  `tfsdk:"max_size"`
	MinStep        types.Int64  `tfsdk:"min_step"`
	Strict         types.Bool   `tfsdk:"strict"`
}

type placeModel struct {
	Region types.String `tfsdk:"region"`
	Zone   types.String `tfsdk:"zone"`
}

type decisionModel struct {
	Creation types.Object `tfsdk:"creation"`
	Deletion types.Object `tfsdk:"deletion"`
}

// Attributes adds the ways to say what is asked to the attributes.
func Attributes(attributes map[string]schema.Attribute) map[string]schema.Attribute {
	attributes["scale_out"] = schema.SingleNestedAttribute{Optional: true,
		MarkdownDescription: "Add nodes (CLUSTER_SCALE_OUT).",
		Attributes:          map[string]schema.Attribute{"count": CountArgument("Number of nodes to add. Defaults to `1`.")}}
	attributes["scale_in"] = ScaleInArgument()
	attributes["resize"] = ResizeArgument()
	attributes["node_create"] = schema.SingleNestedAttribute{Optional: true,
		MarkdownDescription: "Add one node, which may name its place itself (NODE_CREATE). A place that it names takes precedence: nothing is planned then.",
		Attributes: map[string]schema.Attribute{
			"region": schema.StringAttribute{Optional: true, MarkdownDescription: "Region that the node asks for."},
			"zone":   schema.StringAttribute{Optional: true, MarkdownDescription: "Availability zone that the node asks for."},
		}}
	decided := func(description string) schema.Attribute {
		return schema.SingleNestedAttribute{Optional: true, MarkdownDescription: description,
			Attributes: map[string]schema.Attribute{"count": CountArgument("Number of nodes. Defaults to `1`.")}}
	}
	attributes["decision"] = schema.SingleNestedAttribute{Optional: true,
		MarkdownDescription: "What another policy decided; it takes precedence over the number in a request. The `creation` or `deletion` of another plan fits as it is. With neither, nothing is decided: the request beside it counts or, without one, nothing changes.",
		Attributes: map[string]schema.Attribute{
			"creation": decided("Nodes to add."),
			"deletion": decided("Nodes to remove."),
		}}
	return attributes
}

// CountArgument is a number of nodes.
func CountArgument(description string) schema.Attribute {
	return schema.Int64Attribute{Optional: true, MarkdownDescription: description,
		Validators: []validator.Int64{int64validator.Between(0, placement.MaxNodes)}}
}

// ScaleInArgument asks to remove nodes.
func ScaleInArgument() schema.Attribute {
	return schema.SingleNestedAttribute{Optional: true,
		MarkdownDescription: "Remove nodes (CLUSTER_SCALE_IN).",
		Attributes:          map[string]schema.Attribute{"count": CountArgument("Number of nodes to remove. Defaults to `1`.")}}
}

// ResizeArgument asks for another size.
func ResizeArgument() schema.Attribute {
	return schema.SingleNestedAttribute{Optional: true,
		MarkdownDescription: "Give the cluster another size (CLUSTER_RESIZE).",
		Attributes: map[string]schema.Attribute{
			"adjustment_type": schema.StringAttribute{Optional: true,
				MarkdownDescription: "What `number` means: `EXACT_CAPACITY` (the new size), `CHANGE_IN_CAPACITY` (nodes to add, or to remove where negative) or `CHANGE_IN_PERCENTAGE` (the same in percent of the size). Without it only the bounds move the size.",
				Validators:          []validator.String{stringvalidator.OneOf(cluster.AdjustmentTypes()...)}},
			"number":   schema.Int64Attribute{Optional: true, MarkdownDescription: "The number that `adjustment_type` speaks of. A percentage rounds towards zero, but changes at least one node."},
			"min_size": schema.Int64Attribute{Optional: true, MarkdownDescription: "Least number of nodes. Defaults to `0`."},
			"max_size": schema.Int64Attribute{Optional: true, MarkdownDescription: "Greatest number of nodes. Defaults to `-1`, no bound."},
			"min_step": schema.Int64Attribute{Optional: true, MarkdownDescription: "Least number of nodes that a percentage changes. Defaults to `1`."},
			"strict":   schema.BoolAttribute{Optional: true, MarkdownDescription: "Whether a size outside of the bounds is an error (`true`), or is moved to the nearest bound (`false`, the default)."},
		}}
}

// Read translates the request. It is nil where a value is not known yet: then
// nothing can be said about it.
func (m Model) Read(ctx context.Context, diags *diag.Diagnostics) *cluster.Request {
	if !value.Known(ctx, m.ScaleOut, m.ScaleIn, m.Resize, m.NodeCreate, m.Decision) {
		return nil
	}
	r := &cluster.Request{ScaleOut: ReadCount(ctx, m.ScaleOut, diags), ScaleIn: ReadCount(ctx, m.ScaleIn, diags)}
	if resize := value.Object[Resize](ctx, m.Resize, diags); resize != nil {
		value := resize.Read()
		r.Resize = &value
	}
	if place := value.Object[placeModel](ctx, m.NodeCreate, diags); place != nil {
		r.NodeCreate = &cluster.Place{Region: place.Region.ValueString(), Zone: place.Zone.ValueString()}
	}
	if decision := value.Object[decisionModel](ctx, m.Decision, diags); decision != nil {
		r.Decision = &cluster.Decision{Creation: ReadCount(ctx, decision.Creation, diags), Deletion: ReadCount(ctx, decision.Deletion, diags)}
	}
	return r
}

// Validate reads and checks the request, as far as it is known.
func (m Model) Validate(ctx context.Context, diags *diag.Diagnostics) {
	if r := m.Read(ctx, diags); r != nil {
		Report(r.Check(), diags)
	}
}

// Report reports a fault of a request at its argument.
func Report(err error, diags *diag.Diagnostics) {
	fault, ok := errors.AsType[*cluster.ArgumentError](err)
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

// Read translates the arguments.
func (m Resize) Read() cluster.Resize {
	return cluster.Resize{
		AdjustmentType: cluster.AdjustmentType(m.AdjustmentType.ValueString()),
		Number:         m.Number.ValueInt64Pointer(),
		MinSize:        m.MinSize.ValueInt64Pointer(),
		MaxSize:        m.MaxSize.ValueInt64Pointer(),
		MinStep:        m.MinStep.ValueInt64Pointer(),
		Strict:         m.Strict.ValueBool(),
	}
}

// ReadCount reads an object with a count, which defaults to 1.
func ReadCount(ctx context.Context, o types.Object, diags *diag.Diagnostics) *int64 {
	m := value.Object[countModel](ctx, o, diags)
	if m == nil {
		return nil
	}
	count := int64(1)
	if !m.Count.IsNull() {
		count = m.Count.ValueInt64()
	}
	return &count
}
