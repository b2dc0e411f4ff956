package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"path/filepath"
	"time"
)

// Action is what another process of the same user can ask a session to do.
type Action string

// The actions.
const (
	ActionRestart    Action = "restart"
	ActionQuarantine Action = "quarantine"
	// ActionCancel ends a turn of the session, and ActionAnswer answers a question of it. The others are about one of its plugins.
	ActionCancel Action = "cancel"
	ActionAnswer Action = "answer"
)

// order is a request to a session.
type order struct {
	Action Action `json:"action"`
	Plugin string `json:"plugin,omitempty"`
	// Turn is the number of the turn to cancel.
	Turn int `json:"turn,omitempty"`
	// Question is the ID of the question to answer, and Answer the value of one of its answers.
	Question string `json:"question,omitempty"`
	Answer   string `json:"answer,omitempty"`
}

// maxOrder is the largest order that a session reads, in bytes. orderSlots is how many orders a session carries out at a time.
const (
	maxOrder   = 4096
	orderSlots = 8
)

// Answer is what a session answers to an order.
type Answer struct {
	State State `json:"state"`
	// Pid is the process ID of the plugin's child, or 0 if there is no child.
	Pid int `json:"pid"`
	// Error is why the order was not carried out; empty if it was.
	Error string `json:"error,omitempty"`
}

// obey answers one order. Only processes of the same user are obeyed. The session's directory keeps other users out too, and the
// sandbox keeps confined processes out: it hides the directory and refuses Unix sockets.
func (s *Session) obey(conn *net.UnixConn) {
	defer func() { _ = conn.Close() }()
	_ = conn.SetDeadline(time.Now().Add(statusTimeout))
	var answer Answer
	o, err := readOrder(conn)
	if err == nil {
		answer, err = s.carryOut(o)
	}
	if err != nil {
		answer.Error = err.Error()
	}
	_ = conn.SetDeadline(time.Now().Add(statusTimeout))
	// A client that has gone does not need the answer.
	_ = json.NewEncoder(conn).Encode(answer)
}

func readOrder(conn *net.UnixConn) (order, error) {
	if err := sameUser(conn); err != nil {
		return order{}, err
	}
	return decodeOrder(conn)
}

func decodeOrder(r io.Reader) (order, error) {
	var o order
	d := json.NewDecoder(io.LimitReader(r, maxOrder))
	d.DisallowUnknownFields()
	if err := d.Decode(&o); err != nil {
		return order{}, fmt.Errorf("reading the request: %w", err)
	}
	switch o.Action {
	case ActionRestart, ActionQuarantine, ActionCancel, ActionAnswer:
	default:
		return order{}, fmt.Errorf("reading the request: there is no action %q", o.Action)
	}
	return o, nil
}

func (s *Session) carryOut(o order) (Answer, error) {
	s.mu.Lock()
	source, cancel, answer := s.source, s.cancel, s.answer
	s.mu.Unlock()
	switch {
	case o.Action == ActionCancel && cancel == nil, o.Action == ActionAnswer && answer == nil:
		return Answer{}, errors.New("the session is being opened")
	case o.Action == ActionAnswer:
		return Answer{}, answer(o.Question, o.Answer)
	case o.Action == ActionCancel:
		return Answer{}, cancel(o.Turn)
	case source == nil:
		return Answer{}, errors.New("the session has no plugins yet")
	}
	return source.act(o)
}

// act carries out an order and returns the state of the plugin afterwards.
func (f *Fleet) act(o order) (Answer, error) {
	p := f.lookup(o.Plugin)
	if p == nil {
		return Answer{}, fmt.Errorf("the session has no plugin %q", o.Plugin)
	}
	err := p.sup.quarantine
	if o.Action == ActionRestart {
		err = p.sup.restart
	}
	failed := err()
	now := p.Health()
	return Answer{State: now.State, Pid: now.Pid}, failed
}

// Do asks the session of a plugin to restart or quarantine the plugin. It returns when that is done: after a restart, the plugin is
// ready again or cannot be started.
func (s Status) Do(ctx context.Context, action Action) (Answer, error) {
	return order{Action: action, Plugin: s.Name}.send(ctx, s.place)
}

// CancelTurn asks the session with an id to cancel a turn. The session refuses if that turn is over.
func CancelTurn(ctx context.Context, id string, turn int, bases ...string) error {
	return order{Action: ActionCancel, Turn: turn}.sendTo(ctx, id, bases)
}

// AnswerQuestion asks the session with an id to accept an answer to one of its questions, by the value of the answer. The session refuses if the
// question is no longer open.
func AnswerQuestion(ctx context.Context, id, question, answer string, bases ...string) error {
	return order{Action: ActionAnswer, Question: question, Answer: answer}.sendTo(ctx, id, bases)
}

// sendTo sends an order to the session with an id.
func (o order) sendTo(ctx context.Context, id string, bases []string) error {
	for _, path := range sockets("session", bases) {
		var found struct{ ID string }
		if askSocket(path, &found) == nil && found.ID == id {
			_, err := o.send(ctx, filepath.Dir(path))
			return err
		}
	}
	return errors.New("the session has ended")
}

// send sends an order to the session in a directory, and waits for the answer.
func (o order) send(ctx context.Context, place string) (Answer, error) {
	conn, err := (&net.Dialer{Timeout: statusTimeout}).DialContext(ctx, "unix", controlPath(place))
	if errors.Is(err, fs.ErrNotExist) {
		return Answer{}, errors.New("the session has ended, or an aura runs it that cannot be asked from outside; use /reload in the session")
	}
	if err != nil {
		return Answer{}, fmt.Errorf("connecting to the session: %w", err)
	}
	defer func() { _ = conn.Close() }()
	// Loading a plugin may take as long as its manifest permits, so only the caller limits the wait for the answer.
	defer context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Now()) })()
	var answer Answer
	err = json.NewEncoder(conn).Encode(o)
	if err == nil {
		err = json.NewDecoder(io.LimitReader(conn, maxStatus)).Decode(&answer)
	}
	switch {
	case ctx.Err() != nil:
		return Answer{}, context.Cause(ctx)
	case err != nil:
		return Answer{}, fmt.Errorf("asking the session: %w", err)
	case answer.Error != "":
		return answer, errors.New(answer.Error)
	}
	return answer, nil
}
