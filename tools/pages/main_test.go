package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
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
	all := library{}
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
}
