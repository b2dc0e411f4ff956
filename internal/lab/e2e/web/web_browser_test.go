//go:build linux

package web

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/idelchi/aura/internal/lab/e2e/harness"
	"github.com/idelchi/aura/internal/lab/testneed"
)

// browser is a running Chromium with one tab.
type browser struct {
	*harness.Project

	ctx context.Context //nolint:containedctx // chromedp keeps the tab in it
	mu  sync.Mutex
	// faults are the errors on the console.
	faults []string
}

// browse starts Chromium, which ends with the test.
func browse(p *harness.Project) *browser {
	p.T.Helper()
	chromium := testneed.Program(p.T, "chromium")
	options := append([]chromedp.ExecAllocatorOption{chromedp.ExecPath(chromium), chromedp.UserDataDir(p.T.TempDir()), chromedp.WSURLReadTimeout(harness.Patience)}, chromedp.NoSandbox, chromedp.NoFirstRun,
		chromedp.Headless, chromedp.DisableGPU, chromedp.Flag("disable-quic", true), chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-sync", true), chromedp.Flag("disable-dev-shm-usage", true), chromedp.Env("HOME="+p.T.TempDir()))
	allocated, end := chromedp.NewExecAllocator(context.Background(), options...)
	p.T.Cleanup(end)
	tab, closeTab := chromedp.NewContext(allocated)
	p.T.Cleanup(closeTab)
	ctx, cancel := context.WithTimeout(tab, 4*harness.Patience)
	p.T.Cleanup(cancel)
	b := &browser{Project: p, ctx: ctx}
	chromedp.ListenTarget(ctx, func(ev any) {
		b.mu.Lock()
		defer b.mu.Unlock()
		switch e := ev.(type) {
		case *runtime.EventExceptionThrown:
			b.faults = append(b.faults, e.ExceptionDetails.Error())
		case *log.EventEntryAdded:
			if e.Entry.Level == log.LevelError {
				b.faults = append(b.faults, e.Entry.Text+" "+e.Entry.URL)
			}
		}
	})
	b.do(chromedp.Navigate("about:blank"))
	return b
}

func (b *browser) do(actions ...chromedp.Action) {
	b.T.Helper()
	if err := chromedp.Run(b.ctx, actions...); err != nil {
		b.T.Fatal(err)
	}
}

// eval returns the value of an expression, which may be a promise.
func (b *browser) eval(expression string) (out any) {
	b.T.Helper()
	b.do(chromedp.Evaluate(expression, &out, func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }))
	return out
}

// shows waits until an expression is true.
func (b *browser) shows(expression string) {
	b.T.Helper()
	b.Until(expression+" in the browser", func() bool { return b.eval("!!("+expression+")") == true })
}

// quiet checks that nothing was reported on the console.
func (b *browser) quiet() {
	b.T.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, fault := range b.faults {
		b.T.Errorf("on the console: %s", fault)
	}
}

// faultsOnly checks that everything on the console has a text.
func (b *browser) faultsOnly(expected string) {
	b.T.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, fault := range b.faults {
		if !strings.Contains(fault, expected) {
			b.T.Errorf("on the console: %s", fault)
		}
	}
}

// text is an expression for the text of the element with a selector.
func text(selector string) string {
	return fmt.Sprintf("(document.querySelector(%q)?.innerText || '')", selector)
}

// TestWebBrowser opens the pages of a running session in a browser: the token, live changes, a plugin that dies, the keyboard, and that nothing
// reaches the console.
func TestWebBrowser(t *testing.T) {
	t.Parallel()
	p := harness.NewProject(t)
	b := browse(p)
	release := p.Held()
	s := web(p)
	b.do(chromedp.Navigate("http://" + s.addr + "/#" + s.token))
	b.shows(text("#sessions") + ".includes('runs a tool')")
	b.shows(text("#connection") + " === 'live'")
	for what, want := range map[string]any{
		"location.href": "http://" + s.addr + "/sessions", "document.cookie": "", "document.referrer": "", "history.length <= 2": true, "sessionStorage.length": 1.0, "localStorage.length": 0.0,
	} {
		if got := b.eval(what); got != want {
			t.Errorf("%s is %v, want %v", what, got, want)
		}
	}
	// The pages are used with the keyboard: the link of the session is focused and opened.
	b.eval("document.querySelector('#sessions a').focus()")
	b.do(chromedp.KeyEvent("\r"))
	b.shows(text("#messages") + ".includes('calls Ls')")
	b.shows("document.activeElement.id === 'content'")
	b.shows("document.querySelectorAll('#turns rect').length > 1")

	b.eval(`document.querySelector('header a[href="/plugins"]').click()`)
	b.shows(text("#plugins") + ".includes('witness')")
	p.Check(syscall.Kill(p.PID("witness"), syscall.SIGKILL))
	b.shows("[...document.querySelectorAll('#plugins tr')].some(r => r.querySelector('th').innerText === 'witness' && r.querySelector('[data-label=restarts]').innerText === '1')")
	b.eval(`[...document.querySelectorAll('#plugins a')].find(a => a.innerText === 'witness').click()`)
	b.shows(text("#content") + ".includes('signal: killed') || " + text("#plugin") + ".toLowerCase().includes('kill')")
	b.shows(text("#log") + ".includes('plugin witness loaded')")

	// The browser's own button leads back, and a page that is loaded again keeps its token.
	b.eval("history.back()")
	b.shows(text("h1") + " === 'Plugins'")
	b.do(chromedp.Reload())
	b.shows(text("#plugins") + ".includes('witness')")

	b.do(chromedp.Navigate("http://" + s.addr + "/sessions"))
	b.shows(text("#sessions") + ".includes('runs a tool')")
	release()
	b.shows(text("#sessions") + ".includes('done')")
	b.quiet()
	b.leavesNothing(s)
}

// leavesNothing follows a link to another server, and checks that neither its referrer nor an address in the history of the tab has the
// token. Chromium remembers beside each address what the user had typed, which no page can change.
func (b *browser) leavesNothing(s *site) {
	b.T.Helper()
	seen := make(chan string, 10)
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen <- fmt.Sprint(r.URL, r.Header)
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte("<!DOCTYPE html><title>other</title><body>"))
	}))
	b.T.Cleanup(other.Close)
	b.eval(fmt.Sprintf(`(() => { const a = document.createElement("a"); a.href = %q; document.body.append(a); a.click(); })()`, other.URL))
	b.shows("document.title === 'other'")
	if got := <-seen; strings.Contains(got, s.token) || strings.Contains(got, "Referer") {
		b.T.Errorf("another server gets %s", got)
	}
	if got := b.eval("document.referrer + sessionStorage.length"); got != "0" {
		b.T.Errorf("the page of another server knows %v", got)
	}
	b.do(chromedp.ActionFunc(func(ctx context.Context) error {
		_, entries, err := page.GetNavigationHistory().Do(ctx)
		for _, e := range entries {
			if strings.Contains(e.URL, s.token) {
				b.T.Errorf("the history of the tab has %s", e.URL)
			}
		}
		if len(entries) < 4 {
			b.T.Errorf("the history of the tab has %d entries", len(entries))
		}
		return err
	}))
}

// TestWebOtherPages attacks the pages from a page on another port of the machine, which even knows the token.
func TestWebOtherPages(t *testing.T) {
	t.Parallel()
	p := harness.NewProject(t)
	b := browse(p)
	s := web(p)
	evil := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte("<!DOCTYPE html><title>evil</title><body>"))
	}))
	t.Cleanup(evil.Close)
	// The control: the same page reads what permits it.
	open := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Access-Control-Allow-Origin", "*")
		w.Header().Set("Access-Control-Allow-Headers", "Aura-Token")
	}))
	t.Cleanup(open.Close)
	b.do(chromedp.Navigate(evil.URL))
	read := `fetch(%q, {headers: {"Aura-Token": %q}}).then(r => "read " + r.status, () => "refused")`
	plain := `fetch(%q).then(r => "read " + r.status, () => "refused")`
	element := `new Promise(done => { const e = document.createElement(%q); e.onload = () => done("loaded"); e.onerror = () => done("refused"); e.src = %q; document.body.append(e); })`
	base := "http://" + s.addr
	rows := []struct{ what, expression, want string }{
		{"the control", fmt.Sprintf(read, open.URL, s.token), "read 200"},
		{"a fetch with the token", fmt.Sprintf(read, base+"/sessions", s.token), "refused"},
		{"a fetch without", fmt.Sprintf(plain, base+"/sessions"), "refused"},
		{"a fetch of the page for navigation", fmt.Sprintf(plain, base+"/"), "refused"},
		{"the script", fmt.Sprintf(element, "script", base+"/assets/page.js"), "refused"},
		{"the picture", fmt.Sprintf(element, "img", base+"/assets/icon.svg"), "refused"},
	}
	for _, row := range rows {
		if got := b.eval(row.expression); got != row.want {
			t.Errorf("%s: %v, want %s", row.what, got, row.want)
		}
	}
	b.eval(fmt.Sprintf(`new Promise(done => { const f = document.createElement("iframe"); f.name = "inside"; f.onload = done; f.src = %q; document.body.append(f); }).then(() => 0)`, base+"/sessions#"+s.token))
	if got := b.eval(`(() => { try { return String(frames[0].document.title) } catch { return "closed" } })()`); got != "closed" && got != "" {
		t.Errorf("the page is in a frame: %v", got)
	}
	// A form leads to a refusal, whatever it sends.
	b.eval(fmt.Sprintf(`(() => { const f = document.createElement("form"); f.method = "post"; f.action = %q; document.body.append(f); f.submit(); })()`, base+"/sessions"))
	b.shows("document.body.innerText.includes('requests of other pages are refused')")
}

// TestWebWithoutScripts signs in with scripts switched off.
func TestWebWithoutScripts(t *testing.T) {
	t.Parallel()
	p := harness.NewProject(t)
	p.Run("run", "hi")
	b := browse(p)
	s := web(p)
	b.do(emulation.SetScriptExecutionDisabled(true), chromedp.Navigate("http://"+s.addr+"/#"+s.token))
	var page string
	outer := func() string {
		b.do(chromedp.OuterHTML("html", &page, chromedp.ByQuery))
		return page
	}
	if got := outer(); !strings.Contains(got, `href="/plain/sessions"`) {
		t.Errorf("the first page: %s", got)
	}
	b.do(chromedp.Navigate("http://any:" + s.token + "@" + s.addr + "/plain/sessions"))
	if got := outer(); !strings.Contains(got, `id="sessions"`) || !strings.Contains(got, "not live: reload the page") || !strings.Contains(got, `href="/plain/sessions/`) {
		t.Errorf("after signing in: %s", got)
	}
	// The link of the session works without the password in the address.
	b.do(chromedp.Click("#sessions a", chromedp.ByQuery), chromedp.WaitVisible("#messages article", chromedp.ByQuery))
	var saved []struct{ ID string }
	asked(p, &saved, "sessions", "--json")
	raw, err := json.Marshal(saved)
	if err != nil || !strings.Contains(outer(), saved[0].ID) {
		t.Errorf("the page of session %s: %s", raw, page)
	}
}
