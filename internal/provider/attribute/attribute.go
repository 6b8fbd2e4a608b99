// Package attribute makes plain attributes of schemas. They have the types for data
// sources, which fit into every schema: only an attribute with a default or a plan
// modifier needs a type for resources.
package attribute

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// NotEmpty refuses an empty text.
var NotEmpty = stringvalidator.LengthAtLeast(1)

// Text is an optional text.
func Text(description string, validators ...validator.String) schema.StringAttribute {
	return schema.StringAttribute{Optional: true, MarkdownDescription: description, Validators: validators}
}

// RequiredText is a text that must be given, and not be empty.
func RequiredText(description string, validators ...validator.String) schema.StringAttribute {
	text := Text(description, append(validators, NotEmpty)...)
	text.Optional, text.Required = false, true
	return text
}

// Texts is an optional list of texts.
func Texts(description string, validators ...validator.List) schema.ListAttribute {
	return schema.ListAttribute{
		Optional:            true,
		ElementType:         types.StringType,
		MarkdownDescription: description,
		Validators:          validators,
	}
}

// Number is an optional whole number.
func Number(description string, validators ...validator.Int64) schema.Int64Attribute {
	return schema.Int64Attribute{
		Optional:            true,
		CustomType:          value.WholeType{},
		MarkdownDescription: description,
		Validators:          validators,
	}
}

// Flag is an optional truth value.
func Flag(description string) schema.BoolAttribute {
	return schema.BoolAttribute{Optional: true, MarkdownDescription: description}
}

// ComputedText is a text that the provider works out.
func ComputedText(description string) schema.StringAttribute {
	return schema.StringAttribute{Computed: true, MarkdownDescription: description}
}

// ComputedTexts is a list of texts that the provider works out.
func ComputedTexts(description string) schema.ListAttribute {
	return schema.ListAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: description}
}

// ComputedNumber is a whole number that the provider works out.
func ComputedNumber(description string) schema.Int64Attribute {
	return schema.Int64Attribute{Computed: true, MarkdownDescription: description}
}

// ComputedFlag is a truth value that the provider works out.
func ComputedFlag(description string) schema.BoolAttribute {
	return schema.BoolAttribute{Computed: true, MarkdownDescription: description}
}

// ComputedMap is a map that the provider works out.
func ComputedMap(element attr.Type, description string) schema.MapAttribute {
	return schema.MapAttribute{Computed: true, ElementType: element, MarkdownDescription: description}
}

// Check returns a validator of texts. Fault returns what is wrong with a given text, and
// "" if it is valid.
func Check(rule, title string, fault func(given string) string) validator.String {
	return check{rule, title, fault}
}

type check struct {
	rule, title string
	fault       func(given string) string
}

func (c check) Description(context.Context) string { return c.rule }

func (c check) MarkdownDescription(context.Context) string { return c.rule }

func (c check) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if !value.Given(req.ConfigValue) {
		return
	}
	if fault := c.fault(req.ConfigValue.ValueString()); fault != "" {
		resp.Diagnostics.AddAttributeError(req.Path, c.title, fault)
	}
}

// Needs refuses a block without all of the arguments, and points at the one that is missing:
// Terraform shows the block for it. For a path that ends at the block it shows the first line of
// the resource.
func Needs(arguments ...string) []validator.Object {
	if len(arguments) == 0 {
		return nil
	}
	return []validator.Object{needs(arguments)}
}

type needs []string

func (n needs) Description(context.Context) string { return "has " + text.And(n) }

func (n needs) MarkdownDescription(ctx context.Context) string { return n.Description(ctx) }

func (n needs) ValidateObject(_ context.Context, req validator.ObjectRequest, resp *validator.ObjectResponse) {
	for _, name := range n {
		if v := req.ConfigValue.Attributes()[name]; v != nil && v.IsNull() {
			resp.Diagnostics.AddAttributeError(req.Path.AtName(name), "A missing argument",
				fmt.Sprintf("The block %s needs %s.", req.Path, name))
		}
	}
}

// Fields are the attributes of a block or an object.
type Fields = map[string]schema.Attribute

// Block is a block with attributes, of which some are needed.
func Block(description string, fields Fields, needed ...string) schema.SingleNestedBlock {
	return schema.SingleNestedBlock{
		MarkdownDescription: description,
		Attributes:          fields,
		Validators:          Needs(needed...),
	}
}

// ComputedObject is an object that the provider works out.
func ComputedObject(description string, fields Fields) schema.SingleNestedAttribute {
	return schema.SingleNestedAttribute{Computed: true, MarkdownDescription: description, Attributes: fields}
}

// ComputedObjects is a list of objects that the provider works out.
func ComputedObjects(description string, fields Fields) schema.ListNestedAttribute {
	return schema.ListNestedAttribute{
		Computed:            true,
		MarkdownDescription: description,
		NestedObject:        schema.NestedAttributeObject{Attributes: fields},
	}
}
