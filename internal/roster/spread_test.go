package roster

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
)

// placed is a roster of nodes at places, the first of revision 2 and the others of
// revision 1.
func placed(places ...Place) Roster {
	r := Roster{Nodes: map[string]Node{}}
	for i, at := range places {
		r.Nodes[web(int64(i))] = Node{Index: int64(i), Place: at, Revision: 1}
	}
	n := r.Nodes[web(0)]
	n.Revision = 2
	r.Nodes[web(0)] = n
	return r
}

// TestSpread: regions with their zones after them, as they are listed; then what
// nobody lists.
func TestSpread(t *testing.T) {
	r := placed(Place{"R2", "a"}, Place{"R2", "a"}, Place{"R2", "old"}, Place{"R1", ""}, Place{"R3", "a"}, Place{"R2", "a"})
	capped := bin("R2", 200)
	capped.Cap = 4
	listed := []placement.Region{{Bin: capped, Zones: []placement.Bin{bin("b", 100), bin("a", 300)}}, {Bin: bin("R1", 100)}}
	var got []string
	for _, row := range Spread(r, listed) {
		got = append(got, fmt.Sprintf("%s zone=%t %d of %s %v %s", row.Place, row.IsZone, row.Bin.Current, row.Ideal.RatString(), row.Revisions, row.Note))
	}
	want := []string{
		"R2 zone=false 4 of 4 map[1:3 2:1] full: cap",
		"R2/b zone=true 0 of 1 map[] ",
		"R2/a zone=true 3 of 3 map[1:2 2:1] ",
		"R2/old zone=true 1 of 0 map[1:1] not listed: removed first",
		"R1 zone=false 1 of 2 map[1:1] ",
		"R3 zone=false 1 of 0 map[1:1] not listed: removed first",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// TestNote: the first of what binds in a place.
func TestNote(t *testing.T) {
	for _, c := range []struct {
		bin  placement.Bin
		want string
	}{
		{placement.Bin{Weight: 1, Cap: placement.Unlimited, Current: 3}, ""},
		{placement.Bin{Weight: 1, Cap: 4, Current: 3, Min: 3}, ""},
		{placement.Bin{Weight: 1, Cap: 4, Current: 2, Min: 3}, "below min"},
		{placement.Bin{Weight: 1, Cap: 3, Current: 3, Min: 3}, "full: cap"},
		{placement.Bin{Weight: 1, Cap: 2, Current: 3}, "1 above cap: removed first"},
		{placement.Bin{Weight: 0, Cap: 0, Current: 3}, "not listed: removed first"},
	} {
		if got := note(c.bin); got != c.want {
			t.Errorf("%+v: got %q, want %q", c.bin, got, c.want)
		}
	}
}

// TestDistribution: a listed place without nodes has 0 of them.
func TestDistribution(t *testing.T) {
	r := placed(Place{"R1", "a"}, Place{"R1", "a"}, Place{"R4", "a"})
	listed := []placement.Region{{Bin: bin("R1", 1), Zones: []placement.Bin{bin("a", 1), bin("b", 1)}}, {Bin: bin("R2", 1), Zones: []placement.Bin{bin("a", 1)}}, {Bin: bin("R3", 1)}}
	if got := fmt.Sprint(Distribution(r, listed)); got != "map[R1:map[a:2 b:0] R2:map[a:0] R3:map[] R4:map[a:1]]" {
		t.Errorf("got %s", got)
	}
}
