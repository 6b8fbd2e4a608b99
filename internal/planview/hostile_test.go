package planview_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/planview"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"
)

// made is a plan with one attachment that gets nodes, and loses others.
func made(t testing.TB, cluster, region string, nodes, gone int, zone, image string) []byte {
	t.Helper()
	before, after := map[string]any{}, map[string]any{}
	for i := range nodes + gone {
		node := map[string]any{"index": i, "region": region, "zone": zone, "template": map[string]any{"image": image}}
		if i < gone {
			before[fmt.Sprintf("%s-%d", cluster, i)] = node
		} else {
			after[fmt.Sprintf("%s-%d", cluster, i)] = node
		}
	}
	reasons := []string{cluster + "-0 leaves: " + region + "/" + zone + " loses 1 of 1; " + cluster + "-1 is locked"}
	values := func(nodes map[string]any) map[string]any {
		return map[string]any{"cluster": cluster, "nodes": nodes,
			"distribution": map[string]any{region: map[string]int{zone: 1}}, "summary": "place\n" + region + "\n  " + zone + "  1\n", "change": reasons}
	}
	server := func(address, kind, reason string) map[string]any {
		return map[string]any{"address": address, "mode": "managed", "type": kind, "action_reason": reason,
			"change": map[string]any{"actions": []string{"delete", "create"}, "replace_paths": []any{[]any{image}}}}
	}
	text, err := json.Marshal(map[string]any{"format_version": "1.2", "resource_changes": []any{
		server(image, "openstack_compute_instance_v2", image),
		server(fmt.Sprintf("%s[%q]", zone, fmt.Sprintf("%s-%d", cluster, gone)), image, ""), map[string]any{
			"address": `module.a["` + cluster + `"].stackpolicy_placement_attachment.web`, "mode": "managed", "type": "stackpolicy_placement_attachment",
			"change": map[string]any{"actions": []string{"update"}, "before": values(before), "after": values(after)}}}})
	require.NoError(t, err)
	return text
}

var hostile = []string{
	`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `</title></svg><script>alert(1)</script>`, `</style><script>alert(1)</script>`, `<!--`,
	`]]>`, `&lt;b&gt;`, `' onload='alert(1)`,
	"a\x1b[31mred\x00\nnext\u202eleft\u009b2J", "a|b", `a\|b`, "`a`", "a`", "**bold** _it_", "[a](javascript:alert(1))", "![a](https://evil.example/x.png)",
	"https://evil.example", "www.evil.example", "@everyone", "a@b.example", "#1", "GH-1 ~~x~~", "- item", "{{ 1 }} ${{ 1 }}", "$a$", ":smile:", "  blanks  ",
	strings.Repeat("long", 300), "ünïcödé 日本",
}

// TestHostile: all names are shown as plain text, whatever characters they have.
func TestHostile(t *testing.T) {
	t.Parallel()
	view := readable(t, made(t, "web", "RegionOne", 2, 1, "az-1", "debian"))
	usual := elements(planview.Markdown(view))
	for _, evil := range hostile {
		view := readable(t, made(t, evil, evil, 2, 1, evil, evil))
		got := planview.Markdown(view)
		for element := range elements(got) {
			assert.True(t, usual[element] || element == "<code>", "%q makes the element %s:\n%s", evil, element, got)
		}
		if strings.ContainsAny(got, "\x00\x1b\u202e") || strings.Contains(strings.ToLower(got), "<script") || strings.Contains(got, "<img") {
			t.Errorf("%q is not shown as text:\n%s", evil, got)
		}
		markdown(t, evil, got)
		shown := planview.Terminal(view)
		assert.Contains(t, shown, "\nPlacement of "+text.Clean(evil)+"\n", "a terminal shows text as it is")
		assert.NotRegexp(t, `[\x00-\x09\x0b-\x1f\x7f-\x{9f}]`, shown, "%q is a command for a terminal", evil)
	}
}

// elements returns the elements of a page, or of a text with HTML in it, with the names of their attributes.
func elements(text string) map[string]bool {
	found := map[string]bool{}
	for z := html.NewTokenizer(strings.NewReader(text)); z.Next() != html.ErrorToken; {
		token := z.Token()
		if token.Type != html.StartTagToken && token.Type != html.SelfClosingTagToken && token.Type != html.CommentToken {
			continue
		}
		name := "<" + token.Data
		for _, a := range token.Attr {
			name += " " + a.Key
		}
		found[name+">"] = true
	}
	return found
}

// markdown checks that a text has only lines of known forms, in which names are in backticks or in code elements, and
// nothing else has a meaning.
func markdown(t *testing.T, evil, got string) {
	t.Helper()
	safe := "(?:`[A-Za-z0-9][A-Za-z0-9._/ \"\\[\\]-]*`|<code>(?:[^\\x00-\\x7f]|[A-Za-z0-9 ,-]|&#[0-9]+;)*</code>)"
	text := "(?:(?:[A-Za-z0-9 .,;()%'\"+=:/-]|\\b[A-Za-z0-9]+_\\b)*|" + safe + ")"
	line := regexp.MustCompile("^(?:### The whole plan|### Placement of " + text + "|### " + safe + "|</?pre>|- \\*\\*" + text +
		"\\.\\*\\* " + text + "|- " + safe + ": " + text + "|- " + text + "|\\*\\*" + text + "\\*\\*|<sub>" + safe + "</sub>|" + text + ")$")
	for l := range strings.SplitSeq(got, "\n") {
		if !line.MatchString(l) || strings.Contains(l, "://") || strings.Contains(regexp.MustCompile("`[^`]*`").ReplaceAllString(l, ""), "www.") {
			t.Errorf("%q: the line %q could mean something", evil, l)
		}
	}
}

// TestLarge: 10,000 nodes stay readable, and take only a moment.
func TestLarge(t *testing.T) {
	t.Parallel()
	plan := made(t, "web", "RegionOne", 10_000, 9_000, "az-1", "debian")
	start := time.Now()
	got := planview.Markdown(readable(t, plan))
	t.Logf("%d bytes of plan took %s; Markdown has %d bytes", len(plan), time.Since(start), len(got))
	assert.LessOrEqual(t, len(got), 60_000)
	assert.Contains(t, got, "9000 removed")
}

// TestMarkdownFits: lists get shorter until the text fits into a comment.
func TestMarkdownFits(t *testing.T) {
	t.Parallel()
	one := readable(t, made(t, strings.Repeat("web", 60), "RegionOne", 120, 120, "az-1", "debian"))
	var many planview.Plan
	for _, n := range []int{1, 2, 5, 20, 100} {
		many.Attachments = slices.Repeat(one.Attachments, n)
		if got := planview.Markdown(many); len(got) > 65_000 || !strings.Contains(got, "### Placement of") {
			t.Fatalf("%d attachments make %d bytes", n, len(got))
		}
	}
	assert.Contains(t, planview.Markdown(many), "The rest is left out", "something is left out")
}

// fuzzed are the plans with which fuzzing begins.
var fuzzed = []string{"batch", "grow", "in-place", "import", "destroy", "emptied-place"}

// FuzzValues: any plan is described, or refused. It replaces values of a real plan, so that all inputs are JSON.
func FuzzValues(f *testing.F) {
	var plans []any
	for _, name := range fuzzed {
		var plan any
		text, err := os.ReadFile("testdata/" + name + ".json")
		if err = errors.Join(err, json.Unmarshal(text, &plan)); err != nil {
			f.Fatal(err)
		}
		plans = append(plans, plan)
	}
	for i, value := range []string{"null", "-1", "1e300", `""`, `"az-1"`, "[]", "{}", "true", `[null]`, `{"a":null}`} {
		f.Add(uint8(i), uint16(7*i), uint16(11*i), value)
	}
	f.Fuzz(func(t *testing.T, plan uint8, at, also uint16, text string) {
		var value any
		if json.Unmarshal([]byte(text), &value) != nil {
			value = text
		}
		changed := plans[int(plan)%len(plans)]
		for _, n := range []uint16{at, also} {
			left := int(n) % (values(changed) + 1)
			changed = replace(changed, value, &left)
		}
		encoded, err := json.Marshal(changed)
		require.NoError(t, err)
		view, err := planview.Read(encoded)
		if err != nil {
			return
		}
		if got := planview.Markdown(view); strings.Contains(strings.ToLower(got), "<script") || !utf8.ValidString(got) {
			t.Error(got)
		}
	})
}

// values counts the values within a value.
func values(in any) int {
	n := 0
	switch in := in.(type) {
	case map[string]any:
		for _, v := range in {
			n += 1 + values(v)
		}
	case []any:
		for _, v := range in {
			n += 1 + values(v)
		}
	}
	return n
}

// replace returns in with one value replaced: the one that comes after *left others.
func replace(in, by any, left *int) any {
	*left--
	if *left == -1 {
		return by
	}
	switch in := in.(type) {
	case map[string]any:
		changed := make(map[string]any, len(in))
		for _, key := range slices.Sorted(maps.Keys(in)) {
			changed[key] = replace(in[key], by, left)
		}
		return changed
	case []any:
		changed := make([]any, len(in))
		for i, v := range in {
			changed[i] = replace(v, by, left)
		}
		return changed
	}
	return in
}
