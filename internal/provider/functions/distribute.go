package functions

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"
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
