package acctest

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
)

// Inputs and results of plans and functions.

// Offline runs steps with an empty provider block and no cloud at all.
func Offline(t *testing.T, steps ...resource.TestStep) {
	t.Helper()
	Terraform(t)
	resource.Test(t, resource.TestCase{IsUnitTest: true, ProtoV6ProviderFactories: Factories(), Steps: steps})
}

// RequiresProvider begins a configuration of [Offline]: without a provider block it must say where the provider comes
// from.
const RequiresProvider = `terraform {
  required_providers {
    stackpolicy = {
      source = "hashicorp/stackpolicy"
    }
  }
}
`

// Counts is a map of whole numbers: Counts("az-1", 2, "az-2", 1).
func Counts(pairs ...any) knownvalue.Check {
	want := map[string]knownvalue.Check{}
	for i := 0; i < len(pairs); i += 2 {
		want[pairs[i].(string)] = knownvalue.Int64Exact(int64(pairs[i+1].(int)))
	}
	return knownvalue.MapExact(want)
}

// Share is the creation or deletion of a region plan without zones.
func Share(count int, regions knownvalue.Check) knownvalue.Check {
	return knownvalue.ObjectExact(map[string]knownvalue.Check{
		"count":   knownvalue.Int64Exact(int64(count)),
		"regions": regions,
		"zones":   knownvalue.Null(),
	})
}

// ZoneShare is the creation or deletion of a zone plan.
func ZoneShare(count int, region string, zones knownvalue.Check) knownvalue.Check {
	return knownvalue.ObjectExact(map[string]knownvalue.Check{
		"count":  knownvalue.Int64Exact(int64(count)),
		"region": knownvalue.StringExact(region),
		"zones":  zones,
	})
}
