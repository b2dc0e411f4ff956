//go:build linux

package web

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/creack/pty"

	"github.com/idelchi/aura/internal/lab/e2e/harness"
)

// TestWebControl restarts and quarantines a plugin and cancels a turn from the pages of a running session. Each request waits for a key in the
// terminal that shows it: y does it, another key refuses.
func TestWebControl(t *testing.T) {
	t.Parallel()
	p := harness.NewProject(t)
	b := browse(p)
	p.Plugin("holder", "description: Holds the conversation\ntimeout: 300s\n", harness.HolderSource)
	session := p.Start("run", "go")
	p.Until("held.txt", func() bool { _, err := os.Stat(p.Path("held.txt")); return err == nil })
	screen, tty, err := pty.Open()
	p.Check(err)
	t.Cleanup(func() { _ = screen.Close(); _ = tty.Close() })
	p.Check(pty.Setsize(screen, &pty.Winsize{Rows: 24, Cols: 200}))
	record, err := os.Create(p.Path("terminal.txt"))
	p.Check(err)
	t.Cleanup(func() { _ = record.Close() })
	go func() { _, _ = record.ReadFrom(screen) }()
	cmd := p.Command("web", "--control")
	cmd.Stdin, cmd.Stderr = tty, tty
	cmd.SysProcAttr.Setsid, cmd.SysProcAttr.Setctty = true, true
	s := serving(p, cmd)

	seen := 0
	// answer waits for a question on the terminal and types a key.
	answer := func(question, key string) {
		t.Helper()
		p.Until(question+" on the terminal", func() bool {
			at := regexp.MustCompile(question + `(.|\n)*every other key refuses: `).FindIndex(p.Read("terminal.txt")[seen:])
			if at != nil {
				seen += at[1]
			}
			return at != nil
		})
		_, err := screen.WriteString(key)
		p.Check(err)
	}
	answered := func(what string) { t.Helper(); b.shows(text("#answered") + ".includes('" + what + "')") }
	b.do(chromedp.Navigate("http://" + s.addr + "/#" + s.token))
	b.shows("document.querySelector('#sessions a')")
	of := b.eval("document.querySelector('#sessions a').pathname").(string)
	b.eval(`document.querySelector('header a[href="/plugins"]').click()`)
	b.shows(text("#plugins") + ".includes('witness')")
	b.eval(`[...document.querySelectorAll('#plugins a')].find(a => a.innerText === 'witness').click()`)
	press := func(value string) { b.eval(`document.querySelector('button[value=` + value + `]').click()`) }
	b.shows("document.querySelector('button[value=restart]')")
	before := p.PID("witness")
	press("restart")
	answer(`A page asks to restart plugin witness \(pid \d+\)`, "n")
	answered("refused in the terminal; nothing was done")
	if now := p.PID("witness"); now != before {
		t.Errorf("the plugin was restarted after a no: pid %d, then %d", before, now)
	}
	press("restart")
	answer("A page asks to restart plugin witness", "y")
	answered("restarted (state ready")
	if now := p.PID("witness"); now == before {
		t.Error("the plugin was not restarted")
	}
	press("quarantine")
	answer("A page asks to quarantine plugin witness", "y")
	answered("quarantined (state quarantined")
	b.shows(text("#plugin .state") + " === 'quarantined'")

	b.do(chromedp.Navigate("http://" + s.addr + of))
	b.shows("document.querySelector('button[value=cancel]')")
	// The page stays accessible with its buttons.
	if axe, err := os.ReadFile(axeFile); err == nil {
		b.looks("session-control", string(axe))
	}
	press("cancel")
	answer(`A page asks to cancel turn \d+ of session`, "y")
	answered(": cancelled")
	if code := session.Wait(); code == 0 || !strings.Contains(string(p.Stderr()), "the turn was cancelled by aura web") {
		t.Errorf("the session ended with exit code %d: %s", code, p.Stderr())
	}
	b.shows("!document.querySelector('button[value=cancel]')")
	b.faultsOnly("403") // the browser reports the refusal as a failed request
}

// TestWebControlAlone checks that --control needs a terminal.
func TestWebControlAlone(t *testing.T) {
	t.Parallel()
	p := harness.NewProject(t)
	a := p.Start("web", "--control")
	if code := a.Wait(); code != 2 || !strings.Contains(string(p.Stderr()), "--control needs a terminal") {
		t.Errorf("exit code %d: %s", code, p.Stderr())
	}
}
