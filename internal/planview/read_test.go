package planview_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/planview"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// kept is a plan of testdata.
func kept(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name+".json"))
	require.NoError(t, err)
	return text
}

func TestReadErrors(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, want string }{
		"nothing":        {" \n", "the input is empty"},
		"no JSON":        {"Terraform will perform", "this is not the JSON of a plan"},
		"a saved plan":   {"PK\x03\x04\x14", "this is a saved plan itself"},
		"other JSON":     {`{"a": 1}`, `its format_version is ""`},
		"a list":         {`[]`, "this is not the JSON of a plan"},
		"a state":        {`{"format_version": "1.0", "values": {}}`, "perhaps a state"},
		"an empty state": {`{"format_version": "1.0"}`, "perhaps a state"},
		"a newer format": {`{"format_version": "2.0", "planned_values": {}}`, "or not of a known version"},
		"no version":     {`{"format_version": "new", "planned_values": {}}`, `its format_version is "new"`},
		"a log":          {"{\"@level\":\"info\"}\n{\"@level\":\"info\"}\n", "this is the log"},
		"a number": {strings.Replace(string(kept(t, "same")), `"index": 1`, `"index": "one"`, 1),
			"stackpolicy_placement_attachment.web: its values do not fit a"},
		"an action": {strings.Replace(string(kept(t, "same")), `"no-op"`, `"explode"`, 1), `the actions "explode" are not known`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := planview.Read([]byte(c.text))
			assert.ErrorContains(t, err, c.want)
		})
	}
	for _, text := range []string{`{"format_version": "1.2", "planned_values": {"root_module": {}}}`,
		strings.ReplaceAll(string(kept(t, "same")), "stackpolicy_placement_attachment", "other"),
		strings.Replace(string(kept(t, "same")), `"managed"`, `"data"`, 1),
		// An object of an earlier apply that Terraform still has to delete is not the cluster.
		strings.Replace(string(kept(t, "same")), `"mode": "managed"`, `"deposed": "5ab4c0de", "mode": "managed"`, 1)} {
		_, err := planview.Read([]byte(text))
		assert.ErrorIs(t, err, planview.ErrNoPlacement)
	}
}

// TestReadVersions: all minor versions of the format are read, also below 1.
func TestReadVersions(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"0.2", "1.0", "1.99"} {
		_, err := planview.Read([]byte(strings.Replace(string(kept(t, "same")), `"1.2"`, `"`+version+`"`, 1)))
		assert.NoError(t, err, version)
	}
}

// TestReadEncodings: PowerShell writes UTF-16, or UTF-8 with a byte order mark.
func TestReadEncodings(t *testing.T) {
	t.Parallel()
	text := kept(t, "shrink")
	want := readable(t, text)
	little, big := []byte("\xff\xfe"), []byte("\xfe\xff")
	for _, unit := range utf16.Encode([]rune(string(text))) {
		little = append(little, byte(unit), byte(unit>>8))
		big = append(big, byte(unit>>8), byte(unit))
	}
	for name, encoded := range map[string][]byte{"UTF-8 with a mark": append([]byte("\xef\xbb\xbf"), text...), "little endian": little, "big endian": big} {
		got, err := planview.Read(encoded)
		assert.NoError(t, err, name)
		assert.Equal(t, planview.Markdown(want), planview.Markdown(got), name)
	}
}

// TestChanges: a change says what an apply does to a resource, or to Terraform's memory of it.
func TestChanges(t *testing.T) {
	t.Parallel()
	plan, err := planview.Read([]byte(`{"format_version": "1.2", "resource_changes": [
		{"address": "a.e", "mode": "managed", "change": {"actions": ["no-op"], "importing": {"id": "x"}}},
		{"address": "a.d", "mode": "managed", "change": {"actions": ["update"]}, "previous_address": "a.z"},
		{"address": "a.c", "mode": "managed", "change": {"actions": ["no-op"]}, "previous_address": "a.c"},
		{"address": "a.b", "mode": "managed", "change": {"actions": ["delete"]}, "deposed": "5ab4c0de"},
		{"address": "data.a", "mode": "data", "change": {"actions": ["read"]}},
		{"address": "a.a", "mode": "managed", "change": {"actions": ["create", "delete"]}}]}`))
	assert.ErrorIs(t, err, planview.ErrNoPlacement)
	assert.Equal(t, []string{"a.a: create, delete", "a.b: delete, deposed", "a.d: update, move", "a.e: import"}, plan.Changes)
}

const log = `{"@level":"info","@message":"Terraform 1.11.4","type":"version"}
{"@level":"warn","type":"diagnostic","diagnostic":{"severity":"warning","summary":"A batch waits for nodes","detail":"web-1 is\n in ERROR.",` +
	`"address":"stackpolicy_placement_attachment.web"}}
{"@level":"warn","type":"diagnostic","diagnostic":{"severity":"warning","summary":"Servers change outside of the batch","detail":"web-2.",` +
	`"address":"stackpolicy_readiness_attachment.web"}}
{"@level":"warn","type":"diagnostic","diagnostic":{"severity":"warning","summary":"another module","detail":"",` +
	`"address":"module.a.stackpolicy_readiness_attachment.web"}}
{"@level":"warn","type":"diagnostic","diagnostic":{"severity":"warning","summary":"Of another","detail":"","address":"null_resource.a"}}
`

func TestWarnings(t *testing.T) {
	t.Parallel()
	view := readable(t, kept(t, "dropped-place"))
	require.NoError(t, planview.AddWarnings(view, []byte(log)))
	got := planview.Markdown(view)
	assert.Contains(t, got, "- **A batch waits for nodes.** web-1 is in ERROR.\n")
	assert.Contains(t, got, "- **Servers change outside of the batch.** web-2.\n")
	assert.NotContains(t, got, "another")
	evil := strings.Replace(log, "is\\n in ERROR", `<script>\u001b[2J\u202e\n::error::`, 1)
	require.NoError(t, planview.AddWarnings(view, []byte(evil)))
	assert.Contains(t, planview.Terminal(view), `A batch waits for nodes. web-1 <script>\x1b[2J\u202e ::error::`, "a hostile warning is text")
	for _, wrong := range []string{"", "no JSON", `{"a": 1}`} {
		assert.Error(t, planview.AddWarnings(view, []byte(wrong)), "%q passed for a log", wrong)
	}
}

// TestSensitive: sensitive values of a plan are not shown.
func TestSensitive(t *testing.T) {
	t.Parallel()
	before, after, _ := strings.Cut(string(kept(t, "batch")), `"after_sensitive": {`)
	text := before + `"after_sensitive": {"cluster": true,` + strings.Replace(after, `"template": {}`, `"template": {"image": true}`, 1)
	view := readable(t, []byte(text))
	assert.NotRegexp(t, "debian-|Placement of web", planview.Markdown(view), "what is sensitive")
}
