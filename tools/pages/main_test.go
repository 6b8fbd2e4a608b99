package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestEdit: required arguments come first, schemas without descriptions are left out, and repeated ones are links.
func TestEdit(t *testing.T) {
	const made = "# Page\n\n- `a` (Block, Optional) One. (see [below for nested schema](#a))\n" +
		"- `b` (Object) Two. (see [below for nested schema](#b))\n- `c` (Block, Optional) (see [below for nested schema](#c))\n\n" +
		"<a id=\"a\"></a>\n### Nested Schema for `a`\n\nOptional:\n\n- `x` (String) Free.\n- `y` (String) Required. Needed.\n\n\n" +
		"<a id=\"b\"></a>\n### Nested Schema for `b`\n\nRead-Only:\n\n- `x` (String)\n\n" +
		"<a id=\"c\"></a>\n### Nested Schema for `c`\n\nOptional:\n\n- `x` (String) Free.\n- `y` (String) Required. Needed.\n\n" +
		"\n## Import\n\nSo.\n"
	const want = "# Page\n\n- `a` (Block, Optional) One. ([below](#a))\n- `b` (Object) Two.\n- `c` (Block, Optional) ([as `a`](#a))\n\n" +
		"<a id=\"a\"></a>\n### Nested Schema for `a`\n\nRequired, if the block is given:\n\n- `y` (String) Needed.\n\n" +
		"Optional:\n\n- `x` (String) Free.\n\n## Import\n\nSo.\n"
	all := library{map[string]place{}, map[string]string{}}
	assert.Equal(t, want, all.edit("docs/resources/one.md", made))

	// A schema and those in it are printed on one page, whether they are sensitive or computed there or not.
	section := func(kind, of, inner string) string {
		return "- `a` (Block, Optional) One. (see [below for nested schema](#a))\n\n<a id=\"a\"></a>\n### Nested Schema for `a`\n\n" + kind +
			":\n\n- `x` (" + of + ") Long.\n- `y` (Block) (see [below for nested schema](#a--y))\n\n<a id=\"a--y\"></a>\n### Nested Schema for `a.y`\n\n" +
			"Optional:\n\n- `z` (String) " + inner + ".\n"
	}
	all.edit("docs/resources/two.md", section("Read-Only", "String, Sensitive", "Inner"))
	got := all.edit("docs/actions/three.md", section("Optional", "String", "Inner"))
	assert.Equal(t, "- `a` (Block, Optional) One. ([as in `stackpolicy_two`](../resources/two.md#a))\n", got)
	got = all.edit("docs/actions/four.md", section("Optional", "String", "Another inner"))
	assert.Contains(t, got, "- `z` (String) Another inner.", "the schema in it is another")

	// A long description is printed on one page.
	described := "- `d` (Dynamic) " + strings.Repeat("word ", 30) + "end. (see [below for nested schema](#d))\n"
	assert.Contains(t, all.edit("docs/data-sources/five.md", described), "word word")
	got = all.edit("docs/data-sources/six.md", described)
	assert.Equal(t, "- `d` (Dynamic) [As in `stackpolicy_five`](five.md#schema).\n", strings.ReplaceAll(got, " ()", ""))
}

// TestTables: variables without a default come first, a default is the one of the description or else of the code, a key
// has a row of its own, and a variable without a description, or a pattern without files, is an error.
func TestTables(t *testing.T) {
	dir := t.TempDir()
	write := func(text string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "variables.tf"), []byte(text), 0o600))
	}
	write("variable \"a\" {\n  description = \"Says \\\"a|b\\\". Default: 1.5d, {x}. More.\"\n  type        = string\n  default     = null\n" +
		"  validation {\n    condition = true\n  }\n}\n\n" +
		"variable \"b\" {\n  description = \"Plain.\"\n  type        = any # comment\n}\n\n" +
		"variable \"c\" {\n  description = <<-EOT\n    Short,\n    in two lines.\n    - k: key,\n      in two lines. Default: 5m.\n    - l: {x}.\n  EOT\n" +
		"  type        = any\n  default     = {}\n}\n")
	got, err := tables("x\n<!-- variables " + dir + "/*.tf -->\ny\n")
	require.NoError(t, err)
	assert.Equal(t, "x\n|variable|type|default|what it is|\n|---|---|---|---|\n|`b`|any|must be given|Plain.|\n"+
		"|`a`|string|1.5d, {x}|Says \"a\\|b\". More.|\n|`c`|any|{}|Short, in two lines.|\n"+
		"|`c.k`||5m|key, in two lines.|\n|`c.l`||none|{x}.|\ny\n", got)
	write("variable \"a\" {\n  type = string\n}\n")
	_, err = variables(dir + "/variables.tf")
	require.ErrorContains(t, err, "a needs a type and a description")
	_, err = variables(dir + "/none.tf")
	require.ErrorContains(t, err, "no file is named")
}
