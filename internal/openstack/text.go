package openstack

import (
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
	"golang.org/x/text/unicode/norm"
)

// Text is a text from the cloud. It is cleaned when it is decoded, and in Unicode's form NFC, as all texts of
// Terraform are: so names from both can be compared.
type Text string

// UnmarshalText implements [encoding.TextUnmarshaler].
func (t *Text) UnmarshalText(raw []byte) error {
	*t = Text(text.Clean(norm.NFC.String(string(raw))))
	return nil
}
