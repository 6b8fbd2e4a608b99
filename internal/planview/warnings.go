package planview

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

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
