package provider_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/protocol"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite golden files")

const schemaFile = "testdata/schema.json"

// TestSchema: the interface of the provider, as "terraform providers schema
// -json" prints it, equals the file, so that each change of it shows in review.
func TestSchema(t *testing.T) {
	t.Parallel()
	got := currentSchema(t)
	if *update {
		writeJSON(t, schemaFile, got)
	}
	var want map[string]any
	readJSON(t, schemaFile, &want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the interface differs from %s; if that is meant, run go test ./internal/provider -run 'TestSchema$' -update\n%s", schemaFile, diff)
	}
}

func currentSchema(t *testing.T) map[string]any {
	t.Helper()
	w := acctest.NewFake(t, fakecloud.Config{}).Workspace(t, "provider \"stackpolicy\" {}\n")
	text := acctest.Must(t, w, "providers", "schema", "-json")
	var all struct {
		Providers map[string]map[string]any `json:"provider_schemas"`
	}
	require.NoError(t, json.Unmarshal([]byte(text), &all))
	got := map[string]any{"resource_identity_schemas": identities(t)}
	packed, err := json.Marshal(map[string]any{"action_schemas": protocol.ActionSchemas()})
	require.NoError(t, errors.Join(err, json.Unmarshal(packed, &got)))
	for address, has := range all.Providers {
		if strings.HasSuffix(address, "/stackpolicy/stackpolicy") {
			// Only the parts that all versions of terraform print are compared.
			for _, part := range []string{"provider", "resource_schemas", "data_source_schemas", "functions"} {
				got[part] = has[part]
			}
		}
	}
	return got
}

// identities returns the schemas of the resources' identities. They come from the
// provider itself, as its actions do, because terraform prints them only since 1.12.
func identities(t *testing.T) any {
	t.Helper()
	server, err := acctest.Factories()["stackpolicy"]()
	require.NoError(t, err)
	answer, err := server.GetResourceIdentitySchemas(t.Context(), &tfprotov6.GetResourceIdentitySchemasRequest{})
	require.NoError(t, err)
	list := map[string]any{}
	for name, schema := range answer.IdentitySchemas {
		attributes := map[string]any{}
		for _, a := range schema.IdentityAttributes {
			attributes[a.Name] = map[string]any{
				"type": a.Type.String(), "description": a.Description, "required": a.RequiredForImport, "optional": a.OptionalForImport,
			}
		}
		list[name] = map[string]any{"version": float64(schema.Version), "attributes": attributes}
	}
	return list
}

func readJSON(t *testing.T, file string, into any) {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, errors.Join(err, json.Unmarshal(text, into)))
}

func writeJSON(t *testing.T, file string, value any) {
	t.Helper()
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	require.NoError(t, errors.Join(encoder.Encode(value), os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, b.Bytes(), 0o600)))
}

// TestImportOfNothing: an id that is empty, has no region, or has only a region is one error, about the id.
func TestImportOfNothing(t *testing.T) {
	t.Parallel()
	fake := fakecloud.Start(t, fakecloud.Config{})
	for kind := range protocol.Start(t, fake, fakecloud.MemberUser, "RegionOne").Schemas.ResourceSchemas {
		ids := []string{""}
		if kind == "stackpolicy_affinity_attachment" || kind == "stackpolicy_deletion_attachment" {
			ids = append(ids, "s-1", "RegionOne/", "/s-1")
		}
		for _, id := range ids {
			p := protocol.Start(t, fake, fakecloud.MemberUser, "RegionOne")
			_, err := p.Adopt(t.Context(), kind, id)
			assert.Error(t, err, "%s: %q", kind, id)
			assert.Equal(t, ": Invalid import id", p.At(), "%s: %q: said %s", kind, id, p.Said())
		}
	}
}
