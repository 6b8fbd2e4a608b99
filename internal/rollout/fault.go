package rollout

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/planview"
)

// FailedError is the reason why terraform failed.
type FailedError struct {
	Faults []Fault
}

// Fault is an error that terraform printed.
type Fault struct {
	Address, Summary, Detail string
}

// Error implements [error].
func (f *FailedError) Error() string {
	parts := make([]string, len(f.Faults))
	for i, fault := range f.Faults {
		parts[i] = fault.Summary
		if fault.Address != "" {
			parts[i] = fault.Address + ": " + fault.Summary
		}
		if fault.Detail != "" {
			parts[i] += "\n" + fault.Detail
		}
	}
	return strings.Join(parts, "\n\n")
}

// fault returns the reason in a log why terraform failed.
func fault(what string, log []byte, err error) error {
	var failure FailedError
	for line := range bytes.Lines(log) {
		var l planview.LogLine
		if json.Unmarshal(line, &l) == nil && l.Diagnostic != nil && l.Diagnostic.Severity == "error" {
			d := l.Diagnostic
			failure.Faults = append(failure.Faults, Fault{d.Address, d.Summary, d.Detail})
		}
	}
	if len(failure.Faults) == 0 {
		return fmt.Errorf("%s: %w", what, err)
	}
	// Terraform works on several resources at once, so their order changes.
	slices.SortStableFunc(failure.Faults, func(a, b Fault) int { return cmp.Compare(a.Address, b.Address) })
	return &failure
}
