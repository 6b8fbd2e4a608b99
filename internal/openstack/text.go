package openstack

import (
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
	"golang.org/x/text/unicode/norm"
)

// Text is text of a cloud. It is clean from its decoding on, and in Unicode's form NFC,
// as all text of Terraform is: so names of both can be compared.
type Text string

// UnmarshalText implements [encoding.TextUnmarshaler].
func (t *Text) UnmarshalText(raw []byte) error {
	*t = Text(text.Clean(norm.NFC.String(string(raw))))
	return nil
}
