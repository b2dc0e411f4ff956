package web

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/idelchi/aura/internal/fleet"
	"github.com/idelchi/aura/internal/fleet/queue"
)

// Fleet is a connection to the queue of a fleet; a *queue.Queue is one.
type Fleet interface {
	Status(context.Context) (queue.Status, error)
	Results(ctx context.Context, batch string, f func(fleet.Result) error) ([]queue.Bad, error)
	Result(ctx context.Context, batch, task string) (fleet.Result, bool, error)
	Progress(ctx context.Context, batch string, f func(task string, p fleet.Progress) error) error
	Events(ctx context.Context, batch, task string, follow bool, f func(task string, lines []byte) error, done func() bool) error
	Blob(context.Context, fleet.Blob) ([]byte, error)
	Close()
}

const (
	// fleetAge is how old an answer of the server may be. A server that needs long for an answer is asked less often: it works for us in at most
	// one of fleetShare parts of the time.
	fleetAge   = 2 * time.Second
	fleetShare = 20
	// fleetPatience is how long a page waits for the first answer, and fleetTime how long an answer may take.
	fleetPatience = time.Second
	fleetTime     = 30 * time.Second
	// fleetIdle is after how long without a question the connection is closed.
	fleetIdle = time.Minute
	// maxAnswers is how many answers are known at once.
	maxAnswers = 32
)

// errWaiting is what a page shows before the first answer.
var errWaiting = errors.New("the server has not answered yet")

// fleetReader asks the server of a fleet. It asks in a goroutine of its own, so that no page waits long for a server that does not answer.
type fleetReader struct {
	open func(context.Context) (Fleet, error)
	// ctx ends with the pages.
	ctx     context.Context //nolint:containedctx // the questions outlive the requests that cause them
	working sync.WaitGroup

	mu      sync.Mutex
	answers map[string]*fleetAnswer

	// asking is held by the question that the server is asked now. It guards the connection, which idle closes.
	asking sync.Mutex
	queue  Fleet
	idle   *time.Timer
}

// fleetAnswer is what the server answered last.
type fleetAnswer struct {
	value any
	err   error
	at    time.Time
	took  time.Duration
	// pending is closed when the present question has its answer; nil if nobody asks.
	pending chan struct{}
}

// ask returns the newest answer to a question, which key names, and asks again if it is old. It returns errWaiting if there is no answer yet.
func (f *fleetReader) ask(ctx context.Context, key string, question func(context.Context, Fleet) (any, error)) (any, error) {
	f.mu.Lock()
	a := f.answers[key]
	if a == nil {
		if len(f.answers) >= maxAnswers || f.answers == nil {
			f.answers = map[string]*fleetAnswer{}
		}
		a = &fleetAnswer{}
		f.answers[key] = a
	}
	if a.pending == nil && time.Since(a.at) > max(fleetAge, fleetShare*a.took) && f.ctx.Err() == nil {
		a.pending = make(chan struct{})
		f.working.Go(func() { f.answer(a, question) })
	}
	pending, first := a.pending, a.at.IsZero()
	f.mu.Unlock()
	if first && pending != nil {
		timer := time.NewTimer(fleetPatience)
		defer timer.Stop()
		select {
		case <-pending:
		case <-timer.C:
		case <-ctx.Done():
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if a.at.IsZero() {
		return nil, errWaiting
	}
	return a.value, a.err
}

// answer asks the server, and stores what it answers.
func (f *fleetReader) answer(a *fleetAnswer, question func(context.Context, Fleet) (any, error)) {
	f.asking.Lock()
	defer f.asking.Unlock()
	begun := time.Now()
	ctx, cancel := context.WithTimeout(f.ctx, fleetTime)
	defer cancel()
	var value any
	var err error
	if f.queue == nil {
		f.queue, err = f.open(ctx)
	}
	if err == nil {
		value, err = question(ctx, f.queue)
	}
	if f.idle != nil {
		f.idle.Stop()
	}
	f.idle = time.AfterFunc(fleetIdle, f.disconnect)
	f.mu.Lock()
	defer f.mu.Unlock()
	a.value, a.err, a.at, a.took = value, err, time.Now(), time.Since(begun)
	close(a.pending)
	a.pending = nil
}

// disconnect closes the connection. The next question opens another one.
func (f *fleetReader) disconnect() {
	f.asking.Lock()
	defer f.asking.Unlock()
	if f.queue != nil {
		f.queue.Close()
		f.queue = nil
	}
}

// close ends the questions after ctx has ended, and the connection. A server that does not answer delays it as long as a connection may take.
func (f *fleetReader) close() {
	f.working.Wait()
	f.disconnect()
	if f.idle != nil {
		f.idle.Stop()
	}
}
