package browser_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// drawn opens the page that planview draws of a plan of its tests, in which the cluster has another name.
func drawn(t *testing.T, plan, cluster string) *tab {
	t.Helper()
	text, err := os.ReadFile(top + "/internal/planview/testdata/" + plan + ".json")
	require.NoError(t, err)
	quoted, err := json.Marshal(cluster)
	require.NoError(t, err)
	planview := exec.CommandContext(t.Context(), "go", "run", "./cmd/planview", "-format=html", "-")
	planview.Dir, planview.Stderr = top, t.Output()
	planview.Stdin = bytes.NewReader(bytes.ReplaceAll(text, []byte(`"cluster": "web"`), append([]byte(`"cluster": `), quoted...)))
	page, err := planview.Output()
	require.NoError(t, err)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write(page)
	}))
	t.Cleanup(server.Close)
	return visit(t, server.URL+"/", time.Minute)
}

// TestPlanview: the page has its colours on a light and a dark screen and on paper, fits a phone, and is accessible.
func TestPlanview(t *testing.T) {
	for _, plan := range []string{"batch", "user-data"} {
		t.Run(plan, func(t *testing.T) {
			p := drawn(t, plan, "web")
			p.shows("h1", "What the plan does")
			for _, c := range []struct{ name, media, scheme, want string }{
				{"light", "", "light", "rgb(255, 255, 255)"},
				{"dark", "", "dark", "rgb(13, 17, 23)"},
				{"print", "print", "dark", "rgb(255, 255, 255)"},
			} {
				p.run(command(emulation.SetEmulatedMedia,
					emulation.SetEmulatedMediaParams{Media: c.media, Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: c.scheme}}}))
				assert.Equal(t, c.want, js[string](p, `getComputedStyle(document.querySelector("svg .paper")).fill`), "%s: the picture", c.name)
				assert.Equal(t, c.want, js[string](p, "getComputedStyle(document.body).backgroundColor"), "%s: the page", c.name)
				p.shot(plan + "-" + c.name)
			}
			p.accessible(plan)
		})
	}
}

// TestHostileName: the name of a cluster is shown as text, and no script runs.
func TestHostileName(t *testing.T) {
	const evil = `<img src=x onerror="window.pwned=1"><script>window.pwned=1</script></style>`
	p := drawn(t, "batch", evil)
	p.shows("main", evil)
	// The page's policy would also refuse an element that got in.
	js[any](p, `(() => {
		window.violations = 0;
		addEventListener("securitypolicyviolation", () => window.violations++);
		document.querySelector("main").insertAdjacentHTML("beforeend", "<button id='evil' onclick='window.pwned=2'></button>");
		document.getElementById("evil").click();
		return null;
	})()`)
	p.wait("window.violations > 0")
	assert.False(t, js[bool](p, `Boolean(window.pwned) || document.querySelector("img, script") !== null`), "the name became an element")
}
