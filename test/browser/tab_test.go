// Package browser_test tries the page of "make cloud" in a real browser. It is a module of its own, so
// that nothing else depends on the library that drives the browser; "make browser-test" runs it.
package browser_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const top = "../.."

var shots = flag.String("shots", "", "a folder for screenshots, to look at")

// chromium is the browser.
var chromium context.Context

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(run(m))
}

func run(m *testing.M) int {
	fail := func(err error) int {
		fmt.Fprintln(os.Stderr, "browser:", err)
		return 1
	}
	browser := os.Getenv("CHROMIUM")
	for _, name := range []string{"chromium", "google-chrome"} {
		if path, err := exec.LookPath(name); browser == "" && err == nil {
			browser = path
		}
	}
	if browser == "" {
		return fail(fmt.Errorf("there is no chromium: install Debian's package, or name one in CHROMIUM"))
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(browser), chromedp.NoSandbox, chromedp.WindowSize(1100, 1400))
	allocator, end := chromedp.NewExecAllocator(context.Background(), options...)
	defer end()
	var closed context.CancelFunc
	chromium, closed = chromedp.NewContext(allocator)
	defer closed()
	if err := chromedp.Do(chromium); err != nil {
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

func visit(t *testing.T, address string, limit time.Duration) *tab {
	t.Helper()
	ctx, end := chromedp.NewContext(chromium)
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
	p.run(command(network.Enable, network.EnableParams{}), chromedp.Navigate(address))
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

func quoted(s string) string {
	text, _ := json.Marshal(s)
	return string(text)
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

// screen gives the page the size of a screen.
func (p *tab) screen(width, height int64, mobile bool) {
	p.Helper()
	p.run(command(emulation.SetDeviceMetricsOverride,
		emulation.SetDeviceMetricsOverrideParams{Width: width, Height: height, DeviceScaleFactor: 1, Mobile: mobile}))
	p.wait(fmt.Sprintf("innerWidth === %d", width))
}

// axe fails if axe finds a violation, of any level.
func (p *tab) axe(what string) {
	p.Helper()
	file := os.Getenv("AXE")
	if file == "" {
		p.Skip("needs axe-core: AXE names its axe.min.js, which \"make browser-test\" fetches where there is npm")
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

// accessible tries the present page on a desktop and on a phone, in light and in dark colours. It is a subtest,
// because it is skipped without axe.
func (p *tab) accessible(name string) {
	p.Helper()
	p.Run(name, func(t *testing.T) {
		here := &tab{T: t, url: p.url, ctx: p.ctx}
		defer here.screen(1280, 800, false)
		for device, width := range map[string]int64{"desktop": 1280, "telephone": 390} {
			here.screen(width, 800, width < 600)
			assert.LessOrEqual(t, js[int64](here, "document.documentElement.scrollWidth"), width, "the width on a %s", device)
			for _, scheme := range []string{"light", "dark"} {
				here.scheme(scheme)
				here.shot(strings.Join([]string{strings.TrimSuffix(name, ".png"), device, scheme}, "-"))
				here.axe(device + " " + scheme)
			}
		}
	})
}
