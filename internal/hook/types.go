package hook

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// Type is a kind of hook. A new one is a file with its Type and a row in types.
type Type struct {
	Name      string
	Arguments []Argument // it takes no other type's
	make      func(r *Runner, s Spec) (hook, error)
	// Why it cannot be run in a region; of one that is new or changed, also by what is there.
	// Nil: it always can.
	region func(ctx context.Context, r *Runner, s Spec, region string, changed bool) error
}

// Argument is an argument of a type.
type Argument struct {
	Name        string
	Description string // Markdown, for the documentation
	Kind        Kind
	Optional    bool
	Least, Most int64                         // of a Number
	check       func(values []string) []Fault // nil: each value is good
}

// Kind is what an argument takes.
type Kind int

// The kinds of arguments.
const (
	Text   Kind = iota
	Secret      // a text that no plan and no message shows
	List        // of texts
	Bool        // "true" or "false" in [Spec]
	Number      // a whole number, from Least to Most
)

// Fault is what is wrong with an argument. Its text has no sensitive value.
type Fault struct {
	Argument string // "" where its value must not be shown, as a line of the source would
	Text     string
	Warning  bool // it works, and still someone should know
}

// types are the kinds of hooks, in the order of the documentation.
var types = []Type{zaqarType, webhookType, commandType, octaviaType}

// Types lists the kinds of hooks.
func Types() []Type { return slices.Clone(types) }

func find(name string) (Type, bool) {
	i := slices.IndexFunc(types, func(t Type) bool { return t.Name == name })
	if i < 0 {
		return Type{}, false
	}
	return types[i], true
}

// Check returns the faults of the arguments. Those that are unknown are neither
// missing nor wrong. An unknown type has no faults: it is refused elsewhere.
func (s Spec) Check(unknown func(argument string) bool) []Fault {
	kind, ok := find(s.Type)
	if !ok {
		return nil
	}
	var faults []Fault
	for _, t := range types {
		for _, a := range t.Arguments {
			if s.Arguments[a.Name] != nil && !slices.Contains(kind.argumentNames(), a.Name) {
				faults = append(faults, Fault{Argument: a.Name, Text: fmt.Sprintf("%s belongs to a hook of type %s. "+
					"One of type %s takes %s. Remove it, or change the type.", a.Name, t.Name, kind.Name,
					strings.Join(kind.argumentNames(), ", "))})
			}
		}
	}
	for _, a := range kind.Arguments {
		switch values := s.Arguments[a.Name]; {
		case unknown(a.Name), values == nil && a.Optional:
		case values == nil, a.Kind != List && len(values) != 1:
			faults = append(faults,
				Fault{Argument: a.Name, Text: fmt.Sprintf("A hook of type %s needs %s.", kind.Name, a.Name)})
		case a.check == nil:
		default:
			for _, fault := range a.check(values) {
				if a.Kind != Secret {
					fault.Argument = a.Name
				}
				faults = append(faults, fault)
			}
		}
	}
	return faults
}

func (t Type) argumentNames() (names []string) {
	for _, a := range t.Arguments {
		names = append(names, a.Name)
	}
	return names
}

// Check says why a hook cannot be run as the configuration stands; nil: it can.
func (r *Runner) Check(s Spec) error {
	_, err := s.make(r)
	return err
}

// CheckRegion says why a hook could not be run for the nodes of a region; nil: it
// could. For one that did not change no request is made, other than a login.
func (r *Runner) CheckRegion(ctx context.Context, s Spec, region string, changed bool) error {
	kind, ok := find(s.Type)
	if !ok || kind.region == nil {
		return nil
	}
	return kind.region(ctx, r, s, region, changed)
}

// make makes the hook, or says what is wrong with it.
func (s Spec) make(r *Runner) (hook, error) {
	kind, ok := find(s.Type)
	if !ok {
		return nil, fmt.Errorf("there is no hook type %q", plain(s.Type))
	}
	for _, fault := range s.Check(func(string) bool { return false }) {
		if !fault.Warning {
			return nil, fmt.Errorf("its hook cannot be run: %s", strings.TrimSuffix(fault.Text, "."))
		}
	}
	return kind.make(r, s)
}
