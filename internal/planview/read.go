// Package planview draws the placement attachments of a Terraform plan: as
// Markdown for a pull request, as a picture, and as a page. It reads what
// "terraform show -json" prints of a saved plan, decides nothing, and draws the
// same plan in the same way to the byte.
package planview

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
)

// resourceType is what is drawn.
const resourceType = "stackpolicy_placement_attachment"

// ErrNoPlacement says that a plan has no placement attachment.
var ErrNoPlacement = errors.New("the plan has no " + resourceType)

// The newest major version of the format that is understood.
const formatMajor = 1

// planJSON is what is read of the output of "terraform show -json".
type planJSON struct {
	FormatVersion   *string          `json:"format_version"`
	PlannedValues   json.RawMessage  `json:"planned_values"`
	Values          json.RawMessage  `json:"values"`
	ResourceChanges []resourceChange `json:"resource_changes"`
}

type resourceChange struct {
	Address      string `json:"address"`
	Module       string `json:"module_address"`
	Mode         string `json:"mode"`
	Type         string `json:"type"`
	Deposed      string `json:"deposed"`
	ActionReason string `json:"action_reason"`
	Change       struct {
		Actions         []string        `json:"actions"`
		Before          json.RawMessage `json:"before"`
		After           json.RawMessage `json:"after"`
		AfterUnknown    json.RawMessage `json:"after_unknown"`
		BeforeSensitive json.RawMessage `json:"before_sensitive"`
		AfterSensitive  json.RawMessage `json:"after_sensitive"`
		Importing       json.RawMessage `json:"importing"`

		ReplacePaths [][]json.RawMessage `json:"replace_paths"`
	} `json:"change"`
}

// Read reads the plan that "terraform show -json" or "tofu show -json" printed.
// The attachments are sorted by their addresses. Without any the error is
// [ErrNoPlacement].
func Read(text []byte) (Plan, error) {
	text = decode(text)
	if err := recognise(text); err != nil {
		return Plan{}, err
	}
	var plan planJSON
	if err := json.Unmarshal(text, &plan); err != nil {
		if isLog(text) {
			return Plan{}, errors.New(
				`this is the log that "terraform plan -json" prints, not the plan: save the plan with -out=FILE and ` +
					`give what "terraform show -json FILE" prints`,
			)
		}
		return Plan{}, fmt.Errorf("this is not the JSON of a plan: %w", err)
	}
	if err := plan.check(); err != nil {
		return Plan{}, err
	}
	var found []Attachment
	for _, change := range plan.ResourceChanges {
		if change.Mode != "managed" || change.Type != resourceType || change.Deposed != "" {
			continue
		}
		a, err := change.read()
		if err != nil {
			return Plan{}, fmt.Errorf("%s: %w", cmp.Or(change.Address, change.Type), err)
		}
		found = append(found, a)
	}
	if len(found) == 0 {
		return Plan{}, ErrNoPlacement
	}
	slices.SortFunc(found, func(a, b Attachment) int { return cmp.Compare(a.Address, b.Address) })
	return Plan{found, explain(found, plan.ResourceChanges)}, nil
}

// decode removes a byte order mark, and turns UTF-16, which PowerShell writes, into
// UTF-8.
func decode(text []byte) []byte {
	var order binary.ByteOrder
	switch {
	case bytes.HasPrefix(text, []byte("\xff\xfe")):
		order = binary.LittleEndian
	case bytes.HasPrefix(text, []byte("\xfe\xff")):
		order = binary.BigEndian
	default:
		return bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	}
	units := make([]uint16, 0, len(text)/2)
	for i := 2; i+1 < len(text); i += 2 {
		units = append(units, order.Uint16(text[i:]))
	}
	return []byte(string(utf16.Decode(units)))
}

// recognise refuses what is easily given by mistake.
func recognise(text []byte) error {
	switch {
	case len(bytes.TrimSpace(text)) == 0:
		return errors.New(`the input is empty: give what "terraform show -json FILE" prints of a saved plan`)
	case bytes.HasPrefix(text, []byte("PK\x03\x04")):
		return errors.New(`this is a saved plan itself: give what "terraform show -json FILE" prints of it`)
	}
	return nil
}

// isLog reports whether a text has one JSON object on each line, of Terraform's
// log.
func isLog(text []byte) bool {
	first, _, _ := bytes.Cut(text, []byte("\n"))
	var line struct {
		Level string `json:"@level"`
	}
	return json.Unmarshal(first, &line) == nil && line.Level != ""
}

// check refuses what is not a plan, or one of a format that is not known.
func (p planJSON) check() error {
	if p.FormatVersion == nil {
		return errors.New(
			`this is not the JSON of a plan, it has no format_version: give what "terraform show -json FILE" prints ` +
				`of a saved plan`,
		)
	}
	major, err := strconv.Atoi(strings.SplitN(*p.FormatVersion, ".", 2)[0])
	if err != nil {
		return fmt.Errorf("the format_version %q is not a version", *p.FormatVersion)
	}
	if major > formatMajor {
		return fmt.Errorf(
			"the plan has the format_version %s, and this planview understands %d: a newer planview is needed",
			*p.FormatVersion,
			formatMajor,
		)
	}
	if p.PlannedValues == nil && p.ResourceChanges == nil {
		if p.Values != nil {
			return errors.New(
				`this is a state, not a plan: save a plan with "terraform plan -out=FILE" and give what ` +
					`"terraform show -json FILE" prints`,
			)
		}
		return errors.New("this is not a plan: it has neither planned_values nor resource_changes")
	}
	return nil
}

// read translates the change of an attachment.
func (c resourceChange) read() (Attachment, error) {
	a := Attachment{Address: c.Address, module: c.Module, Imported: given(c.Change.Importing)}
	switch actions := strings.Join(c.Change.Actions, " "); actions {
	case "no-op", "read":
		a.Action = Keep
	case "create":
		a.Action = Create
	case "update":
		a.Action = Update
	case "delete", "forget":
		a.Action = Delete
	case "delete create", "create delete", "create forget":
		a.Action = Replace
	default:
		return a, fmt.Errorf("the actions %q are not known", actions)
	}
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
	for _, text := range []json.RawMessage{c.Change.BeforeSensitive, c.Change.AfterSensitive} {
		for name, is := range marks(text) {
			hidden[name] = hidden[name] || is
		}
	}
	a.fill(before, after, marks(c.Change.AfterUnknown), hidden)
	return a, nil
}

// given reports whether a value is there and not null.
func given(value json.RawMessage) bool { return len(value) > 0 && string(value) != "null" }

// values reads the arguments and attributes of an attachment; nil: none.
func values(text json.RawMessage) (*attributes, error) {
	if !given(text) {
		return nil, nil //nolint:nilnil // there is none
	}
	v := new(attributes)
	if err := json.Unmarshal(text, v); err != nil {
		return nil, fmt.Errorf("its values are not those of a %s: %w", resourceType, err)
	}
	return v, nil
}

// marks lists the attributes of which something is marked: as unknown, or as
// sensitive.
func marks(text json.RawMessage) map[string]bool {
	var all map[string]json.RawMessage
	if json.Unmarshal(text, &all) != nil {
		return nil // false: nothing is
	}
	marked := map[string]bool{}
	for name, value := range all {
		marked[name] = bytes.Contains(value, []byte("true"))
	}
	return marked
}
