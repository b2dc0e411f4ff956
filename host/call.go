package host

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/idelchi/aura/internal/base/limit"
	"github.com/idelchi/aura/shared"
)

// call runs fn on the plugin's child with a deadline. It waits for a child that is starting or restarting. It always returns
// soon after the deadline. By then, a child that hangs or lost its connection has been killed or is being killed.
func (s *supervisor) call(
	ctx context.Context, doing string, limit time.Duration, fn func(context.Context, shared.Remote) error,
) (span, error) {
	return s.callAs(ctx, doing, limit, false, fn)
}

// callAs is like call. An event may have to wait for the calls that the child works on, so their time does not count: killing the child
// would end them too.
func (s *supervisor) callAs(
	ctx context.Context, doing string, limit time.Duration, event bool, fn func(context.Context, shared.Remote) error,
) (span, error) {
	asked := time.Now()
	// What happened to the plugin during the call is reported before the call's result.
	defer s.out.flush()
	// A call with a short deadline waits for a slow start all the same: starting has a deadline of its own.
	c, err := s.acquire(ctx, max(limit, s.startLimit()))
	began := time.Now()
	waited := began.Sub(asked)
	if err != nil {
		return span{Waited: waited}, s.wrap(doing, err)
	}
	defer s.release(c)
	s.mu.Lock()
	taped := c.tape.begin()
	c.doing = append(c.doing, doing)
	if event {
		limit += c.busyFor(began)
	} else {
		c.deadlines = append(c.deadlines, began.Add(limit))
	}
	s.mu.Unlock()
	rpc, cancel := context.WithTimeout(ctx, limit+shared.Grace)
	defer cancel()
	err = fn(rpc, c.Remote)
	took := time.Since(began)
	err = s.reported(c, s.judge(ctx, c, limit, took, err))
	s.record(took, err)
	s.mu.Lock()
	c.tape.end(taped)
	i := slices.Index(c.doing, doing)
	c.doing = slices.Delete(c.doing, i, i+1)
	if i := slices.Index(c.deadlines, began.Add(limit)); !event && i >= 0 {
		c.deadlines = slices.Delete(c.deadlines, i, i+1)
	}
	s.mu.Unlock()
	return span{Waited: waited, Took: took, Version: c.version, Child: c.number, Asked: taped.asked, Mixed: taped.mixed}, s.wrap(doing, err)
}

// acquire waits for a child that can be called.
func (s *supervisor) acquire(ctx context.Context, limit time.Duration) (*child, error) {
	s.start()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	for {
		s.mu.Lock()
		c, state, down, changed := s.cur, s.state, s.down, s.changed
		if c != nil && c.proc.dead() {
			// The process is dead, but the supervisor has not handled its death yet; doing so will change the state.
			c, state = nil, StateRestarting
		}
		if c != nil {
			c.inflight++
			s.observeState()
		}
		s.mu.Unlock()
		switch {
		case c != nil:
			return c, nil
		case state == StateQuarantined || state == StateStopped:
			return nil, &Error{Kind: KindDown, Err: downReason(down)}
		}
		select {
		case <-changed:
		case <-timer.C:
			return nil, &Error{Kind: KindDown, Err: fmt.Errorf("still %s after %s", state, limit)}
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// startLimit is how long a call waits for a child that starts: starting has this deadline, and the build before it has another.
func (s *supervisor) startLimit() time.Duration {
	spec := s.specNow()
	limit := timeoutsOf(spec.Manifest).load
	if n := spec.Native; n != nil && n.Only && !n.Ready() {
		limit += maxBuild
	}
	return limit
}

// maxBuild is how long a build may take, with some time to wait for others.
const maxBuild = 10 * time.Minute

func downReason(down error) error {
	if down == nil {
		return errors.New("not running")
	}
	return Reason(down)
}

func (s *supervisor) release(c *child) {
	s.mu.Lock()
	c.inflight--
	s.observeState()
	s.swap()
	s.mu.Unlock()
}

// judge converts an error of the wire into an *Error, and kills the child if it is lost. took is how long the call took.
func (s *supervisor) judge(ctx context.Context, c *child, limit, took time.Duration, err error) error {
	var failure *shared.Failure
	switch {
	case err == nil:
		return nil
	case errors.As(err, &failure):
		// A plugin that respects its context returns an error at the deadline.
		returned := failure.Kind == shared.FailureError && took < limit
		return &Error{Kind: KindPlugin, Err: pluginError(failure), returned: returned}
	case ctx.Err() != nil:
		s.settle(c)
		return ctx.Err()
	}
	switch status.Code(err) {
	case codes.DeadlineExceeded:
		why := c.proc.overdue(limit)
		s.kill(c, why.Error())
		return &Error{Kind: KindTimeout, Err: why}
	case codes.ResourceExhausted, codes.Internal, codes.Unknown:
		if !c.proc.awaitExit(0) {
			return &Error{Kind: KindWire, Err: wireReason(err)}
		}
	default:
	}
	if !c.proc.awaitExit(deathGrace) {
		why := "the plugin's process closed its connection, so it was killed"
		if last := c.proc.lastWords(); last != "" {
			why += "; it last printed: " + last
		}
		s.kill(c, why)
		return &Error{Kind: KindCrash, Err: errors.New(why)}
	}
	s.mu.Lock()
	killedFor := c.killedFor
	s.mu.Unlock()
	if killedFor != "" {
		return &Error{Kind: KindCrash, Err: errors.New(killedFor)}
	}
	return &Error{Kind: KindCrash, Err: c.proc.deathNote()}
}

// wireReason returns an error of the wire without the text that gRPC adds.
func wireReason(err error) error {
	if s, ok := status.FromError(err); ok {
		return errors.New(s.Message())
	}
	return err
}

func pluginError(f *shared.Failure) error {
	f = &shared.Failure{Kind: f.Kind, Message: limit.Cut(f.Message, limit.Injection, "an error of a plugin")}
	if f.Kind == shared.FailurePanic {
		return fmt.Errorf("panic: %w", f)
	}
	return f
}

// kill kills a child and records the reason. The supervisor then handles its death.
func (s *supervisor) kill(c *child, why string) {
	s.mu.Lock()
	if c.killedFor == "" {
		c.killedFor = why
	}
	s.mu.Unlock()
	c.proc.kill()
}

// settle checks in the background that a plugin has stopped working on a cancelled call, and kills the child otherwise.
func (s *supervisor) settle(c *child) {
	done := make(chan struct{})
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.life.Err() != nil {
		return // the child is being stopped, and nothing may be added to what close waits for
	}
	s.settling = append(s.settling, done)
	s.pending.Go(func() {
		defer func() {
			close(done)
			s.mu.Lock()
			defer s.mu.Unlock()
			s.settling = slices.DeleteFunc(s.settling, func(d <-chan struct{}) bool { return d == done })
			s.swap()
		}()
		ctx, cancel := context.WithTimeout(s.life, 2*shared.Grace)
		defer cancel()
		if err := c.Quiesce(ctx); err != nil && s.life.Err() == nil {
			s.kill(c, "a cancelled call did not end, so the plugin's process was killed")
		}
	})
}

// wrap adds the plugin's name to an error that leaves the supervisor. It adds the name only once.
func (s *supervisor) wrap(doing string, err error) error {
	var e *Error
	if !errors.As(err, &e) {
		return err
	}
	return &Error{Plugin: s.specNow().Name, Doing: doing, Kind: e.Kind, Err: e.Err, returned: e.returned, reported: e.reported}
}
