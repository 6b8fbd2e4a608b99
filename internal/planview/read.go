// Package planview describes the placement attachments of a Terraform plan for a pull request or a terminal. It reads
// the output of "terraform show -json" for a saved plan, decides nothing, and always says the same of a plan, to the
// byte.
package planview

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// resourceType is the type of the resources that are described.
const resourceType = "stackpolicy_placement_attachment"

// ErrNoPlacement means that a plan has no placement attachment.
var ErrNoPlacement = errors.New("the plan has no " + resourceType)

// planJSON has the fields that are read of the output of "terraform show -json". The package terraform-json does not
// have action_reason.
type planJSON struct {
	FormatVersion string          `json:"format_version"`
	PlannedValues json.RawMessage `json:"planned_values"`
	Changes       []*change       `json:"resource_changes"`
}

// change is the change of a resource.
type change struct {
	Address       string `json:"address"`
	Previous      string `json:"previous_address"`
	ModuleAddress string `json:"module_address"`
	Mode          string `json:"mode"`
	Type          string `json:"type"`
	DeposedKey    string `json:"deposed"`
	Reason        string `json:"action_reason"`
	Change        *struct {
		Actions         []string        `json:"actions"`
		Before          any             `json:"before"`
		After           any             `json:"after"`
		AfterUnknown    any             `json:"after_unknown"`
		BeforeSensitive any             `json:"before_sensitive"`
		AfterSensitive  any             `json:"after_sensitive"`
		Importing       json.RawMessage `json:"importing"`
		ReplacePaths    []any           `json:"replace_paths"`
	} `json:"change"`
}

// version matches the versions of the format that are understood.
var version = regexp.MustCompile(`^[01]\.[0-9]+$`)

// Read reads the output of "terraform show -json" or "tofu show -json". The attachments are sorted by their
// addresses. Without any, Read returns the other changes of the plan, and [ErrNoPlacement].
func Read(text []byte) (Plan, error) {
	text = decode(text)
	changes, err := changes(text)
	if err != nil {
		return Plan{}, err
	}
	var found []Attachment
	for _, c := range changes {
		if c.Type != resourceType || c.DeposedKey != "" {
			continue
		}
		a, err := c.read()
		if err != nil {
			return Plan{}, fmt.Errorf("%s: %w", cmp.Or(c.Address, c.Type), err)
		}
		found = append(found, a)
	}
	slices.SortFunc(found, func(a, b Attachment) int { return cmp.Compare(a.Address, b.Address) })
	plan := Plan{Attachments: found, Totals: totals(changes)}
	for _, c := range changes {
		if actions := c.actions(); len(actions) > 0 {
			plan.Changes = append(plan.Changes, c.Address+": "+strings.Join(actions, ", "))
		}
	}
	slices.Sort(plan.Changes)
	plan.explain(changes)
	if len(found) == 0 {
		return plan, ErrNoPlacement
	}
	return plan, nil
}

// changes returns the changes of managed resources.
func changes(text []byte) ([]change, error) {
	switch {
	case len(bytes.TrimSpace(text)) == 0:
		return nil, errors.New(`the input is empty: give the output of "terraform show -json FILE" for a saved plan`)
	case bytes.HasPrefix(text, []byte("PK\x03\x04")):
		return nil, errors.New(`this is a saved plan itself: give the output of "terraform show -json FILE" for it`)
	}
	var plan planJSON
	if err := json.Unmarshal(text, &plan); err != nil {
		if isLog(text) {
			return nil, errors.New(
				`this is the log that "terraform plan -json" prints, not the plan: save the plan with -out=FILE and ` +
					`give the output of "terraform show -json FILE"`,
			)
		}
		return nil, fmt.Errorf("this is not the JSON of a plan: %w", err)
	}
	switch {
	case !version.MatchString(plan.FormatVersion):
		return nil, fmt.Errorf("this is not the JSON of a plan, or not of a known version: its format_version is %q",
			plan.FormatVersion)
	case plan.PlannedValues == nil && plan.Changes == nil:
		return nil, errors.New(`this is not a plan, but perhaps a state: save a plan with "terraform plan -out=FILE" ` +
			`and give the output of "terraform show -json FILE"`)
	}
	var list []change
	for _, c := range plan.Changes {
		if c != nil && c.Change != nil && c.Mode == "managed" {
			list = append(list, *c)
		}
	}
	return list, nil
}

// decode removes a byte order mark, and turns UTF-16, which PowerShell writes, into UTF-8.
func decode(text []byte) []byte {
	decoded, _, _ := transform.Bytes(unicode.BOMOverride(transform.Nop), text) // JSON shows what is broken
	return decoded
}

// isLog reports whether a text has one JSON object on each line, as Terraform's log does.
func isLog(text []byte) bool {
	first, _, _ := bytes.Cut(text, []byte("\n"))
	var line struct {
		Level string `json:"@level"`
	}
	return json.Unmarshal(first, &line) == nil && line.Level != ""
}

// read translates the change of an attachment.
func (c change) read() (Attachment, error) {
	a := Attachment{Address: c.Address, module: c.ModuleAddress, Imported: c.imported()}
	action, known := c.action()
	switch {
	case !known:
		return a, fmt.Errorf("the actions %q are not known", strings.Join(c.Change.Actions, " "))
	case action == Forget:
		action = Delete // in both cases the attachment is in no state afterwards
	}
	a.Action = action
	before, err := values(c.Change.Before)
	if err != nil {
		return a, err
	}
	after, err := values(c.Change.After)
	if err != nil {
		return a, err
	}
	if (before == nil) != (a.Action == Create) || (after == nil) != (a.Action == Delete) {
		return a, fmt.Errorf("its values before and after do not belong to the actions %q", c.Change.Actions)
	}
	hidden := map[string]bool{}
	for _, values := range []any{c.Change.BeforeSensitive, c.Change.AfterSensitive} {
		for name, is := range marks(values) {
			hidden[name] = hidden[name] || is
		}
	}
	a.fill(before, after, hidden)
	return a, nil
}

// actions returns what an apply does to a resource, or to Terraform's memory of it. A deposed object is named without
// its key, because the next try has another key.
func (c change) actions() (list []string) {
	if a := c.Change.Actions; !slices.Contains(a, "no-op") && !slices.Contains(a, "read") {
		list = slices.Clone(a)
	}
	if c.DeposedKey != "" {
		list = append(list, "deposed")
	}
	if c.imported() {
		list = append(list, "import")
	}
	if c.Previous != "" && c.Previous != c.Address {
		list = append(list, "move")
	}
	return list
}

// imported reports whether an apply imports the resource.
func (c change) imported() bool {
	return len(c.Change.Importing) > 0 && string(c.Change.Importing) != "null"
}

// action returns what a change does. It returns false for unknown words.
func (c change) action() (action Action, known bool) {
	action, known = actions[strings.Join(c.Change.Actions, " ")]
	return action, known
}

// values reads the arguments and attributes of an attachment. It returns nil for null.
func values(of any) (*attributes, error) {
	if of == nil {
		return nil, nil //nolint:nilnil // there is none
	}
	v := new(attributes)
	text, err := json.Marshal(of)
	if err == nil {
		err = json.Unmarshal(text, v)
	}
	if err != nil {
		return nil, fmt.Errorf("its values do not fit a %s: %w", resourceType, err)
	}
	return v, nil
}

// marks lists the attributes that are marked, in whole or in part, as unknown or sensitive.
func marks(of any) map[string]bool {
	all, _ := of.(map[string]any) // otherwise it is false, and nothing is marked
	list := map[string]bool{}
	for name, value := range all {
		list[name] = marked(value)
	}
	return list
}

// marked reports whether something in a value is marked.
func marked(value any) bool {
	switch value := value.(type) {
	case bool:
		return value
	case []any:
		return slices.ContainsFunc(value, marked)
	case map[string]any:
		for _, v := range value {
			if marked(v) {
				return true
			}
		}
	}
	return false
}

// LogLine has the fields that are read of a line of a log of "terraform -json".
type LogLine struct {
	Level      string `json:"@level"`
	Type       string `json:"type"`
	Message    string `json:"@message"`
	Diagnostic *struct {
		Severity string `json:"severity"`
		Summary  string `json:"summary"`
		Detail   string `json:"detail"`
		Address  string `json:"address"`
	} `json:"diagnostic"`
}

// AddWarnings adds the warnings in a log of "terraform plan -json" to their attachments, because the JSON of a plan
// has no warnings. Warnings that are derived from the plan stay, unless the log has them too.
func AddWarnings(plan Plan, log []byte) error {
	list := plan.Attachments
	lines := 0
	found := make([][]Warning, len(list))
	for line := range bytes.Lines(decode(log)) {
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var l LogLine
		if err := json.Unmarshal(line, &l); err != nil {
			return fmt.Errorf("the log is not one of \"terraform plan -json\": %w", err)
		}
		if l.Level != "" {
			lines++
		}
		if d := l.Diagnostic; d != nil && d.Severity == "warning" {
			if i := slices.IndexFunc(list, func(a Attachment) bool { return a.isAbout(d.Address) }); i >= 0 {
				found[i] = append(found[i], Warning{oneLine(d.Summary), oneLine(d.Detail)})
			}
		}
	}
	if lines == 0 {
		return errors.New(`the log is not one of "terraform plan -json": it has no line with a level`)
	}
	for i := range list {
		for _, w := range list[i].Warnings {
			if !slices.Contains(found[i], w) {
				found[i] = append(found[i], w)
			}
		}
		list[i].Warnings = found[i]
	}
	return nil
}

// isAbout reports whether a warning at an address is about the attachment: it is at it, or at the readiness attachment
// of its module, which compares the planned servers with the nodes.
func (a *Attachment) isAbout(address string) bool {
	module, _, beside := strings.Cut(address, "stackpolicy_readiness_attachment.")
	return a.Address == address || beside && strings.TrimSuffix(module, ".") == a.module
}

// oneLine joins the lines of a text, and keeps all other characters.
func oneLine(s string) string {
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimSpace(line)
	}
	return strings.Join(slices.DeleteFunc(lines, func(line string) bool { return line == "" }), " ")
}
