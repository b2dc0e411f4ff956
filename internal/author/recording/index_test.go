package recording

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/sdk"
	"github.com/idelchi/aura/shared"
)

// TestIndexFollows checks that an index that follows a recording knows what reading the whole file knows, also when the file is continued,
// replaced and edited.
func TestIndexFollows(t *testing.T) {
	t.Parallel()
	path, list := place(t), calls(t)
	x := NewIndex(path)
	if err := x.Update(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	for _, part := range [][]host.Call{list[:3], list[3:5], list[5:]} {
		recorded(t, path, part)
		sameAsOpen(t, x)
	}
	if x.Heads()[7].Outcome() != "failed: "+string(host.KindPlugin) || x.Heads()[0].Outcome() != "ok" {
		t.Errorf("heads %+v", x.Heads())
	}
	for _, n := range []int{0, -1, 9} {
		if _, err := x.Call(n); err == nil {
			t.Errorf("call %d is there", n)
		}
	}
	// The writer's zeros, and half of a record, are an end that is not there yet.
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, end := range []string{"\x00\x00\x00", `{"sum":"12`} {
		if err := os.WriteFile(path, append(slices.Clone(whole), end...), 0o600); err != nil {
			t.Fatal(err)
		}
		sameAsOpen(t, x)
		if len(x.Notes()) != 1 {
			t.Errorf("notes %q", x.Notes())
		}
	}
	r, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Update([]Result{{Call: r.Calls[0], Out: json.RawMessage(`{"Message":"another"}`)}}); err != nil {
		t.Fatal(err)
	}
	sameAsOpen(t, x)
	// Who edits a file replaces it.
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, bytes.Replace(whole, []byte("BeforeChat"), []byte("beforeChat"), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := x.Update(); !errors.Is(err, errEdited) {
			t.Errorf("an edited file: %v", err)
		}
	}
	if err := os.WriteFile(path, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	sameAsOpen(t, x)
}

// sameAsOpen compares an index with the whole recording.
func sameAsOpen(t *testing.T, x *Index) {
	t.Helper()
	if err := x.Update(); err != nil {
		t.Fatal(err)
	}
	r, err := Open(x.path)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Calls) != len(x.Heads()) || r.Torn != x.torn || r.Full != x.full {
		t.Fatalf("%d calls of %d, torn %v, full %v", len(x.Heads()), len(r.Calls), x.torn, x.full)
	}
	for i, c := range r.Calls {
		got, err := x.Call(i + 1)
		if err != nil {
			t.Fatal(err)
		}
		want, err := c.Input()
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got.Input, want) || !bytes.Equal(got.Out, c.Out) || got.Failure != c.Failure || len(got.Asked) != len(c.Asked) || got.Plugin != c.Plugin || len(got.Without) > 0 {
			t.Errorf("call %d:\ngot  %+v\nwant %+v with %s", c.N, got, c, want)
		}
	}
}

// TestIndexLongLists checks that a call with long lists is read with their last entries.
func TestIndexLongLists(t *testing.T) {
	t.Parallel()
	path := place(t)
	var turns []sdk.Turn
	for i := range 40 {
		turns = append(turns, sdk.Turn{Role: "user", Content: fmt.Sprint(i, " ", strings.Repeat("x", 100<<10))})
	}
	tools := []sdk.ToolCall{{Name: "Bash", Result: "short"}}
	recorded(t, path, []host.Call{{Plugin: "p", Point: "BeforeChat", Request: shared.HookCall{Point: "BeforeChat", Context: sdk.BeforeChatContext{Context: sdk.Context{Turns: turns, ToolHistory: tools}}}, Out: sdk.Result{}}})
	x := NewIndex(path)
	if err := x.Update(); err != nil {
		t.Fatal(err)
	}
	c, err := x.Call(1)
	if err != nil {
		t.Fatal(err)
	}
	left := c.Without[listTurns]
	if left < 30 || left > 38 || c.Without[listTools] != 0 {
		t.Errorf("left out %v", c.Without)
	}
	if text := string(c.Input); !strings.Contains(text, `"39 xx`) || !strings.Contains(text, fmt.Sprintf(`"%d xx`, left)) || strings.Contains(text, fmt.Sprintf(`"%d xx`, left-1)) || !strings.Contains(text, `"short"`) {
		t.Error("the input has other entries")
	}
}

// TestReport checks what a report counts, that it stays small, and that it is read back.
func TestReport(t *testing.T) {
	t.Parallel()
	var r Report
	huge := strings.Repeat("é", maxValue)
	var many []Difference
	for range 3 * maxDifferences {
		many = append(many, Difference{Field: huge, Before: huge, After: huge})
	}
	for i := range 3 * maxFindings {
		out := Result{Call: &Call{N: i + 1, Plugin: "p", Point: "BeforeChat"}}
		switch {
		case i == 0:
			out.Differences = many
		case i%3 == 0:
			out.Differences = many[:1]
		case i%3 == 1:
			out.Unrepeatable = "because"
			out.Differences = many
		}
		r.Add(out)
	}
	if r.Calls != 3*maxFindings || r.Same != maxFindings || r.Differ != maxFindings || r.NotRepeated != maxFindings || len(r.Findings) != maxFindings || r.Left != maxFindings {
		t.Errorf("%d calls, %d the same, %d differ, %d not repeated, %d findings, %d left", r.Calls, r.Same, r.Differ, r.NotRepeated, len(r.Findings), r.Left)
	}
	if f := r.Findings[0]; len(f.Differences) != maxDifferences || len(f.Differences[0].Before) > maxValue+len("…") || !strings.HasSuffix(f.Differences[0].Before, "é…") {
		t.Errorf("%d differences of %d bytes", len(f.Differences), len(f.Differences[0].Before))
	}
	if f := r.Findings[1]; f.NotRepeated != "because" || f.Differences != nil {
		t.Errorf("a call that was not repeated: %+v", f)
	}
	r.Findings = r.Findings[:2]
	r.At = time.Now().UTC().Round(0)
	path := filepath.Join(t.TempDir(), "s.replay")
	if err := r.Save(path); err != nil {
		t.Fatal(err)
	}
	again, err := LoadReport(path)
	if err != nil || again.Summary() != r.Summary() || !again.At.Equal(r.At) || len(again.Findings) != 2 {
		t.Errorf("read back: %+v, %v", again, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if _, err := LoadReport(path + "x"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no report: %v", err)
	}
}
