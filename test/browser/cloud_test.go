package browser_test

import (
	"bufio"
	"bytes"
	"errors"
	"flag"
	"image"
	"image/color"
	"image/png"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var pictures = flag.Bool("pictures", false, "write the pictures of the guide \"Try it without a cloud\" to assets/")

const (
	guide   = top + "/templates/guides/try-it-without-a-cloud.md.tmpl"
	written = "http://127.0.0.1:8023" // address of the cloud in the guide
)

// player follows the guide: it types the guide's commands into a terminal, and presses the buttons that the guide
// names.
type player struct {
	*tab
	dir, env, output string
	failed           bool // reports whether the last command failed
}

// start starts "make cloud", and waits until it is ready.
func start(t *testing.T) *player {
	t.Helper()
	dir := t.TempDir()
	binary := filepath.Join(dir, "cloud")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", binary, "./tools/cloud")
	build.Dir = top
	output, err := build.CombinedOutput()
	require.NoError(t, err, string(output))
	cloud := exec.CommandContext(t.Context(), binary, "-listen", "127.0.0.1:0", "-out", filepath.Join(dir, "out"))
	cloud.Dir, cloud.Stderr = top, t.Output()
	out, err := cloud.StdoutPipe()
	if err == nil {
		err = cloud.Start()
	}
	require.NoError(t, err)
	t.Cleanup(func() { _ = cloud.Wait() }) // the context of the test has ended by then, and the cloud with it
	var env strings.Builder
	lines := bufio.NewScanner(out)
	for !strings.HasPrefix(lines.Text(), "# Ready") && lines.Scan() {
		env.WriteString(lines.Text() + "\n")
	}
	go func() { _, _ = io.Copy(io.Discard, out) }()
	url := regexp.MustCompile(`See it, and break it: (\S+)`).FindStringSubmatch(env.String())
	require.NotNil(t, url, env.String())
	p := &player{tab: visit(t, url[1], 15*time.Minute), dir: filepath.Join(dir, "work"), env: env.String()}
	p.wait(`document.querySelectorAll(".zone").length === 5`)
	return p
}

// does executes a line of the guide. A line with curl is also a button of the page, which shows the same line next to
// it.
func (p *player) does(line string) {
	p.Helper()
	p.failed = false
	if _, path, is := strings.Cut(line, written+"/"); strings.HasPrefix(line, "curl") && is {
		parts := strings.Split(path, "/") // break, kind, region and a name, except for a region
		what := map[string]string{"nova": "region", "quota": "region", "zone": "zone", "host": "host"}[parts[1]]
		if what == "" {
			what = "server"
		}
		p.run(chromedp.Click(`[data-key="` + strings.Join(append([]string{what}, parts[2:]...), "/") + `"]`))
		button := `[data-key="do/` + parts[1] + `"]`
		shown := js[string](p.tab, "document.querySelector(%q).parentNode.querySelector('code').textContent", button)
		assert.Equal(p, strings.Replace(line, written, strings.TrimSuffix(p.url, "/"), 1), shown, "the line of the guide, on the page")
		before := p.text(button)
		p.run(chromedp.Click(button))
		p.wait("document.querySelector(" + quoted(button) + ").textContent !== " + quoted(before))
		return
	}
	if strings.HasPrefix(line, "export ") {
		p.env += line + "\n"
		return
	}
	sh := exec.CommandContext(p.Context(), "sh", "-euc", p.env+line+" -no-color")
	sh.Dir = p.dir
	text, err := sh.CombinedOutput()
	p.output, p.failed = string(text), err != nil
	p.Logf("$ %s\n%s", line, text)
}

// TestCloudGuide follows the guide to its end, and compares what the guide shows with what happens.
func TestCloudGuide(t *testing.T) {
	p := start(t)
	page, err := os.ReadFile(guide)
	require.NoError(t, err)
	_, text, _ := strings.Cut(string(page), "make cloud\n```")
	require.NoError(t, os.CopyFS(p.dir, os.DirFS(top+"/examples/guides/try-it-without-a-cloud")))
	blocks := regexp.MustCompile("(?s)```(sh|text)\n(.*?)```|/assets/(cloud-[a-z]+\\.png)").FindAllStringSubmatch(text, -1)
	for i, block := range blocks {
		fails := i+1 < len(blocks) && strings.Contains(blocks[i+1][2], "Error: ")
		for line := range strings.Lines(block[2]) {
			if line = strings.TrimSpace(line); block[1] == "sh" {
				if p.does(line); p.failed && !fails {
					t.Fatal("it failed")
				}
			} else {
				assert.Contains(t, p.output, line, "what the guide shows")
			}
		}
		if fails != p.failed && block[1] == "sh" {
			t.Errorf("it should have failed: %v", fails)
		}
		if block[3] != "" {
			p.picture(block[3])
			p.accessible(block[3])
		}
	}
	for _, want := range []string{"is new in RegionOne/az-1, with debian-12", "is in service, and marked",
		"is drained", "is gone from RegionTwo/", "broken: zone/RegionOne/az-2"} {
		p.shows("#log", want)
	}
	p.wait(`document.querySelector(".server") === null`)
}

// picture takes a picture of the regions or, if something is closed, of the page without its log, and writes it if
// that is asked for. The same state always gives the same picture.
func (p *player) picture(name string) {
	p.Helper()
	what, width := "#board", int64(800)
	if js[bool](p.tab, "now.broken.length > 0") {
		what, width = "main", 1100
	}
	p.screen(width, 2000, false) // high enough that nothing sticks to the bottom
	p.scheme("light")
	js[any](p.tab, `(() => {
		document.activeElement.blur();
		document.getElementById("log").parentNode.style.visibility = "hidden";
		for (const code of document.querySelectorAll("code")) code.textContent = code.textContent.replace(location.origin, %q);
		return null;
	})()`, written)
	raw, err := chromedp.Run(p.ctx, chromedp.Screenshot(what))
	js[any](p.tab, `(() => { document.getElementById("log").parentNode.style.visibility = ""; draw(); return null })()`)
	p.screen(1280, 800, false)
	require.NoError(p, err)
	whole, err := png.Decode(bytes.NewReader(raw))
	if err != nil || whole.Bounds().Dx() < 700 {
		p.Fatalf("%s: %v", name, err)
	}
	if !*pictures {
		return
	}
	// The edges of letters need only 64 colours, which take a quarter of the bytes.
	small := image.NewPaletted(whole.Bounds(), nil)
	for y := range whole.Bounds().Dy() {
		for x := range whole.Bounds().Dx() {
			c := color.RGBAModel.Convert(whole.At(x, y)).(color.RGBA)
			c.R, c.G, c.B = c.R/24*24+(c.R/24+1)/11*15, c.G/24*24+(c.G/24+1)/11*15, c.B/24*24+(c.B/24+1)/11*15
			i := slices.Index(small.Palette, color.Color(c))
			if i < 0 {
				i, small.Palette = len(small.Palette), append(small.Palette, c)
			}
			small.SetColorIndex(x, y, uint8(i))
		}
	}
	var text bytes.Buffer
	err = (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&text, small)
	require.NoError(p, errors.Join(err, os.WriteFile(top+"/assets/"+name, text.Bytes(), 0o644)))
}

// TestCloudPage, without terraform: the page works on a phone, with the keyboard and for a screen reader, and no page
// of somebody else can break the cloud.
func TestCloudPage(t *testing.T) {
	p := start(t)
	for _, line := range []string{"break/zone/RegionOne/az-2", "break/host/RegionOne/r1-cmp-4", "break/quota/RegionTwo", "break/nova/RegionTwo"} {
		p.does("curl -X POST " + written + "/" + line)
	}
	p.accessible("no server")
	p.does("curl -X POST " + written + "/repair/nova/RegionTwo")
	assert.Equal(t, "do/nova", js[string](p.tab, "document.activeElement.dataset.key"), "the focus")
	for _, header := range []http.Header{{"Origin": {"https://elsewhere.example"}}, {"Sec-Fetch-Site": {"cross-site"}}, {"Host": {"elsewhere.example"}}} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, p.url+"break/nova/RegionOne", nil)
		require.NoError(t, err)
		if request.Header = header; header.Get("Host") != "" {
			request.Host = header.Get("Host")
		}
		answer, err := http.DefaultClient.Do(request)
		require.NoError(t, err)
		answer.Body.Close()
		assert.GreaterOrEqual(t, answer.StatusCode, 400, "%v", header)
	}
	assert.False(t, js[bool](p.tab, `now.broken.includes("nova/RegionOne")`), "somebody else broke Nova")
}
