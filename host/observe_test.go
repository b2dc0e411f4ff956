package host

import (
	"context"
	"errors"
	"io"
	"reflect"
	"testing"
	"time"

	"github.com/idelchi/aura/internal/plugin/manifest"
	"github.com/idelchi/aura/sdk"
)

// TestObserveCostsNothing checks that calls and states allocate nothing if there is no observer.
func TestObserveCostsNothing(t *testing.T) {
	s := newSupervisor(&Options{}, Spec{}, nil)
	defer s.life.end()
	s.life.state, s.life.cur = StateReady, &child{proc: &hostProcess{}}
	var in, out any = sdk.BeforeChatContext{}, sdk.Result{Message: "m"}
	err := &Error{Kind: KindPlugin, Err: io.EOF}
	measured := func() float64 {
		return testing.AllocsPerRun(100, func() {
			s.reports.call(context.Background(), Call{Point: "BeforeChat", Request: in, Out: out, Err: err, span: span{Waited: 1, Took: 2}})
			s.life.mu.Lock()
			s.life.cur.inflight ^= 1
			s.life.observe()
			s.life.mu.Unlock()
		})
	}
	if got := measured(); got != 0 {
		t.Errorf("%v allocations without listeners, want 0", got)
	}
	calls, states := 0, 0
	s.opts.Observer.OnCall = func(context.Context, Call) { calls++ }
	s.opts.Observer.OnState = func(StateChange) { states++ }
	measured()
	s.reports.flush()
	if calls == 0 || states != calls {
		t.Errorf("%d calls and %d states were reported to listeners", calls, states)
	}
}

// TestObserveState checks which changes are reported, and with which values.
func TestObserveState(t *testing.T) {
	t.Parallel()
	var got []StateChange
	s := newSupervisor(&Options{Observer: Observer{OnState: func(c StateChange) { got = append(got, c) }}}, Spec{Plugin: manifest.Plugin{Name: "p"}}, nil)
	defer s.life.end()
	made := func() *child { return &child{proc: &hostProcess{}} }
	first, second, third, fourth := made(), made(), made(), made()
	boom := errors.New("boom")
	calls := func(c *child, n int) {
		c.inflight += n
		s.life.observe()
	}
	s.life.set(StateStopped, nil, nil) // the state was the same before
	s.life.set(StateStarting, nil, nil)
	s.life.set(StateReady, first, nil)
	calls(first, 1)
	calls(first, 1) // a second call, concurrent with the first
	calls(first, -1)
	calls(first, -1)
	calls(first, 1)
	first.killedFor = "late"
	calls(first, -1) // the call ends before the death of its child is known
	s.life.set(StateRestarting, nil, boom)
	s.life.set(StateReady, second, nil)
	calls(second, 1)
	s.life.set(StateRestarting, nil, boom)
	s.life.set(StateReady, third, nil)
	calls(second, -1)                   // the call ends after its child was replaced
	s.life.set(StateReady, fourth, nil) // a reload
	s.life.set(StateQuarantined, nil, boom)
	want := []StateChange{
		{From: StateStopped, To: StateStarting},
		{From: StateStarting, To: StateReady},
		{From: StateReady, To: StateBusy},
		{From: StateBusy, To: StateReady},
		{From: StateReady, To: StateBusy},
		{From: StateBusy, To: StateRestarting, Reason: boom},
		{From: StateRestarting, To: StateReady},
		{From: StateReady, To: StateBusy},
		{From: StateBusy, To: StateRestarting, Reason: boom},
		{From: StateRestarting, To: StateReady},
		{From: StateReady, To: StateReady},
		{From: StateReady, To: StateQuarantined, Reason: boom},
	}
	for i := range want {
		want[i].Plugin = "p"
	}
	s.reports.flush()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

// BenchmarkObserve measures the overhead of a call without an observer.
func BenchmarkObserve(b *testing.B) {
	s := newSupervisor(&Options{}, Spec{}, nil)
	defer s.life.end()
	var in any = sdk.BeforeChatContext{}
	b.ReportAllocs()
	for b.Loop() {
		s.reports.call(context.Background(), Call{Point: "BeforeChat", Request: in, span: span{Waited: time.Millisecond}})
		s.life.observe()
	}
}
