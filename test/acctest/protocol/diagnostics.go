package protocol

import (
	"errors"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// Said is all that the provider reported, warnings too, as Terraform prints it.
func (p *Provider) Said() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.Join(p.said, "\n")
}

// At is [At] of all that the provider reported.
func (p *Provider) At() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.Join(p.at, "\n")
}

// At is where diagnostics point: the path of the argument and the summary of each, as in
// "servergroup.policies: The server group has other rules".
func At(diagnostics []*tfprotov6.Diagnostic) string {
	var list []string
	for _, d := range diagnostics {
		list = append(list, pathOf(d.Attribute)+": "+d.Summary)
	}
	return strings.Join(list, "\n")
}

// pathOf writes a path as people do: servers["web-0"].address.
func pathOf(at *tftypes.AttributePath) string {
	var b strings.Builder
	for _, step := range at.Steps() {
		switch step := step.(type) {
		case tftypes.AttributeName:
			b.WriteString("." + string(step))
		case tftypes.ElementKeyString:
			fmt.Fprintf(&b, "[%q]", string(step))
		case tftypes.ElementKeyInt:
			fmt.Fprintf(&b, "[%d]", int64(step))
		}
	}
	return strings.TrimPrefix(b.String(), ".")
}

// failure is [Failure], and keeps what is said.
func (p *Provider) failure(err error, diagnostics []*tfprotov6.Diagnostic) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, d := range diagnostics {
		p.said = append(p.said, fmt.Sprintf("%s: %s\n%s", d.Severity, d.Summary, d.Detail))
	}
	if len(diagnostics) > 0 {
		p.at = append(p.at, At(diagnostics))
	}
	return Failure(err, diagnostics)
}

// Failure is what diagnostics report, warnings left out. One in which the plugin framework
// accuses the provider panics: whatever a user writes, a sentence of ours answers it.
func Failure(err error, diagnostics []*tfprotov6.Diagnostic) error {
	errs := []error{err}
	for _, d := range diagnostics {
		if strings.Contains(d.Detail, "error in the provider") {
			panic(d.Summary + ": " + d.Detail)
		}
		if d.Severity == tfprotov6.DiagnosticSeverityError {
			errs = append(errs, fmt.Errorf("%s: %s", d.Summary, d.Detail))
		}
	}
	return errors.Join(errs...)
}
