package cluster

import (
	"strings"
	"testing"
)

func TestChange(t *testing.T) {
	n := func(n int64) *int64 { return &n }
	for _, c := range []struct {
		name    string
		request Request
		want    int64
	}{
		{"scale out", Request{ScaleOut: n(3)}, 3},
		{"scale in", Request{ScaleIn: n(2)}, -2},
		{"resize", Request{Resize: &Resize{AdjustmentType: ExactCapacity, Number: n(9)}}, 4},
		{"resize to fewer", Request{Resize: &Resize{MaxSize: n(3)}}, -2},
		{"one node", Request{NodeCreate: &Place{}}, 1},
		{"a decision alone", Request{Decision: &Decision{Creation: n(4)}}, 4},
		{"a decision takes precedence", Request{ScaleIn: n(2), Decision: &Decision{Deletion: n(3)}}, -3},
		{"over a resize too", Request{Resize: &Resize{MaxSize: n(3)}, Decision: &Decision{Creation: n(1)}}, 1},
		{"an empty decision leaves the request", Request{ScaleOut: n(2), Decision: &Decision{}}, 2},
		{"and alone changes nothing", Request{Decision: &Decision{}}, 0},
	} {
		if err := c.request.Check(); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if got, err := c.request.Change(5); err != nil || got != c.want {
			t.Errorf("%s: got %d (%v), want %d", c.name, got, err, c.want)
		}
	}
}

func TestRequestCheck(t *testing.T) {
	one := int64(1)
	five := int64(5)
	for _, c := range []struct {
		request Request
		want    string
	}{
		{Request{}, ": Nothing is asked of the cluster"},
		{Request{ScaleOut: &one, ScaleIn: &one}, "scale_in: Two requests are made at once, scale_out and scale_in"},
		{Request{Resize: &Resize{}, NodeCreate: &Place{}}, "node_create: Two requests are made at once, resize and node_create"},
		{Request{Decision: &Decision{Creation: &one, Deletion: &one}}, "decision: A decision creates nodes or deletes them"},
		{Request{ScaleOut: &one, Decision: &Decision{Deletion: &one}}, "decision: The decision deletes nodes, and scale_out"},
		{Request{ScaleIn: &one, Decision: &Decision{Creation: &one}}, "decision: The decision creates nodes, and scale_in"},
		{Request{Resize: &Resize{AdjustmentType: ChangeInPercentage}}, "resize.number: CHANGE_IN_PERCENTAGE needs a number."},
		{Request{Resize: &Resize{MinSize: &five, MaxSize: &one}}, "resize.min_size: The specified min_size (5) is greater"},
	} {
		if err := c.request.Check(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %q", err, c.want)
		}
	}
}
