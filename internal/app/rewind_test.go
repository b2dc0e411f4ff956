package app

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"testing"
	"testing/synctest"
	"time"
)

// TestInterruptedKeeping interrupts the look at the files before a call: the call must not run, and the next one looks again.
func TestInterruptedKeeping(t *testing.T) {
	t.Parallel()
	s := opened(t, newPlace(t, map[string]string{"a.txt": "x"}))
	stopped := errors.New("Esc")
	ctx, stop := context.WithCancelCause(t.Context())
	stop(stopped)
	if err := s.keepFiles(ctx, nil); !errors.Is(err, stopped) || s.rewinds.changing || s.rewinds.off {
		t.Fatalf("%v, changing %t, off %t", err, s.rewinds.changing, s.rewinds.off)
	}
	if err := s.keepFiles(t.Context(), nil); err != nil || !s.rewinds.changing || s.rewinds.off {
		t.Fatalf("%v, changing %t, off %t", err, s.rewinds.changing, s.rewinds.off)
	}
	if s.rewinds.store.Looked() == 0 {
		t.Error("it looked at nothing")
	}
}

// TestLookBeforeNext changes files in prompts that follow each other at once. The next prompt must not take the changes of the last one for changes
// by other hands.
func TestLookBeforeNext(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"a.txt": "0"})
	s := opened(t, p)
	begin := time.Now()
	for i := range 50 {
		if err := s.keepFiles(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		p.write("a.txt", strconv.Itoa(i+1))
		s.rewinds.lookAfterPrompt()
	}
	plan, err := control{s}.PlanFiles(t.Context(), begin)
	if err != nil || len(plan.Steps) != 1 || len(plan.Others()) > 0 {
		t.Errorf("got %+v, %v", plan.Steps, err)
	}
}

// TestReportLook checks that a look is reported once a second, and not after its end.
func TestReportLook(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var told []string
		stop := reportLook(func(text string) { told = append(told, text) }, func() int64 { return int64(len(told)) })
		time.Sleep(2*lookReports + lookReports/2)
		stop()
		time.Sleep(2 * lookReports)
		want := []string{"keeping the files as they are, for /rewind: 0 so far", "keeping the files as they are, for /rewind: 1 so far"}
		if !slices.Equal(told, want) {
			t.Errorf("got %q", told)
		}
	})
}
