package placementtf

import (
	"fmt"
	"strings"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
)

// spreadTable returns the present spread of a cluster as a table for people. With
// templates it says how many nodes of each place have the wanted one.
func spreadTable(r roster.Roster, listed []placement.Region, templates roster.Templates) string {
	regions, zones := map[string]share{}, map[placement.Place]share{}
	var all share
	for _, n := range r.Nodes {
		wanted := n.Template == templates.At(n.Place)
		regions[n.Region] = regions[n.Region].with(wanted)
		zones[n.Place] = zones[n.Place].with(wanted)
		all = all.with(wanted)
	}
	return placement.NewBoard(listed, r.Counts()).Table(func(row placement.Row) string {
		switch {
		case len(templates) == 0:
			return ""
		case row.Ideal == nil:
			return all.String()
		case row.IsZone:
			return zones[row.Place].String()
		}
		return regions[row.Region].String()
	})
}

// share counts the nodes with the wanted template, and the other nodes.
type share struct{ wanted, others int }

func (s share) with(wanted bool) share {
	if wanted {
		s.wanted++
	} else {
		s.others++
	}
	return s
}

// String returns "wanted 4, others 2", and leaves out a number of 0.
func (s share) String() string {
	var parts []string
	if s.wanted > 0 {
		parts = append(parts, fmt.Sprintf("wanted %d", s.wanted))
	}
	if s.others > 0 {
		parts = append(parts, fmt.Sprintf("others %d", s.others))
	}
	return strings.Join(parts, ", ")
}
