package queue_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/fleet"
)

// TestForgedResults puts results into the queue that no worker writes. None is returned, and none hides the others.
func TestForgedResults(t *testing.T) {
	t.Parallel()
	o := start(t)
	q := open(t, o)
	submit(t, q, "b", 1)
	c := next(t, q, "w")
	if err := c.Finish(t.Context(), fleet.Result{Status: fleet.StatusDone}); err != nil {
		t.Fatal(err)
	}
	kv, err := raw(t, o).KeyValue(t.Context(), "aura-results")
	if err != nil {
		t.Fatal(err)
	}
	large := fleet.Blob{Object: "x", Size: fleet.MaxBlob, SHA256: strings.Repeat("0", 64)}
	forged := map[string]fleet.Result{
		"status":     {Status: "fine"},
		"final":      {Status: fleet.StatusDone, Final: strings.Repeat("x", 2*fleet.MaxFinal)},
		"bytes":      {Status: fleet.StatusDone, Files: []fleet.File{{Path: "1", Blob: large}, {Path: "2", Blob: large}, {Path: "3", Blob: large}, {Path: "4", Blob: large}, {Path: "5", Blob: large}}},
		"files":      {Status: fleet.StatusDone, Files: make([]fleet.File, fleet.MaxCollected+1)},
		"outside":    {Status: fleet.StatusDone, Files: []fleet.File{{Path: "../x"}}},
		"absolute":   {Status: fleet.StatusDone, Files: []fleet.File{{Path: "/x"}}},
		"cases":      {Status: fleet.StatusDone, Files: []fleet.File{{Path: "x"}, {Path: "X"}}},
		"repository": {Status: fleet.StatusDone, Files: []fleet.File{{Path: "d/.git/config"}}},
		"seal":       {Status: fleet.StatusDone},
	}
	for name, r := range forged {
		r.Version, r.Batch, r.Task = fleet.Format, "b", name
		if r, err = r.Sealed(nil); err != nil {
			t.Fatal(err)
		}
		if name == "seal" {
			r.Final = "another text"
		}
		data, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := kv.Put(t.Context(), "b."+name, data); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := kv.Put(t.Context(), "b.noise", []byte("{{{")); err != nil {
		t.Fatal(err)
	}
	var good []string
	bad, err := q.Results(t.Context(), "b", func(r fleet.Result) error { good = append(good, r.Task); return nil })
	if err != nil || len(good) != 1 || good[0] != "t0" || len(bad) != len(forged)+1 {
		t.Errorf("good %v, %v", good, err)
		for _, b := range bad {
			t.Log(b.Task, b.Err)
		}
	}
}

// TestForgedCheckpoint lets a worker without the key of the fleet leave a checkpoint. A worker with the key begins the task again. The
// control has no key.
func TestForgedCheckpoint(t *testing.T) {
	t.Parallel()
	for name, key := range map[string]string{"with a key": "key", "control": ""} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := start(t)
			submit(t, open(t, o), "b", 1)
			foreign := next(t, open(t, o), "foreign")
			if err := foreign.Checkpoint(t.Context(), fleet.Checkpoint{Session: "forged", Done: 1}); err != nil {
				t.Fatal(err)
			}
			if err := foreign.Return(t.Context(), 0); err != nil {
				t.Fatal(err)
			}
			o.SealKey = []byte(key)
			q := open(t, o)
			own := next(t, q, "own")
			if (own.Progress.Checkpoint != nil) != (key == "") || own.Progress.Attempt != 2 {
				t.Fatalf("got %+v", own.Progress)
			}
			// What the worker writes itself is continued.
			if err := own.Checkpoint(t.Context(), fleet.Checkpoint{Session: "own", Done: 1}); err != nil {
				t.Fatal(err)
			}
			if err := own.Return(t.Context(), 0); err != nil {
				t.Fatal(err)
			}
			if again := next(t, q, "again"); again.Progress.Checkpoint == nil || again.Progress.Checkpoint.Session != "own" {
				t.Errorf("got %+v", again.Progress)
			}
		})
	}
}
