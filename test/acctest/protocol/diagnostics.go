package protocol

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/stretchr/testify/assert"
)

// Said returns all diagnostics of the provider, warnings too, as Terraform prints them.
func (p *Provider) Said() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.Join(p.said, "\n")
}

// At returns [At] of all diagnostics of the provider.
func (p *Provider) At() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.Join(p.at, "\n")
}

// Expect fails unless the diagnostics of the provider are at these places, as [At] writes them, and say a text.
func (p *Provider) Expect(t testing.TB, at, says string) {
	t.Helper()
	assert.Equal(t, at, p.At(), "said %s", p.Said())
	assert.Contains(t, p.Said(), says)
}

// At returns where diagnostics point: the path of the argument and the summary of each, as in "servergroup.policies:
// The server group has other rules".
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

// failure is [Failure], and records the diagnostics.
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

// Failure returns the errors among diagnostics. It panics if the plugin framework blames the provider: any input of a
// user must get an error in the provider's own words.
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
