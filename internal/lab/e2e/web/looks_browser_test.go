//go:build linux

package web

import (
	"bytes"
	"fmt"
	"image/png"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/idelchi/aura/internal/lab/e2e/harness"
	"github.com/idelchi/aura/internal/lab/testneed"
)

// axeFile is the script that checks pages for accessibility.
const axeFile = "../testdata/axe/node_modules/axe-core/axe.min.js"

// noticing is a plugin that says something before each request.
const noticing = `func BeforeChat(context.Context, sdk.BeforeChatContext) (sdk.Result, error) { return sdk.Result{Notice: "%s"}, nil }`

// look is a page whose look is checked, once it shows something.
type look struct{ path, shows string }

// TestWebLooks checks each page in light and dark at three widths: nothing is wider than the screen, axe finds nothing serious, and the picture
// is not empty. Each page is then loaded without scripts. The variable AURA_SCREENSHOTS names a directory for pictures.
func TestWebLooks(t *testing.T) {
	t.Parallel()
	axe, err := os.ReadFile(axeFile)
	if err != nil {
		testneed.Missing(t, testneed.Axe, "npm ci in internal/lab/e2e/testdata/axe installs it: "+err.Error())
	}
	p := harness.NewProject(t)
	b := browse(p)
	edited := recorded(p)
	server := fleet(p)
	asking(p)
	p.Write(".aura/config/talk.yaml", harness.TalkWith("tool_calls: [{name: Ls, arguments: {path: .}}]"))
	p.Plugin("bad", "env: [DEPLOY_KEY]\n", crashing)
	release := p.Held()
	defer release()
	s := web(p, "--server", server)
	b.do(chromedp.Navigate("http://" + s.addr + "/#" + s.token))
	b.shows(text("#sessions") + ".includes('Bash touch')")
	linked := func(box, name string) string {
		return fmt.Sprint(b.eval(fmt.Sprintf("[...document.querySelectorAll('#%s tr')].find(r => r.innerText.includes(%q)).querySelector('a').pathname", box, name)))
	}
	held, asks := linked("sessions", "runs a tool"), linked("sessions", "Bash touch")
	b.do(chromedp.Navigate("http://" + s.addr + "/plugins"))
	b.shows("document.querySelector('#plugins a')")
	plugin := linked("plugins", "bad")
	call := "/recordings/" + edited + "/1"
	pages := map[string]look{
		"sessions":   {"/sessions", "document.querySelector('#sessions a')"},
		"session":    {held, text("#messages") + ".includes('calls Ls')"},
		"zoom":       {held + "?page=1&turn=1&zoom=4", "document.querySelector('.wide svg')"},
		"diff":       {"/sessions/" + edited, "document.querySelector('.diff .added') && document.querySelector('.diff .removed')"},
		"question":   {asks, text("#questions") + ".includes('Bash touch')"},
		"plugins":    {"/plugins", text("#plugins") + ".includes('witness')"},
		"plugin":     {plugin, "document.querySelectorAll('#crashes pre').length > 1"},
		"recordings": {"/recordings", "document.querySelector('#recordings a')"},
		"replay":     {"/recordings/" + edited, text("#content") + ".includes('- \"before\"') && " + text("#content") + ".includes('+ \"after\"')"},
		"call":       {call, "document.querySelector('main details')"},
		"network":    {"/network", text("h1") + ".startsWith('Network')"},
		"fleet":      {"/fleet", "document.querySelector('#batches a')"},
		"batch":      {"/fleet/looks", "document.querySelectorAll('#tasks a').length === 2"},
		"task":       {"/fleet/looks/a", text("#messages") + ".includes('do it')"},
	}
	for name, page := range pages {
		b.do(chromedp.Navigate("http://" + s.addr + page.path))
		b.shows(text("#connection") + " === 'live'")
		b.shows(page.shows)
		b.looks(name, string(axe))
	}
	b.quiet()

	b.do(emulation.SetScriptExecutionDisabled(true), chromedp.Navigate("http://any:"+s.token+"@"+s.addr+"/plain/sessions"))
	for name, page := range pages {
		var plain string
		b.do(chromedp.Navigate("http://"+s.addr+"/plain"+page.path), chromedp.OuterHTML("html", &plain, chromedp.ByQuery))
		if !strings.Contains(plain, "not live: reload the page") || !strings.Contains(plain, "<h1>") || !strings.Contains(plain, `href="/plain/sessions"`) || strings.Contains(plain, "cannot be shown") {
			t.Errorf("%s without scripts: %s", name, plain)
		}
	}
	b.quiet()
}

// recorded makes a session with a change of a file, whose recording a replay differs from, and returns its id.
func recorded(p *harness.Project) string {
	p.T.Helper()
	p.Plugin("bad", "description: Says something\n", harness.Source(fmt.Sprintf(noticing, "before")))
	p.Script("  - tool_calls: [{name: Write, arguments: {path: made.txt, content: \"one\\ntwo\\n\"}}]\n  - tool_calls: [{name: Edit, arguments: {path: made.txt, old: two, new: three}}]\n  - text: Done.\n")
	p.Run("run", "--record", "edit it")
	id := p.Saved().Meta.ID
	p.Plugin("bad", "description: Says something\n", harness.Source(fmt.Sprintf(noticing, "after")))
	if out := p.Aura("plugins", "replay", id); !strings.Contains(string(out), `"before" → "after"`) {
		p.T.Fatalf("the replay does not differ: %s", out)
	}
	p.Check(os.RemoveAll(p.Path(".aura/plugins/bad")))
	return id
}

// asking starts a session that waits for an approval.
func asking(p *harness.Project) {
	p.T.Helper()
	p.Write(".aura/config/features/tools.yaml", "tools: {policy: {confirm: ['Bash:touch *']}}\n")
	p.Script("  - tool_calls: [{name: Bash, arguments: {command: touch first}}]\n  - text: Done.\n")
	run := p.Command("run", "touch it")
	terminal := onTerminal(p, run, "terminal.txt")
	p.Check(run.Start())
	asked := p.Running(run)
	terminal.shows(`run it\? [^\n]*: `)
	p.T.Cleanup(func() { _ = run.Process.Signal(os.Interrupt); asked.Wait() })
}

// fleet starts a server with the batch looks, whose tasks have ended, and returns its address.
func fleet(p *harness.Project) string {
	p.T.Helper()
	dir, err := os.MkdirTemp(harness.OutsideRoot, "aura-fleet-") // it lies where no policy grants anything
	p.Check(err)
	p.T.Cleanup(func() { _ = os.RemoveAll(dir) })
	config := filepath.Join(dir, "config")
	p.Check(os.CopyFS(filepath.Join(config, "config"), os.DirFS(p.Path(".aura/config"))))
	serve := p.Command("fleet", "serve", "--listen", "127.0.0.1:0")
	out, err := os.Create(p.Path("serve.txt"))
	p.Check(err)
	serve.Stdout, serve.Stderr = out, out
	p.Check(serve.Start())
	p.Check(out.Close())
	server := p.Running(serve)
	p.T.Cleanup(func() { server.Signal(os.Interrupt); server.Wait() })
	p.Await("serve.txt", "(?m)^ready$")
	address := string(regexp.MustCompile(`listening on (\S+)`).FindSubmatch(p.Read("serve.txt"))[1])
	p.Write("looks.jsonl", `{"id":"a","prompts":["do it"],"provider":"test"}`+"\n"+`{"id":"b","prompts":["do it"],"provider":"nobody"}`+"\n")
	p.Run("fleet", "submit", "--server", address, "looks.jsonl")
	p.Run("fleet", "work", "--server", address, "--home", "", "--config", config, "--dir", filepath.Join(dir, "work"), "--until-empty")
	return address
}

// looks checks the page in the tab in light and dark at three widths.
func (b *browser) looks(name, axe string) {
	b.T.Helper()
	for _, theme := range []string{"light", "dark"} {
		for _, width := range []int64{360, 800, 1400} {
			what := fmt.Sprintf("%s-%s-%d", name, theme, width)
			b.do(chromedp.EmulateViewport(width, 900), emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: theme}}))
			if b.eval("document.documentElement.scrollWidth > innerWidth") == true {
				b.T.Errorf("%s is wider than the screen: %v", what, b.eval("document.documentElement.scrollWidth"))
			}
			b.picture(what)
			if width != 800 { // the narrowest and the widest arrangement have all that the rules look at
				b.accessible(what, axe)
			}
		}
	}
}

// picture takes a picture of the tab, and checks that it is not empty.
func (b *browser) picture(name string) {
	b.T.Helper()
	var raw []byte
	b.do(chromedp.CaptureScreenshot(&raw))
	shot, err := png.Decode(bytes.NewReader(raw))
	b.Check(err)
	// Letters make up a few hundredths of a page. The first pixel is background.
	bounds, drawn := shot.Bounds(), 0
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			if shot.At(x, y) != shot.At(0, 0) {
				drawn++
			}
		}
	}
	if all := bounds.Dx() * bounds.Dy(); drawn*500 < all {
		b.T.Errorf("the picture of %s is empty: %d of %d pixels are drawn", name, drawn, all)
	}
	if dir := os.Getenv("AURA_SCREENSHOTS"); dir != "" {
		b.Check(os.WriteFile(filepath.Join(dir, name+".png"), raw, 0o600))
	}
}

// accessible runs the rules of axe on the page, and fails for what is serious or worse.
func (b *browser) accessible(what, axe string) {
	b.T.Helper()
	b.eval(axe + "; 0")
	raw, _ := b.eval(`axe.run().then(r => JSON.stringify(r.violations.filter(v => v.impact === "serious" || v.impact === "critical").map(v => v.id + ": " + v.nodes.map(n => n.html + " " + n.failureSummary).join("; ")))
		.concat(r.passes.length > 10 ? "" : "axe checked nothing"))`).(string)
	if raw != "[]" {
		b.T.Errorf("%s: %s", what, raw)
	}
}
