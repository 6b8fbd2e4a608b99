package provider_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/schemas"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const schemaFile = "testdata/schema.json"

// TestSchema: the interface of the provider, as "terraform providers schema
// -json" prints it, is the one in the file. So each change of it shows in review.
func TestSchema(t *testing.T) {
	t.Parallel()
	got := currentSchema(t)
	if *update {
		writeJSON(t, schemaFile, got)
	}
	var want map[string]any
	readJSON(t, schemaFile, &want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the interface is not that of %s; if that is meant, run go test ./internal/provider -run 'TestSchema$' -update\n%s", schemaFile, diff)
	}
}

func currentSchema(t *testing.T) map[string]any {
	t.Helper()
	w := acctest.NewFake(t, fakecloud.Config{}).Workspace(t, "provider \"stackpolicy\" {}\n")
	text, err := w.Run(t.Context(), "providers", "schema", "-json")
	require.NoError(t, err)
	var all struct {
		Providers map[string]map[string]any `json:"provider_schemas"`
	}
	require.NoError(t, json.Unmarshal([]byte(text), &all))
	got := map[string]any{"resource_identity_schemas": identities(t)}
	actions, err := schemas.Actions(t.Context())
	require.NoError(t, err)
	packed, err := json.Marshal(map[string]any{"action_schemas": actions})
	require.NoError(t, errors.Join(err, json.Unmarshal(packed, &got)))
	for address, has := range all.Providers {
		if strings.HasSuffix(address, "/stackpolicy/stackpolicy") {
			// What newer versions of terraform print in addition is left out: all print these.
			for _, part := range []string{"provider", "resource_schemas", "data_source_schemas", "functions"} {
				got[part] = has[part]
			}
		}
	}
	return got
}

// identities are the schemas of the resources' identities. The provider is asked
// itself, as for its actions, because terraform prints them from 1.12 on.
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

// resourceSchemas are those of all resources, as terraform prints them.
type resourceSchemas struct {
	Resources map[string]struct {
		Version int         `json:"version"`
		Block   schemaBlock `json:"block"`
	} `json:"resource_schemas"`
}

type schemaBlock struct {
	Attributes map[string]schemaAttribute `json:"attributes"`
	Blocks     map[string]struct {
		Nesting string      `json:"nesting_mode"`
		Block   schemaBlock `json:"block"`
	} `json:"block_types"`
}

type schemaAttribute struct {
	Type   any `json:"type"`
	Nested *struct {
		Nesting    string                     `json:"nesting_mode"`
		Attributes map[string]schemaAttribute `json:"attributes"`
	} `json:"nested_type"`
}

// lost names what a state written with the schemas before can hold and those
// after cannot read without an upgrader: a resource or attribute that is missing
// or of another type, in a schema of the same version. A schema of a higher
// version has an upgrader, or no state of the lower version can be read.
func lost(before, after resourceSchemas) (list []string) {
	for name, old := range before.Resources {
		now, ok := after.Resources[name]
		switch {
		case !ok:
			list = append(list, name+" is missing")
		case now.Version < old.Version:
			list = append(list, fmt.Sprintf("%s has version %d after %d", name, now.Version, old.Version))
		case now.Version == old.Version:
			list = append(list, lostBlock(name, old.Block, now.Block)...)
		}
	}
	slices.Sort(list)
	return list
}

func lostBlock(at string, before, after schemaBlock) []string {
	list := lostAttributes(at, before.Attributes, after.Attributes)
	for name, old := range before.Blocks {
		now, ok := after.Blocks[name]
		if !ok || now.Nesting != old.Nesting {
			list = append(list, fmt.Sprintf("%s.%s was a block (%s)", at, name, old.Nesting))
			continue
		}
		list = append(list, lostBlock(at+"."+name, old.Block, now.Block)...)
	}
	return list
}

func lostAttributes(at string, before, after map[string]schemaAttribute) (list []string) {
	for name, old := range before {
		now, ok := after[name]
		switch {
		case !ok:
			list = append(list, fmt.Sprintf("%s.%s is missing", at, name))
		case (old.Nested == nil) != (now.Nested == nil), !reflect.DeepEqual(old.Type, now.Type),
			old.Nested != nil && old.Nested.Nesting != now.Nested.Nesting:
			list = append(list, fmt.Sprintf("%s.%s has another type", at, name))
		case old.Nested != nil:
			list = append(list, lostAttributes(at+"."+name, old.Nested.Attributes, now.Nested.Attributes)...)
		}
	}
	return list
}

func TestLost(t *testing.T) {
	const schema = `{"resource_schemas": {"a": {"version": 1, "block": {
		"attributes": {"id": {"type": "string"}, "nodes": {"type": ["map", ["object", {"zone": "string"}]]},
			"places": {"nested_type": {"nesting_mode": "list", "attributes": {"name": {"type": "string"}}}}},
		"block_types": {"hook": {"nesting_mode": "single", "block": {"attributes": {"url": {"type": "string"}}}}}}}}}`
	for _, c := range []struct {
		name, old, new string
		want           string
	}{
		{"nothing changes", ``, ``, ``},
		{"an attribute is added", `{"id":`, `{"more": {"type": "bool"}, "id":`, ``},
		{"an attribute is renamed", `"id"`, `"name"`, `a.id is missing`},
		{"an attribute has another type", `"id": {"type": "string"}`, `"id": {"type": "number"}`, `a.id has another type`},
		{"the type of an element", `{"zone": "string"}`, `{"zone": "string", "region": "string"}`, `a.nodes has another type`},
		{"a list becomes a set", `"nesting_mode": "list"`, `"nesting_mode": "set"`, `a.places has another type`},
		{"a nested attribute is renamed", `{"name": {"type"`, `{"region": {"type"`, `a.places.name is missing`},
		{"a nested attribute becomes a plain one", `"places": {"nested_type": {"nesting_mode": "list", "attributes": {"name": {"type": "string"}}}}`,
			`"places": {"type": "string"}`, `a.places has another type`},
		{"a block becomes a list", `"nesting_mode": "single"`, `"nesting_mode": "list"`, `a.hook was a block (single)`},
		{"an attribute of a block is renamed", `"url"`, `"uri"`, `a.hook.url is missing`},
		{"a resource is renamed", `{"a":`, `{"b":`, `a is missing`},
		{"a higher version", `"version": 1, "block": {`, `"version": 2, "block": {}, "x": {`, ``},
		{"a lower version", `"version": 1`, `"version": 0`, `a has version 0 after 1`},
	} {
		var before, after resourceSchemas
		changed := strings.Replace(schema, c.old, c.new, 1)
		if c.old != "" && changed == schema {
			t.Fatalf("%s: nothing was changed", c.name)
		}
		require.NoError(t, errors.Join(json.Unmarshal([]byte(schema), &before), json.Unmarshal([]byte(changed), &after)), c.name)
		assert.Equal(t, c.want, strings.Join(lost(before, after), "; "), c.name)
	}
}
