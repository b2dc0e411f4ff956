//go:build linux

package screen

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/idelchi/aura/internal/lab/e2e/harness"
)

// TestInteractiveFirstLook interrupts the first look at the files of a large directory: the screen shows how far it is, the call does not run, and
// the next prompt can be taken back. The directory has one large file by many names, so that the look would take minutes.
func TestInteractiveFirstLook(t *testing.T) {
	t.Parallel()
	p := newStory(t, "  - tool_calls: [{name: Write, arguments: {path: made, content: one}}]\n"+
		"  - tool_calls: [{name: Write, arguments: {path: made, content: two}}]\n  - text: Done.\n")
	const directories, names, size = 20, 1000, 16 << 20
	p.Write("big/file", "")
	p.Check(os.Truncate(p.Path("big/file"), size))
	for d := range directories {
		dir := p.Path(fmt.Sprint("big/", d))
		p.Check(os.Mkdir(dir, 0o755))
		for n := range names {
			p.Check(os.Link(p.Path("big/file"), filepath.Join(dir, fmt.Sprint(n))))
		}
	}
	s := interactive(p).ready()
	s.send("Go" + enter)
	s.shows(`keeping the files as they are, for /rewind: \d+ so far`)
	s.send(escape)
	s.shows(`^> *\n`)
	s.ready()
	if p.Read("made") != nil {
		t.Error("the call ran")
	}
	p.Check(os.RemoveAll(p.Path("big")))
	s.send("Go on" + enter)
	s.shows(`^Done\.`)
	s.ready()
	if got := string(p.Read("made")); got != "two" {
		t.Errorf("the file has %q", got)
	}
	s.send("/rewind 2 files" + enter)
	s.ready()
	p.Until("the rewind", func() bool { return p.Read("made") == nil })
	s.send(ctrlD)
	s.end()
	harness.Complete(t, p.Saved())
	p.NoTrace()
}
