package functions

import (
	"context"
	"errors"
	"fmt"
	"regexp"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"
)

// NewRender returns render.
func NewRender() function.Function { return &renderFunction{} }

// renderFunction is the function render: a text with values of a node, such as user data.
type renderFunction struct{}

func (f *renderFunction) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "render"
}

func (f *renderFunction) Definition(
	_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse,
) {
	resp.Definition = function.Definition{
		Summary: "Write values into a text, such as a node's name into its user data",
		MarkdownDescription: "Returns the text with the value of each key in place of `{key}`. Other braces stay as " +
			"they are. So do `${key}` and `{{key}}`, which belong to shells and to Jinja. `\\{key}` becomes `{key}`: " +
			"write that for braces that another program must see. A value that is null becomes `none`.",
		Parameters: []function.Parameter{
			function.StringParameter{Name: "text", MarkdownDescription: "Text with `{key}` in it."},
			function.DynamicParameter{
				Name: "values",
				MarkdownDescription: "Values by key, such as `{ name = each.key, index = each.value.index }`: texts, " +
					"numbers, true or false.",
			},
		},
		Return: function.StringReturn{},
	}
}

func (f *renderFunction) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var text string
	var argument types.Dynamic
	if resp.Error = req.Arguments.Get(ctx, &text, &argument); resp.Error != nil {
		return
	}
	values, err := readValues(argument)
	switch {
	case errors.Is(err, value.ErrUnknown):
		resp.Error = resp.Result.Set(ctx, types.StringUnknown())
	case err != nil:
		resp.Error = function.NewArgumentFuncError(1, err.Error())
	default:
		resp.Error = resp.Result.Set(ctx, render(text, values))
	}
}

// readValues reads { KEY = VALUE }.
func readValues(argument types.Dynamic) (map[string]string, error) {
	fields, err := value.Fields(argument)
	if err != nil {
		return nil, fmt.Errorf("values: %w", err)
	}
	values := map[string]string{}
	for _, f := range fields {
		text, err := plain(f.Value)
		if err != nil {
			return nil, fmt.Errorf("values.%s: %w", f.Name, err)
		}
		values[f.Name] = text
	}
	return values, nil
}

func plain(v attr.Value) (string, error) {
	if value.IsNull(v) {
		return "none", nil
	}
	if text, _, err := value.As[types.String](v, "a text"); err == nil {
		return text.ValueString(), nil
	}
	if flag, _, err := value.As[types.Bool](v, "true or false"); err == nil {
		return fmt.Sprint(flag.ValueBool()), nil
	}
	number, _, err := value.As[types.Number](v, "a text, a number, true or false")
	if err != nil {
		return "", err
	}
	return value.NumberText(number.ValueBigFloat()), nil
}

// placeholder matches a key in braces, with what stands before it.
var placeholder = regexp.MustCompile(`[\\${]?\{[^{}\s]+\}`)

func render(text string, values map[string]string) string {
	return placeholder.ReplaceAllStringFunc(text, func(found string) string {
		before, key := "", found[1:len(found)-1]
		if found[0] != '{' || found[1] == '{' {
			before, key = found[:1], found[2:len(found)-1]
		}
		v, has := values[key]
		switch {
		case has && before == `\`:
			return found[1:]
		case has && before == "":
			return v
		}
		return found
	})
}
