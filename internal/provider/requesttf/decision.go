package requesttf

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/duration"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/request"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// furtherKeys are keys of a decision that say nothing about numbers and places. Policy
// documents, a deletion plan and an affinity plan add them.
var furtherKeys = []string{"nodes", "names", "placements"}

// ReadDecision translates a decision, and returns nil if there is none. Faults are
// reported at the argument. The whole decision must be known.
func ReadDecision(argument types.Dynamic, diags *diag.Diagnostics) *request.Decision {
	if argument.IsNull() || argument.IsUnderlyingValueNull() {
		return nil
	}
	at := path.Root("decision")
	refuse := func(format string, args ...any) *request.Decision {
		diags.AddAttributeError(at, "Invalid decision", fmt.Sprintf(format, args...))
		return nil
	}
	fields, err := value.Fields(argument)
	if err != nil {
		return refuse("%s", text.Sentence(err))
	}
	d, found, placed := &request.Decision{}, false, false
	for _, f := range fields {
		var into **request.Share
		switch f.Name {
		case "creation":
			into = &d.Creation
		case "deletion":
			into = &d.Deletion
		case "status": // the data of an action has it next to the decision
			status, _, err := value.As[types.String](f.Value, "a text")
			if err != nil {
				return refuse("status: %s.", err)
			}
			if given := status.ValueString(); given != "" && given != "OK" {
				return refuse("Its status is %q: the policy that made it decided nothing that can be planned.", given)
			}
			continue
		case "placement": // from the affinity policy, which decides no number
			placed = true
			continue
		case "reason", "status_reason", "hooks", "health", "update": // from other policies, which decide no number
			continue
		default:
			return refuse("It has %q, and can only have creation and deletion.", f.Name)
		}
		found = true
		if *into, err = readShare(f.Name, f.Value); err != nil {
			return refuse("%s: %s", f.Name, text.Plain(err)+".")
		}
	}
	switch {
	case !found && placed:
		return nil
	case !found:
		return refuse("It has neither creation nor deletion. To decide nothing, leave it out or set it to null.")
	}
	return d
}

// readShare reads { count, region, regions, zones } and the candidates of a
// deletion. It returns nil for null.
func readShare(kind string, v attr.Value) (*request.Share, error) {
	if value.IsNull(v) {
		return nil, nil
	}
	fields, err := value.Fields(v)
	if err != nil {
		return nil, err
	}
	var d request.Decided
	for _, f := range fields {
		if value.IsNull(f.Value) {
			continue
		}
		switch {
		case f.Name == "count":
			d.Count, err = value.WholeFrom(f.Value)
		case f.Name == "region":
			// Either the name of a region, or regions as policy documents spell it.
			if name, _, notText := value.As[types.String](f.Value, "the name of a region"); notText == nil {
				d.Region = name.ValueString()
			} else {
				d.Regions, err = readCounts(f.Value)
			}
		case f.Name == "regions":
			d.Regions, err = readCounts(f.Value)
		case f.Name == "zone" || f.Name == "zones":
			d.Zones, err = readZones(f.Value)
		case f.Name == "candidates" && kind == "deletion":
			d.Nodes, err = readNames(f.Value)
		case f.Name == "destroy_after_deletion":
			d.Terms.DestroyAfterDeletion, err = readBool(f.Value)
		case f.Name == "reduce_desired_capacity":
			d.Terms.ReduceDesiredCapacity, err = readBool(f.Value)
		case f.Name == "grace_period":
			d.Terms.GracePeriod, err = readSeconds(f.Value)
		case !slices.Contains(furtherKeys, f.Name):
			return nil, fmt.Errorf("it has %q, and can only have count, region, regions and zones", f.Name)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
	}
	share, err := d.Share()
	if fault, ok := errors.AsType[*request.ArgumentError](err); ok {
		return nil, fmt.Errorf("%s: %s", fault.Argument, strings.TrimSuffix(fault.Fault, "."))
	}
	return share, err
}

func readBool(v attr.Value) (*bool, error) {
	b, _, err := value.As[types.Bool](v, "true or false")
	return b.ValueBoolPointer(), err
}

// readSeconds reads a duration: a number of seconds, or a text such as "1m".
func readSeconds(v attr.Value) (*int64, error) {
	written, given, notText := value.As[types.String](v, "a duration")
	if notText != nil || !given {
		return value.WholeFrom(v)
	}
	d, ok := duration.Parse(written.ValueString())
	if !ok {
		return nil, errors.New(strings.TrimSuffix(duration.Fault(written.ValueString(), 0, duration.Longest), "."))
	}
	return new(int64(d / time.Second)), nil
}

// readNames reads a list of names or ids.
func readNames(v attr.Value) ([]string, error) {
	elements, err := value.Elements(v)
	if err != nil {
		return nil, err
	}
	names := make([]string, len(elements))
	for i, element := range elements {
		name, given, err := value.As[types.String](element, "a name or an id")
		switch {
		case err != nil:
			return nil, err
		case !given:
			return nil, errors.New("a name or an id is needed, and it is null")
		}
		names[i] = name.ValueString()
	}
	return names, nil
}

// readCounts reads name -> count.
func readCounts(v attr.Value) (map[string]int64, error) {
	fields, err := value.Fields(v)
	if err != nil {
		return nil, err
	}
	counts := make(map[string]int64, len(fields))
	for _, f := range fields {
		n, err := value.WholeFrom(f.Value)
		switch {
		case err != nil:
			return nil, fmt.Errorf("%q: %w", f.Name, err)
		case n == nil:
			return nil, fmt.Errorf("%q: a whole number is needed, and it is null", f.Name)
		}
		counts[f.Name] = *n
	}
	return counts, nil
}

// readZones reads zone -> count, or region -> zone -> count.
func readZones(v attr.Value) (map[string]map[string]int64, error) {
	flat, notFlat := readCounts(v)
	if notFlat == nil {
		if len(flat) == 0 {
			return map[string]map[string]int64{}, nil
		}
		return map[string]map[string]int64{"": flat}, nil
	}
	fields, err := value.Fields(v)
	if err != nil {
		return nil, err
	}
	zones := make(map[string]map[string]int64, len(fields))
	for _, f := range fields {
		if zones[f.Name], err = readCounts(f.Value); err != nil {
			if nested, _ := value.Fields(f.Value); nested == nil {
				return nil, notFlat // one number among the zones is wrong
			}
			return nil, fmt.Errorf("%q: %w", f.Name, err)
		}
	}
	return zones, nil
}
