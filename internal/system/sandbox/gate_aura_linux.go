package sandbox

import (
	"context"
	"encoding/json"
	"net"
	"sync"
	"time"

	"github.com/idelchi/aura/internal/system/netgate"
)

// toAura is the gate's side of the connection for a namespace.
type toAura struct {
	conn net.Conn

	mu sync.Mutex
	// last is the number of the last question, and open holds those that wait for an answer.
	last int
	open map[int]chan netgate.Answer
}

// send sends a message. If aura is gone, nobody needs it.
func (a *toAura) send(m fromGate) {
	a.mu.Lock()
	defer a.mu.Unlock()
	_ = a.conn.SetWriteDeadline(time.Now().Add(reportTime))
	_ = json.NewEncoder(a.conn).Encode(m)
}

func (a *toAura) report(e netgate.Event) { a.send(fromGate{Event: &e}) }

// ask asks aura and waits for the answer.
func (a *toAura) ask(ctx context.Context, q netgate.Question) netgate.Answer {
	answer := make(chan netgate.Answer, 1)
	a.mu.Lock()
	a.last++
	id := a.last
	a.open[id] = answer
	a.mu.Unlock()
	defer func() {
		a.mu.Lock()
		delete(a.open, id)
		a.mu.Unlock()
	}()
	a.send(fromGate{Ask: &q, ID: id})
	select {
	case said := <-answer:
		return said
	case <-ctx.Done():
		return netgate.Answer{Rule: q.Rule + ", and the process ended before there was an answer"}
	}
}

// receive passes answers to those who wait, until aura ends the connection.
func (a *toAura) receive(in *json.Decoder) {
	for {
		var m toGate
		if in.Decode(&m) != nil {
			return
		}
		a.mu.Lock()
		answer := a.open[m.ID]
		delete(a.open, m.ID)
		a.mu.Unlock()
		if answer != nil {
			answer <- m.Answer
		}
	}
}
