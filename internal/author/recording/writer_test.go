package recording

import (
	"errors"
	"slices"
	"testing"
)

// TestFull checks that a recording ends at its limit, with one error, and says so.
func TestFull(t *testing.T) {
	t.Parallel()
	path := place(t)
	w := create(t, path)
	w.limit = 3000
	var faults []error
	for range 20 {
		if err := w.Call(1, calls(t)[0], false); err != nil {
			faults = append(faults, err)
		}
	}
	faults = append(faults, durable(w))
	faults = slices.DeleteFunc(faults, func(err error) bool { return err == nil })
	if err := w.Close(); err != nil || len(faults) != 1 || !errors.Is(faults[0], ErrFull) {
		t.Errorf("got %v, %v", faults, err)
	}
	r, err := Open(path)
	if err != nil || !r.Full || len(r.Calls) == 0 || len(r.Calls) > 10 {
		t.Errorf("got %+v, %v", r, err)
	}
}

// TestSync checks that Sync waits for calls, and not for prompts and answers.
func TestSync(t *testing.T) {
	t.Parallel()
	w := create(t, place(t))
	sync := func() <-chan struct{} {
		synced, err := w.Sync()
		if err != nil {
			t.Fatal(err)
		}
		<-synced
		return synced
	}
	first := sync()
	if sync() != first {
		t.Error("a recording without a new record is made durable again")
	}
	for _, many := range []bool{false, true} {
		before := sync()
		if err := w.Call(1, calls(t)[0], many); err != nil || sync() == before {
			t.Errorf("a call is not made durable: %v", err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestWrittenAlone checks that a prompt and an answer are written although nothing follows them.
func TestWrittenAlone(t *testing.T) {
	t.Parallel()
	path := place(t)
	w := create(t, path)
	if err := errors.Join(w.Prompt("a prompt"), w.Answer(Answer{Text: "an answer"})); err != nil {
		t.Fatal(err)
	}
	w.mu.Lock()
	for len(w.tasks) > 0 {
		w.changed.Wait()
	}
	written := w.busy
	w.mu.Unlock()
	<-written
	if r, err := Open(path); err != nil || len(r.Prompts) != 1 || len(r.Answers) != 1 {
		t.Errorf("got %+v, %v", r, err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestUnclosed checks what a recording has whose process was killed after Sync, and that closing it removes the reserved space.
func TestUnclosed(t *testing.T) {
	t.Parallel()
	path, list := place(t), calls(t)
	w := create(t, path)
	for i, c := range list {
		if err := errors.Join(w.Call(i, c, false), durable(w)); err != nil {
			t.Fatal(err)
		}
		if r, err := Open(path); err != nil || len(r.Calls) != i+1 || !r.Torn {
			t.Fatalf("after call %d: %+v, %v", i+1, r, err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if r, err := Open(path); err != nil || len(r.Calls) != len(list) || r.Torn {
		t.Errorf("closed: %+v, %v", r, err)
	}
	if err := errors.Join(w.Call(1, list[0], false), durable(w), w.Close()); err != nil {
		t.Errorf("a closed Writer returned %v", err)
	}
}

// TestHeld checks that two processes do not write one recording.
func TestHeld(t *testing.T) {
	t.Parallel()
	path := place(t)
	create(t, path)
	if _, err := Create(path, Run{}, nil); err == nil {
		t.Error("a second writer was not refused")
	}
}
