package playground

import (
	"fmt"
	"strings"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
)

// hcl returns the configuration of the cluster, without arguments that have their default.
func (s State) hcl() string {
	var b strings.Builder
	fmt.Fprintf(
		&b,
		"resource \"stackpolicy_placement_attachment\" %q {\n  cluster          = %q\n  desired_capacity = %d\n\n  "+
			"regions = [\n",
		cluster,
		cluster,
		s.Capacity,
	)
	for _, r := range s.Regions {
		if len(r.Zones) == 0 {
			fmt.Fprintf(&b, "    { %s },\n", r.fields())
			continue
		}
		fmt.Fprintf(&b, "    { %s, zones = [\n", r.fields())
		for _, z := range r.Zones {
			fmt.Fprintf(&b, "      { %s },\n", z.fields())
		}
		b.WriteString("    ] },\n")
	}
	b.WriteString("  ]\n")
	if s.Step > 0 {
		fmt.Fprintf(
			&b,
			"\n  template = {\n    image = var.image\n  }\n\n  update {\n    causes         = [\"TEMPLATE\"]\n    "+
				"max_batch_size = %s\n  }\n",
			quote(s.Batch),
		)
	}
	b.WriteString("}\n")
	return b.String()
}

// fields returns the arguments of a place.
func (p Bin) fields() string {
	list := []string{"name = " + quote(p.Name)}
	if p.Weight != placement.DefaultWeight {
		list = append(list, fmt.Sprintf("weight = %d", p.Weight))
	}
	if p.Cap != placement.Unlimited {
		list = append(list, fmt.Sprintf("cap = %d", p.Cap))
	}
	if p.Min != 0 {
		list = append(list, fmt.Sprintf("min = %d", p.Min))
	}
	return strings.Join(list, ", ")
}

// quote returns a string of HCL without templates.
func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < 0x20 || r == 0x7f:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return strings.NewReplacer("${", "$${", "%{", "%%{").Replace(b.String())
}
