package netgate

import (
	"context"
	"sync"
)

// maxAsked is how many different questions of a namespace wait for an answer at a time. Nobody can answer more.
const maxAsked = 16

// asks holds the questions of a namespace that wait for an answer. Connections to the same host and port wait for the same answer.
type asks struct {
	ask func(context.Context, Question) Answer

	mu   sync.Mutex
	open map[Question]*asked
}

// asked is a question that waits. answer is set when done is closed.
type asked struct {
	done   chan struct{}
	answer Answer
}

// put returns the answer to a question. The end of ctx, which is that of the namespace, refuses it.
func (a *asks) put(ctx context.Context, q Question) Answer {
	if a.ask == nil {
		return Answer{Rule: q.Rule + ", and nobody can be asked here"}
	}
	a.mu.Lock()
	waiting := a.open[q]
	if waiting == nil && len(a.open) >= maxAsked {
		a.mu.Unlock()
		return Answer{Rule: q.Rule + ", and too many questions wait for an answer"}
	}
	if waiting != nil {
		a.mu.Unlock()
		<-waiting.done
		return waiting.answer
	}
	waiting = &asked{done: make(chan struct{})}
	a.open[q] = waiting
	a.mu.Unlock()
	waiting.answer = a.ask(ctx, q)
	a.mu.Lock()
	delete(a.open, q)
	a.mu.Unlock()
	close(waiting.done)
	return waiting.answer
}
