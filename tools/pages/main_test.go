package main

import (
	"strings"
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
	const want = "# Page\n\n- `a` (Block, Optional) One. ([below](#a))\n- `b` (Object) Two.\n- `c` (Block, Optional) ([below](#c))\n\n" +
		"<a id=\"a\"></a>\n### Nested Schema for `a`\n\nRequired, if the block is given:\n\n- `y` (String) Needed.\n\n" +
		"Optional:\n\n- `x` (String) Free.\n\n" +
		"<a id=\"c\"></a>\n### Nested Schema for `c`\n\nAs in [`a`](#a).\n\n## Import\n\nSo.\n"
	all := library{}
	assert.Equal(t, want, all.edit("docs/resources/one.md", made))

	// A long schema is described on one page only, whether it is sensitive there or not.
	section := func(kind string) string {
		return "- `a` (Block, Optional) One.\n\n<a id=\"a\"></a>\n### Nested Schema for `a`\n\nRead-Only:\n\n- `x` (" + kind + ") " +
			strings.Repeat("word ", long) + "\n"
	}
	all.edit("docs/resources/two.md", section("String, Sensitive"))
	got := all.edit("docs/actions/three.md", section("String"))
	assert.True(t, strings.HasSuffix(got, "As in [`a` of `stackpolicy_two`](../resources/two.md#a).\n"), got)
}
