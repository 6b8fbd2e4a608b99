// Package site_test tries the page in a real browser. It is a module of its own, so that nothing else depends on the
// library that drives the browser; "make site-test" runs it.
package site_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	top   = "../.."
	plans = top + "/internal/planview/testdata/"
)

var shots = flag.String("shots", "", "a folder for screenshots, to look at")

// site is the served page, and the browser.
var site struct {
	url     string
	browser context.Context
}

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(run(m))
}

func run(m *testing.M) int {
	fail := func(err error) int {
		fmt.Fprintln(os.Stderr, "site:", err)
		return 1
	}
	dir, err := os.MkdirTemp("", "site-")
	if err != nil {
		return fail(err)
	}
	defer os.RemoveAll(dir)
	build := exec.Command("go", "run", "./tools/site", "-out", dir)
	build.Dir = top
	output, err := build.CombinedOutput()
	if err != nil {
		return fail(fmt.Errorf("%w\n%s", err, output))
	}
	fmt.Print(string(output))
	browser := os.Getenv("CHROMIUM")
	for _, name := range []string{"chromium", "google-chrome"} {
		if path, err := exec.LookPath(name); browser == "" && err == nil {
			browser = path
		}
	}
	if browser == "" {
		return fail(fmt.Errorf("there is no chromium: install Debian's package, or name one in CHROMIUM"))
	}
	server := httptest.NewServer(http.FileServer(http.Dir(dir)))
	defer server.Close()
	site.url = server.URL + "/"
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(browser), chromedp.NoSandbox, chromedp.WindowSize(1100, 1400))
	allocator, end := chromedp.NewExecAllocator(context.Background(), options...)
	defer end()
	var close context.CancelFunc
	site.browser, close = chromedp.NewContext(allocator)
	defer close()
	if err := chromedp.Do(site.browser); err != nil {
		return fail(fmt.Errorf("start %s: %w", browser, err))
	}
	return m.Run()
}

// tab is a tab of the browser with a page in it. The test fails if the page has an error, or sends a request to
// another host.
type tab struct {
	*testing.T
	url  string
	ctx  context.Context
	mu   sync.Mutex
	logs []string
}

func open(t *testing.T, fragment string) *tab {
	t.Helper()
	p := visit(t, site.url, fragment, time.Minute)
	p.wait(`document.getElementById("loading").hidden`)
	return p
}

func visit(t *testing.T, address, path string, limit time.Duration) *tab {
	t.Helper()
	ctx, end := chromedp.NewContext(site.browser)
	t.Cleanup(end)
	ctx, stop := context.WithTimeout(ctx, limit)
	t.Cleanup(stop)
	p := &tab{T: t, url: address, ctx: ctx}
	err := chromedp.Listen(ctx, func(event any) {
		p.mu.Lock()
		defer p.mu.Unlock()
		switch e := event.(type) {
		case *runtime.EventExceptionThrown:
			p.logs = append(p.logs, "an exception: "+e.ExceptionDetails.Text)
		case *network.EventRequestWillBeSent:
			if !strings.HasPrefix(e.Request.URL, p.url) && !strings.HasPrefix(e.Request.URL, "data:") {
				p.logs = append(p.logs, "a request to "+e.Request.URL)
			}
		}
	})
	require.NoError(t, err)
	t.Cleanup(func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		for _, log := range p.logs {
			t.Error(log)
		}
	})
	p.run(command(network.Enable, network.EnableParams{}), chromedp.Navigate(address+path))
	return p
}

func (p *tab) run(actions ...chromedp.Action[chromedp.Void]) {
	p.Helper()
	require.NoError(p, chromedp.Do(p.ctx, actions...))
}

// command is a command of the browser that returns nothing.
func command[P, R any](c cdp.Command[P, R], params P) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, c, params)
		return err
	})
}

// wait waits until an expression is true.
func (p *tab) wait(expression string) {
	p.Helper()
	_, err := chromedp.Run(p.ctx, chromedp.Poll[bool](expression))
	require.NoError(p, err, expression)
}

// js evaluates an expression.
func js[T any](p *tab, format string, args ...any) T {
	p.Helper()
	result, err := chromedp.Run(p.ctx, chromedp.Evaluate[T](fmt.Sprintf(format, args...)))
	require.NoError(p, err)
	return result
}

// text returns the text of an element.
func (p *tab) text(selector string) string {
	p.Helper()
	return js[string](p, "document.querySelector(%q).textContent", selector)
}

// shows fails unless the text of an element contains a text.
func (p *tab) shows(selector, text string) {
	p.Helper()
	assert.Contains(p, p.text(selector), text, selector)
}

// holds fails unless an expression is true.
func (p *tab) holds(expression, otherwise string) {
	p.Helper()
	assert.True(p, js[bool](p, "%s", expression), otherwise)
}

// set puts a value into a field, as if a user typed it.
func (p *tab) set(id, value string) {
	p.Helper()
	js[any](p, "(() => { const e = document.getElementById(%q); e.value = %s; e.dispatchEvent(new Event('input', { bubbles: true })); return null })()",
		id, quoted(value))
}

func quoted(s string) string {
	text, _ := json.Marshal(s)
	return string(text)
}

// drop drops a file on the page.
func (p *tab) drop(name, text string) {
	p.Helper()
	js[any](p, `(() => {
		delete document.getElementById("viewer").dataset.file;
		const data = new DataTransfer();
		data.items.add(new File([Uint8Array.from(atob(%q), (c) => c.charCodeAt(0))], %s, { type: "application/json" }));
		for (const type of ["dragenter", "dragover", "drop"]) {
			document.body.dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }));
		}
		return null;
	})()`, base64.StdEncoding.EncodeToString([]byte(text)), quoted(name))
	p.wait(`document.getElementById("viewer").dataset.file !== undefined`)
}

// shot keeps a picture of the page if that is asked for.
func (p *tab) shot(name string) {
	p.Helper()
	image, err := chromedp.Run(p.ctx, chromedp.FullScreenshot(100))
	require.NoError(p, err)
	assert.GreaterOrEqual(p, len(image), 5000, "bytes of %s", name)
	if *shots != "" {
		require.NoError(p, os.WriteFile(filepath.Join(*shots, name+".png"), image, 0o644))
	}
}

// TestSlider: the slider works with the keyboard, and the address of the page restores the state.
func TestSlider(t *testing.T) {
	p := open(t, "")
	p.shows("#drawing", "4 nodes before, 9 after: 5 added.")
	p.run(chromedp.Focus("#capacity"), chromedp.KeyEvent(kb.ArrowRight), chromedp.KeyEvent(kb.ArrowRight))
	p.shows("#drawing", "4 nodes before, 11 after: 7 added.")
	p.shows("#hcl", "desired_capacity = 11")
	p.run(chromedp.KeyEvent(kb.Home))
	p.shows("#problem", "4 nodes must be removed, but only 3 can be: RegionOne/az-1 0 (min 1)")
	p.set("capacity-number", "12")
	p.run(chromedp.Reload())
	p.wait(`document.getElementById("loading").hidden`)
	p.shows("#drawing", "12 after")
}

// TestArithmetic: the page shows the planner's decision with its arithmetic.
func TestArithmetic(t *testing.T) {
	p := open(t, "")
	assert.Regexp(t, "^RegionTwo", p.text("#moves li"))
	p.shows("#moves li", "(2 × 3 + 1) / 200 = 0.0350")
	p.shows("#moves li", "(2 × 1 + 1) / 100 = 0.0300")
	assert.Equal(t, 5, js[int](p, "document.querySelectorAll('#moves li').length"), "steps")
	// A cap that is reached, and a plan that is impossible.
	p.set("capacity-number", "20")
	p.shows("#moves", "az-2 full")
	p.set("r0-cap", "1")
	p.set("r1-cap", "1")
	p.shows("#problem", "There is no feasible plan to handle all nodes. 16 nodes must be added")
	p.holds(`document.getElementById("configuration").hidden`, "there is something to copy, and nothing to copy")
	p.set("r1-cap", "")
	p.shows("#drawing", "20 after")
}

// TestForm: regions and zones can be added and removed, and the other fields keep what was typed.
func TestForm(t *testing.T) {
	p := open(t, "")
	p.run(chromedp.Click("#add-region"))
	p.shows("#drawing", "Region1")
	p.run(chromedp.Click("#places fieldset:nth-child(2) > button")) // adds a zone in RegionTwo
	p.shows("#hcl", `{ name = "RegionTwo", zones = [`)
	p.set("r1-name", "europe-central-1-east")
	cut := js[[]string](p, `[...document.querySelectorAll("#places input[type=text]")].filter((e) => e.scrollWidth > e.clientWidth).map((e) => e.value)`)
	assert.Empty(t, cut, "names that are cut")
	p.set("r1-name", "RegionTwo")
	p.run(chromedp.Click(`[aria-label="Remove region RegionOne"]`))
	assert.NotContains(t, p.text("#hcl"), "RegionOne")
	p.set("r0-name", "Region1")
	p.shows("#problem", `the region "Region1" is named twice`)
}

// TestRollout: the page shows batch by batch, forwards, backwards and by itself, until no node is left.
func TestRollout(t *testing.T) {
	p := open(t, "")
	p.run(chromedp.Focus("#next"))
	for _, want := range []string{"batch 1; 7 left", "batch 2; 5 left", "batch 3; 3 left"} {
		p.run(chromedp.KeyEvent(kb.Enter))
		assert.Equal(t, want, p.text("#where"))
	}
	p.shows("#drawing", "2 removed, 2 added")
	p.shows("#drawing", "template 2")
	p.shot("rollout")
	p.run(chromedp.Click("#back"))
	assert.Equal(t, "batch 2; 5 left", p.text("#where"))
	p.run(chromedp.Click("#play"))
	p.wait(`document.getElementById("where").textContent === "batch 5; 0 left"`)
	p.holds(`document.getElementById("next").disabled && document.getElementById("play").getAttribute("aria-pressed") === "false"`,
		"it plays on after the last batch")
	p.set("batch", "half")
	p.shows("#problem", `"half" is neither a whole number`)
}

// drawn returns a plan, and the article that planview draws of it.
func drawn(t *testing.T, name string) (plan, article string) {
	t.Helper()
	text, err := os.ReadFile(plans + name + ".json")
	require.NoError(t, err)
	planview := exec.CommandContext(t.Context(), "go", "run", "./cmd/planview", "-format=html", "-")
	planview.Dir, planview.Stdin, planview.Stderr = top, bytes.NewReader(text), os.Stderr
	whole, err := planview.Output()
	require.NoError(t, err)
	_, rest, _ := strings.Cut(string(whole), "<h1>What the plan does</h1>\n")
	article, _, found := strings.Cut(rest, "</main>")
	require.True(t, found, "the page has no article")
	return string(text), article
}

// TestViewer: a plan that is dropped, or chosen, looks as planview draws it.
func TestViewer(t *testing.T) {
	p := open(t, "")
	for _, name := range []string{"batch", "grow", "repair", "import"} {
		plan, article := drawn(t, name)
		p.drop(name+".json", plan)
		same := js[bool](p, `(() => { const d = document.createElement("div"); d.innerHTML = %s; `+
			`return d.innerHTML === document.getElementById("view").innerHTML })()`, quoted(article))
		assert.True(t, same, "%s is not what planview draws: %s", name, p.text("#view"))
		markdown, err := os.ReadFile(plans + name + ".md")
		require.NoError(t, err)
		assert.Equal(t, string(markdown), p.text("#markdown"), name)
	}
	p.shot("viewer")
	plan, _ := drawn(t, "grow")
	utf16 := "\xff\xfe"
	for _, b := range []byte(plan) {
		utf16 += string([]byte{b, 0})
	}
	p.drop("from-powershell.json", utf16)
	p.shows("#view", "4 nodes before, 9 after")
	path, err := filepath.Abs(plans + "shrink.json")
	require.NoError(t, err)
	p.run(chromedp.SetUploadFiles("#file", []string{path}))
	p.wait(`document.getElementById("view").textContent.includes("7 nodes before, 5 after")`)
	p.run(chromedp.Click("#show-playground"))
	p.wait(`document.getElementById("viewer").hidden && !document.getElementById("playground").hidden`)
}

// TestBroken: the page says what is wrong with an input that is no plan, or no state, and keeps working.
func TestBroken(t *testing.T) {
	p := open(t, "")
	for text, want := range map[string]string{
		"":     "the input is empty",
		"nope": "this is not the JSON of a plan",
		`{"format_version":"9.0","planned_values":{}}`: "or not of a known version",
		`{"format_version":"1.2","planned_values":{}}`: "the plan has no stackpolicy_placement_attachment",
		"PK\x03\x04": "this is a saved plan itself",
	} {
		p.drop("a.json", text)
		p.shows("#view-problem", want)
	}
	plan, _ := drawn(t, "batch")
	p.drop("a.json", plan)
	p.holds(`document.getElementById("view-problem").hidden`, "the problem of before is still shown")
	for _, fragment := range []string{"#nope", "#%7B%22regions%22%3A1%7D", "#%E0%A4%A"} {
		p := open(t, fragment)
		p.shows("#problem", "The address of this page has settings that cannot be read")
		p.shows("#drawing", "9 after")
	}
}

// TestHostile: names are shown as text, wherever they come from, and only the page's own script runs.
func TestHostile(t *testing.T) {
	const evil = `<img src=x onerror="window.pwned=1"><script>window.pwned=1</script></style>`
	state, _ := json.Marshal(map[string]any{"capacity": 3, "batch": evil, "step": 0,
		"regions": []any{map[string]any{"name": evil, "weight": 100, "cap": -1, "min": 0, "nodes": 1,
			"zones": []any{map[string]any{"name": evil, "weight": 100, "cap": -1, "min": 0, "nodes": 1}}}}})
	p := open(t, "#"+url.PathEscape(string(state)))
	check := func(selector string) {
		t.Helper()
		pwned := js[bool](p, `Boolean(window.pwned) || document.querySelector(%q + " img, " + %q + " script") !== null`, selector, selector)
		assert.False(t, pwned, "%s has elements of a name", selector)
	}
	check("#problem") // the size of the batch is invalid
	p.set("batch", "1")
	p.shows("#drawing", evil)
	check("#drawing")
	check("#moves")
	check("#hcl")
	p.shot("hostile")
	plan, _ := drawn(t, "batch")
	p.drop(evil, strings.ReplaceAll(plan, `"cluster": "web"`, `"cluster": `+quoted(evil)))
	p.shows("#view", evil)
	check("#view")
	p.drop(evil, "nope")
	check("#view-problem")

	// A script in injected HTML would not run either.
	js[any](p, `(() => {
		window.violations = 0;
		addEventListener("securitypolicyviolation", () => window.violations++);
		document.getElementById("view").innerHTML = "<button onclick='window.pwned=2'></button>";
		document.querySelector("#view button").click();
		const script = document.createElement("script");
		script.textContent = "window.pwned=3";
		document.body.append(script);
		return null;
	})()`)
	p.wait("window.violations >= 2")
	check("#problem")
}

// TestColours: light, dark and print; and pictures to look at.
func TestColours(t *testing.T) {
	p := open(t, "")
	for _, c := range []struct{ name, media, scheme, want string }{
		{"light", "", "light", "rgb(255, 255, 255)"},
		{"dark", "", "dark", "rgb(13, 17, 23)"},
		{"print", "print", "dark", "rgb(255, 255, 255)"},
	} {
		p.run(command(emulation.SetEmulatedMedia,
			emulation.SetEmulatedMediaParams{Media: c.media, Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: c.scheme}}}))
		assert.Equal(t, c.want, js[string](p, `getComputedStyle(document.querySelector("#drawing .paper")).fill`), "%s: the picture", c.name)
		assert.Equal(t, c.want, js[string](p, "getComputedStyle(document.body).backgroundColor"), "%s: the page", c.name)
		p.shot(c.name)
	}
}

// screen gives the page the size of a screen.
func (p *tab) screen(width, height int64, mobile bool) {
	p.Helper()
	p.run(command(emulation.SetDeviceMetricsOverride,
		emulation.SetDeviceMetricsOverrideParams{Width: width, Height: height, DeviceScaleFactor: 1, Mobile: mobile}))
	p.wait(fmt.Sprintf("innerWidth === %d", width))
}

// TestFirstScreen: a usual screen shows the title, the slider, all places and all nodes without scrolling.
func TestFirstScreen(t *testing.T) {
	p := open(t, "")
	p.screen(1280, 800, false)
	p.shot("desktop")
	outside := js[[]string](p, `[...document.querySelectorAll("h1, header p, #capacity, #next, #drawing rect.region, #drawing rect.zone, " +
		"#drawing [data-node], #places fieldset:first-child")].
		filter((e) => { const b = e.getBoundingClientRect();
			return b.width === 0 || b.top < 0 || b.left < 0 || b.bottom > 800 || b.right > 1280 }).map((e) => e.outerHTML)`)
	assert.Empty(t, outside, "outside the screen")
	assert.Equal(t, 9, js[int](p, `document.querySelectorAll("#drawing [data-node]").length`), "nodes")
	// The slider stays visible when one scrolls to the table.
	js[any](p, "(() => { scrollTo(0, 600); return null })()")
	if top := js[float64](p, `document.getElementById("capacity").getBoundingClientRect().top`); top < 0 || top > 200 {
		t.Errorf("the slider is at %.0f", top)
	}
}

// TestTelephone: the drawing comes before the form and fits the width of a phone, and names are not cut in two.
func TestTelephone(t *testing.T) {
	p := open(t, "")
	p.screen(390, 844, true)
	p.wait(`document.querySelector("#drawing svg").viewBox.baseVal.width === 400`)
	p.shot("telephone")
	assert.LessOrEqual(t, js[int](p, "document.documentElement.scrollWidth"), 390, "the width of the page")
	p.holds(`document.querySelector("#drawing svg").getBoundingClientRect().top < document.getElementById("places").getBoundingClientRect().top`,
		"the form comes first")
	p.holds(`document.querySelector("#drawing svg").getBoundingClientRect().right <= 390`, "the drawing is wider than the screen")
	lines := js[int](p, `(() => { const r = document.createRange(); r.selectNodeContents(document.querySelector("#drawing tbody th")); `+
		`return r.getClientRects().length })()`)
	assert.Equal(t, 1, lines, "lines of RegionOne")
}

// TestFields: an invalid value is refused, at its field, and not changed.
func TestFields(t *testing.T) {
	p := open(t, "")
	for _, c := range []struct{ id, value, want, good string }{
		{"r0z0-weight", "1.5", `The weight of "az-1" must be a whole number of 1 or more, and is "1.5".`, "100"},
		{"r0-cap", "-1", `The cap of "RegionOne" must be a whole number of 0 or more, and is "-1".`, ""},
		{"capacity-number", "", "desired_capacity must be a whole number of 0 or more, and is empty or no number.", "9"},
		{"r1-name", "", "A place needs a name.", "RegionTwo"},
		{"batch", "half", `"half" is neither a whole number`, "2"},
	} {
		p.set(c.id, c.value)
		state := js[string](p, `document.getElementById(%q).getAttribute("aria-invalid") + document.getElementById("drawing").hidden + `+
			`document.getElementById(%q).value`, c.id, c.id)
		p.shows("#problem", c.want)
		assert.Equal(t, "truetrue"+c.value, state, c.id)
		p.set(c.id, c.good)
		right := js[bool](p, `document.getElementById("problem").hidden && document.querySelector("[aria-invalid]") === null`)
		assert.True(t, right, "%s is still wrong: %s", c.id, p.text("#problem"))
	}
	p.shows("#drawing", "4 nodes before, 9 after: 5 added.")
}

// TestReset: the page returns to its first state, and the focus is never lost. Changes of the picture are animated.
func TestReset(t *testing.T) {
	p := open(t, "")
	p.set("capacity-number", "12")
	assert.NotZero(t, js[int](p, "document.getAnimations().length"), "what moves")
	for _, want := range []string{"Remove zone az-2 of RegionOne", "Remove zone az-3 of RegionOne", "Remove region RegionTwo",
		"Remove region RegionTwo", "add-region"} {
		js[any](p, `(() => { document.querySelectorAll("#places .place > button")[document.querySelectorAll("#places .zone").length > 0 ? 1 : 0].click(); `+
			`return null })()`)
		assert.Equal(t, want, js[string](p, `document.activeElement.getAttribute("aria-label") || document.activeElement.id`), "the focus")
	}
	p.run(chromedp.Click("#reset"))
	p.shows("#drawing", "4 nodes before, 9 after: 5 added.")
}

// TestNoPlanner: without the planner there is no form that does nothing.
func TestNoPlanner(t *testing.T) {
	p := open(t, "")
	p.run(command(network.SetBlockedURLs,
		network.SetBlockedURLsParams{URLPatterns: []*network.BlockPattern{{URLPattern: site.url + "planner.wasm.gz", Block: true}}}), chromedp.Reload())
	p.wait(`document.getElementById("loading").textContent.includes("cannot be loaded")`)
	p.holds(`document.getElementById("playground").hidden && document.getElementById("parts").hidden && !document.getElementById("loading").hidden`,
		"there is a form")
}

// axe fails if axe finds a violation, of any level.
func (p *tab) axe(what string) {
	p.Helper()
	file := os.Getenv("AXE")
	if file == "" {
		p.Skip("needs axe-core: AXE names its axe.min.js, which \"make site-test\" fetches where there is npm")
	}
	axe, err := os.ReadFile(file)
	require.NoError(p, err)
	p.run(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, runtime.Evaluate, runtime.EvaluateParams{Expression: string(axe) + "; null"})
		return err
	}))
	js[any](p, `(() => { delete document.body.dataset.axe; axe.run(document, { resultTypes: ["violations"] }).then((r) => {
		document.body.dataset.axe = r.violations.map((v) => v.id + " (" + v.impact + "): " +
			v.nodes.map((n) => n.html.slice(0, 120)).join("; ")).join("\n") }); return null })()`)
	p.wait("document.body.dataset.axe !== undefined")
	assert.Empty(p, js[string](p, "document.body.dataset.axe"), what)
}

// scheme shows the page in light or dark colours, and without movement.
func (p *tab) scheme(scheme string) {
	p.Helper()
	p.run(command(emulation.SetEmulatedMedia,
		emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme},
			{Name: "prefers-reduced-motion", Value: "reduce"}}}))
}

// TestAxe, on a desktop and on a phone: the playground, the viewer, and both with an error.
func TestAxe(t *testing.T) {
	for name, width := range map[string]int64{"desktop": 1280, "telephone": 390} {
		for _, scheme := range []string{"light", "dark"} {
			p := open(t, "")
			p.screen(width, 800, width < 600)
			p.scheme(scheme)
			p.axe(name + " " + scheme)
			p.run(chromedp.Click("#next"))
			p.axe(name + " " + scheme + ", a batch")
			p.set("r0-weight", "x")
			p.axe(name + " " + scheme + ", a wrong weight")
			plan, _ := drawn(t, "user-data")
			p.drop("user-data.json", plan)
			p.axe(name + " " + scheme + ", the viewer")
		}
	}
}

// TestAccessible: every control has a name, and so has the picture.
func TestAccessible(t *testing.T) {
	p := open(t, "")
	p.run(command(accessibility.Enable, cdp.Empty{}))
	tree, err := chromedp.Run(p.ctx, func(ctx context.Context, t *chromedp.Target) (accessibility.GetFullAXTreeResult, error) {
		return cdp.Call(ctx, t, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{})
	})
	require.NoError(t, err)
	value := func(v *accessibility.Value) (text string) {
		if v != nil {
			_ = json.Unmarshal(v.Value, &text)
		}
		return text
	}
	roles := map[string]int{}
	for _, n := range tree.Nodes {
		role := value(n.Role)
		roles[role]++
		switch role {
		case "button", "slider", "spinbutton", "textbox", "image":
			assert.NotEmpty(t, value(n.Name), "the name of a %s", role)
		}
	}
	for _, role := range []string{"button", "slider", "spinbutton", "textbox", "image", "table", "main", "heading"} {
		assert.NotZero(t, roles[role], "%s among %v", role, roles)
	}
}

// TestLarge: the page takes the largest cluster too. It draws nodes that move or are few, and the others as numbers.
func TestLarge(t *testing.T) {
	p := open(t, "")
	p.set("capacity-number", "1000")
	p.run(chromedp.Click("#next"))
	p.shows("#drawing", "1000 nodes before and after: 2 removed, 2 added")
	assert.Equal(t, 6, js[int](p, `document.querySelectorAll("#drawing [data-node]").length`), "four nodes move, and the zone with a cap of 2 has two more")
	p.shot("large")
}
