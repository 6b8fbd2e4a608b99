package examples_test

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/fakecloud"
)

// TestFromSenlin: policies as they were written for Senlin place and choose nodes.
func TestFromSenlin(t *testing.T) {
	t.Parallel()
	c := acctest.NewFake(t, fakecloud.Config{})
	for i := range 4 {
		c.Fake.AddServers("RegionOne", fakecloud.Server{Name: fmt.Sprintf("web-%d", i), Zone: fmt.Sprintf("az-%d", i%2+1)})
	}
	w := c.Example(t, "guides/from-senlin")
	if text, err := w.Apply(t.Context()); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	var spread map[string]map[string]int
	var removed []string
	var deletion struct {
		Grace  int  `json:"grace_period"`
		Reduce bool `json:"reduce_desired_capacity"`
	}
	for name, into := range map[string]any{"distribution": &spread, "removed": &removed, "deletion": &deletion} {
		if err := w.Output(t.Context(), name, into); err != nil {
			t.Fatal(err)
		}
	}
	want := map[string]map[string]int{"RegionOne": {"az-1": 1, "az-2": 1}, "RegionTwo": {"az-1": 1, "az-2": 3}}
	if !reflect.DeepEqual(spread, want) {
		t.Errorf("the nodes are spread %v, want %v", spread, want)
	}
	if len(removed) != 2 || deletion.Grace != 60 || deletion.Reduce {
		t.Errorf("removed are %v, with %+v", removed, deletion)
	}
}
