package guest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/idelchi/aura/shared"
)

// waitingReplies is how many answers to requests wait at most before the host stops reading the guest's frames.
const waitingReplies = 16

// desk handles what a guest asks of aura. Events are passed on at once, in order. Other requests, and all answers, are left to a
// goroutine of their own, because they wait for aura or for the guest, and the answers to calls must be received meanwhile.
type desk struct {
	client *Client
	work   chan func()
}

func newDesk(c *Client) *desk {
	d := &desk{client: c, work: make(chan func(), waitingReplies)}
	go func() {
		for f := range d.work {
			f()
		}
	}()
	return d
}

// close ends the goroutine, once the guest has read the frame that is being sent or has closed its end.
func (d *desk) close() { close(d.work) }

// errAlone is the answer to a request if Services is nil.
var errAlone = errors.New("there is no aura that could be asked")

// handle handles a request until ctx is done. An error means that the guest broke the protocol.
func (d *desk) handle(ctx context.Context, m message) error {
	var err error
	services := d.client.options.Services
	switch {
	case m.Ask == askLists:
		d.work <- func() {
			found, err := d.client.history.answer(m.Of)
			d.reply(m.ID, found, err)
		}
		return nil
	case !slices.Contains([]ask{askEmit, askListen, askState, askNow, askRand}, m.Ask):
		return fmt.Errorf("reading a frame of the guest: %q is nothing that a guest can ask", m.Ask)
	case services == nil:
		err = errAlone
	case m.Ask == askState:
		d.work <- func() { d.state(ctx, m) }
		return nil
	case m.Ask == askNow:
		d.work <- func() {
			now, err := services.Now(ctx)
			d.reply(m.ID, now.UnixNano(), err)
		}
		return nil
	case m.Ask == askRand:
		d.work <- func() {
			n, err := services.Rand(ctx)
			d.reply(m.ID, n, err)
		}
		return nil
	case m.Event == "":
		err = errors.New("the event has no name")
	case m.Ask == askListen:
		err = services.Listen(ctx, m.Event)
	default:
		err = d.emit(ctx, m)
	}
	if m.ID != 0 {
		d.work <- func() { d.reply(m.ID, nil, err) }
	}
	return nil
}

func (d *desk) emit(ctx context.Context, m message) error {
	var payload any
	if len(m.Payload) > 0 {
		if err := shared.DecodeExact(m.Payload, &payload); err != nil {
			return fmt.Errorf("sending an event: %w", err)
		}
	}
	b, err := shared.EncodePayload(payload)
	if err != nil {
		return err
	}
	return d.client.options.Services.Emit(ctx, m.Event, b)
}

func (d *desk) state(ctx context.Context, m message) {
	request := shared.StateRequest{Op: m.Op, Scope: m.Scope, Key: m.Key}
	var err error
	if len(m.Value) > 0 {
		err = shared.DecodeExact(m.Value, &request.Value)
	}
	var found shared.StateAnswer
	if err == nil {
		found, err = d.client.options.Services.State(ctx, request)
	}
	var value json.RawMessage
	if err == nil {
		value, err = shared.EncodeExact(found.Value)
	}
	d.reply(m.ID, stateAnswer{Value: value, Found: found.Found, Keys: found.Keys}, err)
}

// reply answers a request. If the guest is gone, nobody needs the answer.
func (d *desk) reply(id uint64, result any, err error) {
	out := answer{ID: id, Result: result}
	if err != nil {
		out.Result, out.Failure = nil, &failure{Kind: shared.FailureError, Message: err.Error()}
	}
	if err := d.client.write(out); errors.Is(err, errTooLarge) {
		_ = d.client.write(answer{ID: id, Failure: &failure{Kind: shared.FailureSize, Message: err.Error()}})
	}
}
