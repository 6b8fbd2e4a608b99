// Package functions has the provider-defined functions. They need no cloud.
package functions

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/request"
)

// NewDistribute returns distribute.
func NewDistribute() function.Function { return &distributeFunction{} }

// distributeFunction is the function distribute: the planner, with numbers and without a cloud.
type distributeFunction struct{}

func (f *distributeFunction) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "distribute"
}

func (f *distributeFunction) Definition(
	_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse,
) {
	resp.Definition = function.Definition{
		Summary: "Spread nodes over weighted, capped places",
		MarkdownDescription: "Returns how many nodes each place gains when `count` nodes are added or, if `count` " +
			"is negative, how many it loses when that many are removed. Places that do not change are left out.\n\n" +
			"The result is optimal: within the bounds, no other is closer to the weights. It does not depend on the " +
			"order of the places.",
		Parameters: []function.Parameter{
			function.Int64Parameter{
				Name:                "count",
				CustomType:          value.WholeType{},
				MarkdownDescription: "Nodes to add, or to remove if negative.",
			},
			function.DynamicParameter{
				Name: "bins",
				MarkdownDescription: "A map or object from the name of each place to an object with any of `weight` " +
					"(its share relative to the others, `100`; `0` for a place no longer listed, which only loses " +
					"nodes), `cap` (maximum number of nodes, `-1` for no cap), `min` (minimum number of nodes, `0`) " +
					"and `current` (nodes that are there now, `0`).",
			},
		},
		Return: function.MapReturn{ElementType: types.Int64Type},
	}
}

func (f *distributeFunction) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var count int64
	var argument types.Dynamic
	if resp.Error = req.Arguments.Get(ctx, &count, &argument); resp.Error != nil {
		return
	}
	bins, err := readBinObjects(argument)
	switch {
	case errors.Is(err, value.ErrUnknown):
		resp.Error = resp.Result.Set(ctx, types.MapUnknown(types.Int64Type))
		return
	case err != nil:
		resp.Error = function.NewArgumentFuncError(1, err.Error())
		return
	}
	changes, err := placement.Distribute(bins, count)
	var infeasible *placement.InfeasibleError
	switch {
	case errors.As(err, &infeasible):
		resp.Error = function.NewFuncError(infeasible.Error() + " " + infeasible.Detail())
		return
	case err != nil:
		resp.Error = function.NewFuncError(err.Error())
		return
	}
	result := map[string]int64{}
	for i, change := range changes {
		if change != 0 {
			result[bins[i].Name] = max(change, -change)
		}
	}
	resp.Error = resp.Result.Set(ctx, result)
}

// readBinObjects reads { NAME = { weight, cap, min, current } }.
func readBinObjects(argument types.Dynamic) ([]placement.Bin, error) {
	list, err := value.Fields(argument)
	if err != nil {
		return nil, fmt.Errorf("bins: %w", err)
	}
	bins := make([]placement.Bin, len(list))
	for i, place := range list {
		bins[i] = placement.Bin{Name: place.Name, Weight: placement.DefaultWeight, Cap: placement.Unlimited}
		attributes, err := value.Fields(place.Value)
		if err != nil {
			return nil, fmt.Errorf("bins[%q]: %w", place.Name, err)
		}
		for _, a := range attributes {
			into, ok := map[string]*int64{
				"weight":  &bins[i].Weight,
				"cap":     &bins[i].Cap,
				"min":     &bins[i].Min,
				"current": &bins[i].Current,
			}[a.Name]
			if !ok {
				return nil, fmt.Errorf("bins[%q] has %q, which is not one of weight, cap, min and current",
					place.Name, a.Name)
			}
			number, err := value.WholeFrom(a.Value)
			if err != nil {
				return nil, fmt.Errorf("bins[%q].%s: %w", place.Name, a.Name, err)
			}
			if number != nil {
				*into = *number
			}
		}
		if b := bins[i]; b.Cap >= 0 && b.Min > b.Cap {
			return nil, fmt.Errorf("bins[%q]: its min (%d) is above its cap (%d)", place.Name, b.Min, b.Cap)
		}
	}
	return bins, nil
}

// NewDesiredCapacity returns desired_capacity.
func NewDesiredCapacity() function.Function { return &desiredCapacityFunction{} }

// desiredCapacityFunction is the function desired_capacity, the arithmetic of CLUSTER_RESIZE.
type desiredCapacityFunction struct{}

func (f *desiredCapacityFunction) Metadata(
	_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse,
) {
	resp.Name = "desired_capacity"
}

func (f *desiredCapacityFunction) Definition(
	_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse,
) {
	resp.Definition = function.Definition{
		Summary: "Work out the size that a resize asks for",
		MarkdownDescription: "Returns the number of nodes that a cluster of `current` nodes must have after a resize " +
			"(Senlin's CLUSTER_RESIZE).\n\nA percentage may have decimals (`12.5`). It rounds towards zero, but " +
			"changes at least one node, or `min_step` of them. A size outside the bounds is moved to the nearest one " +
			"or, if `strict`, an error that names both.",
		Parameters: []function.Parameter{
			function.Int64Parameter{
				Name:                "current",
				CustomType:          value.WholeType{},
				MarkdownDescription: "Nodes that the cluster has.",
			},
			function.DynamicParameter{
				Name: "resize",
				MarkdownDescription: "An object with any of `adjustment_type` (`EXACT_CAPACITY`, " +
					"`CHANGE_IN_CAPACITY` or `CHANGE_IN_PERCENTAGE`), `number`, `min_size` (`0`), `max_size` (`-1`: " +
					"no bound), `min_step` (minimum change in nodes, for a percentage) and `strict` (`false`).",
			},
		},
		Return: function.Int64Return{},
	}
}

func (f *desiredCapacityFunction) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var current int64
	var argument types.Dynamic
	if resp.Error = req.Arguments.Get(ctx, &current, &argument); resp.Error != nil {
		return
	}
	resize, err := readResizeObject(argument)
	switch {
	case errors.Is(err, value.ErrUnknown):
		resp.Error = resp.Result.Set(ctx, types.Int64Unknown())
		return
	case err != nil:
		resp.Error = function.NewArgumentFuncError(1, err.Error())
		return
	}
	desired, err := resize.Desired(current)
	if err != nil {
		resp.Error = function.NewFuncError(err.Error())
		return
	}
	resp.Error = resp.Result.Set(ctx, desired)
}

// readResizeObject reads an object with any of the arguments of a resize.
func readResizeObject(argument types.Dynamic) (resize request.Resize, err error) {
	arguments, err := value.Fields(argument)
	if err != nil {
		return resize, fmt.Errorf("resize: %w", err)
	}
	for _, a := range arguments {
		switch a.Name {
		case "adjustment_type":
			var kind types.String
			kind, _, err = value.As[types.String](a.Value, "a string")
			resize.AdjustmentType = request.AdjustmentType(kind.ValueString())
		case "strict":
			var strict types.Bool
			strict, _, err = value.As[types.Bool](a.Value, "true or false")
			resize.Strict = strict.ValueBool()
		case "number":
			resize.Number, err = value.DecimalFrom(a.Value)
		case "min_size":
			resize.MinSize, err = value.WholeFrom(a.Value)
		case "max_size":
			resize.MaxSize, err = value.WholeFrom(a.Value)
		case "min_step":
			resize.MinStep, err = value.WholeFrom(a.Value)
		default:
			return resize, fmt.Errorf("resize has %q, which is not one of its arguments", a.Name)
		}
		if err != nil {
			return resize, fmt.Errorf("resize.%s: %w", a.Name, err)
		}
	}
	return resize, nil
}
