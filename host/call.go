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
//
// An event may have to wait for the calls that the child works on, so their time does not count: killing the child would end them too.
func (s *supervisor) call(
	ctx context.Context, doing string, limit time.Duration, event bool, fn func(context.Context, shared.Remote) error,
) (span, error) {
	asked := time.Now()
	// What happened to the plugin during the call is reported before the call's result.
	defer s.reports.flush()
	// A call with a short deadline waits for a slow start all the same: starting has a deadline of its own.
	s.start()
	s.restartOutdated()
	c, err := s.life.acquire(ctx, max(limit, s.startLimit()))
	began := time.Now()
	waited := began.Sub(asked)
	if err != nil {
		return span{Waited: waited}, s.wrap(doing, err)
	}
	defer s.release(c)
	s.life.mu.Lock()
	taped := c.tape.begin()
	c.doing = append(c.doing, doing)
	if !event {
		c.idle.begin(began)
	}
	s.life.mu.Unlock()
	if event {
		err = s.callEvent(ctx, c, limit, fn)
	} else {
		rpc, cancel := context.WithTimeout(ctx, limit+shared.Grace)
		defer cancel()
		err = fn(rpc, c.Remote)
	}
	took := time.Since(began)
	err = s.reported(c, s.callError(ctx, c, limit, took, err))
	s.stats.record(took, err)
	s.life.mu.Lock()
	c.tape.end(taped)
	i := slices.Index(c.doing, doing)
	c.doing = slices.Delete(c.doing, i, i+1)
	if !event {
		c.idle.end(time.Now())
	}
	s.life.mu.Unlock()
	return span{Waited: waited, Took: took, Version: c.version, Child: c.number, Asked: taped.asked, Mixed: taped.mixed}, s.wrap(doing, err)
}

// startLimit is how long a call waits for a child that starts: starting has this deadline, and the build before it has another.
func (s *supervisor) startLimit() time.Duration {
	spec := s.life.currentSpec()
	limit := timeoutsOf(spec.Manifest).load
	if n := spec.Native; n != nil && n.Only && !n.Ready() {
		limit += maxBuild
	}
	return limit
}

// toolTimeout returns the deadline of a tool: its own, or else that of the plugin's tools.
func (s *supervisor) toolTimeout(tool string) time.Duration {
	s.life.mu.Lock()
	defer s.life.mu.Unlock()
	if t := s.code.exports.Tool(tool); t != nil && t.Timeout > 0 {
		return t.Timeout
	}
	return timeoutsOf(s.life.spec.Manifest).tool
}

// maxBuild is how long a build may take, with some time to wait for others.
const maxBuild = 10 * time.Minute

func notRunning(down error) error {
	if down == nil {
		return errors.New("not running")
	}
	return Reason(down)
}

func (s *supervisor) release(c *child) {
	s.life.mu.Lock()
	c.inflight--
	s.life.observe()
	s.native.swap()
	s.life.mu.Unlock()
}

// callError converts an error of the wire into an *Error, and kills the child if it is lost. took is how long the call took.
func (s *supervisor) callError(ctx context.Context, c *child, limit, took time.Duration, err error) error {
	var failure *shared.Failure
	switch {
	case err == nil:
		return nil
	case errors.As(err, &failure):
		// A plugin that respects its context returns an error at the deadline.
		returned := failure.Kind == shared.FailureError && took < limit
		return &Error{Kind: KindPlugin, Err: pluginError(failure), returned: returned}
	case ctx.Err() != nil:
		s.awaitCancelled(c)
		return ctx.Err()
	}
	switch status.Code(err) {
	case codes.DeadlineExceeded:
		why := c.proc.overdue(limit)
		s.life.kill(c, why.Error())
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
		s.life.kill(c, why)
		return &Error{Kind: KindCrash, Err: errors.New(why)}
	}
	s.life.mu.Lock()
	killedFor := c.killedFor
	s.life.mu.Unlock()
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

// awaitCancelled checks in the background that a plugin has stopped working on a cancelled call, and kills the child otherwise.
func (s *supervisor) awaitCancelled(c *child) {
	done := make(chan struct{})
	s.life.mu.Lock()
	defer s.life.mu.Unlock()
	if s.life.over() {
		return // the child is being stopped, and nothing may be added to what close waits for
	}
	s.life.cancelled = append(s.life.cancelled, done)
	s.life.pending.Go(func() {
		defer func() {
			close(done)
			s.life.mu.Lock()
			defer s.life.mu.Unlock()
			s.life.cancelled = slices.DeleteFunc(s.life.cancelled, func(d <-chan struct{}) bool { return d == done })
			s.native.swap()
		}()
		ctx, cancel := context.WithTimeout(s.life.ctx, 2*shared.Grace)
		defer cancel()
		if err := c.Quiesce(ctx); err != nil && !s.life.over() {
			s.life.kill(c, "a cancelled call did not end, so the plugin's process was killed")
		}
	})
}

// wrap adds the plugin's name to an error that leaves the supervisor. It adds the name only once.
func (s *supervisor) wrap(doing string, err error) error {
	var e *Error
	if !errors.As(err, &e) {
		return err
	}
	return &Error{Plugin: s.reports.plugin, Doing: doing, Kind: e.Kind, Err: e.Err, returned: e.returned, reported: e.reported}
}
