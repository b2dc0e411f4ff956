//go:build linux

package fleet

import (
	"strings"
	"testing"

	"github.com/creack/pty"
)

// TestFleetStatusLive watches a batch on a terminal. The display changes in place until the batch is finished.
func TestFleetStatusLive(t *testing.T) {
	t.Parallel()
	l := newFleetLab(t, fleetScript)
	l.run("fleet", "submit", l.write("live.jsonl", `{"id":"a","prompts":["do it"],"provider":"mine"}`+"\n"+`{"id":"b","prompts":["do it"],"provider":"nobody"}`+"\n"))
	screen, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = screen.Close() })
	cmd := l.command("fleet", "status", "live", "--watch")
	cmd.Env = append(cmd.Env, "TERM=xterm")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = tty.Close()
	var shown strings.Builder
	buffer := make([]byte, 4096)
	worked := false
	for {
		n, err := screen.Read(buffer)
		shown.Write(buffer[:n])
		if err != nil {
			break // the command has ended
		}
		if !worked && strings.Contains(shown.String(), "0 of 2 tasks ended") && strings.Contains(shown.String(), "waiting   2") {
			worked = true
			l.drain()
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v: %s", err, shown.String())
	}
	if !worked {
		t.Fatalf("the beginning was not shown: %q", shown.String())
	}
	// The last display begins where the one before it began.
	at := strings.LastIndex(shown.String(), "A\x1b[J")
	if at < 0 {
		t.Fatalf("the display did not change in place: %q", shown.String())
	}
	last := shown.String()[at:]
	for _, want := range []string{"batch live (open): 2 of 2 tasks ended", strings.Repeat("#", 40), "done      1", "failed    1", "failures by class:", "2 tasks per minute; finished"} {
		if !strings.Contains(last, want) {
			t.Errorf("the last display has no %q: %q", want, shown.String())
		}
	}
}
