package hook

import (
	"fmt"
	"slices"
	"strings"
)

// Type is a kind of hook. A new kind is a file with its Type, and a row in types.
type Type struct {
	Name      string
	Arguments []Argument // arguments of this type only
	make      func(r *Runner, s Spec) (hook, error)
}

// Argument is an argument of a type.
type Argument struct {
	Name        string
	Description string // Markdown, for the documentation
	Kind        Kind
	Optional    bool
	check       func(values []string) []Fault // nil if every value is valid
}

// Kind is the kind of value that an argument takes.
type Kind int

// The kinds of values.
const (
	Text   Kind = iota
	Secret      // text that no plan and no message shows
	List        // list of texts
)

// Fault is something wrong with an argument. Its text has no sensitive value.
type Fault struct {
	Argument string // "" if a diagnostic must not quote the argument, because its source line has a secret in it
	Text     string
	Warning  bool // reports whether the hook works anyway
}

// types lists the types of hooks, in the order of the documentation.
var types = []Type{webhookType, commandType}

// Types lists the types of hooks.
func Types() []Type { return slices.Clone(types) }

func find(name string) (Type, bool) {
	i := slices.IndexFunc(types, func(t Type) bool { return t.Name == name })
	if i < 0 {
		return Type{}, false
	}
	return types[i], true
}

// Check returns the faults of the arguments. An unknown argument is neither missing nor wrong. An unknown type has no
// faults, because it is refused elsewhere.
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
					"A hook of type %s takes %s. Remove it, or change the type.", a.Name, t.Name, kind.Name,
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

// Check returns an error if the settings of the provider block do not allow a hook.
func (r *Runner) Check(s Spec) error {
	_, err := s.make(r)
	return err
}

// make makes the hook, or returns what is wrong with it.
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
