package recording

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/shared"
)

// call returns the record of a call, without secrets. It is valid until the next one is made. New entries of lists wait in w.entries.
func (w *Writer) call(c host.Call) (Call, error) {
	w.raw = spare(w.raw)
	hide := w.hider()
	out := Call{
		Plugin: c.Plugin, Version: c.Version, Child: c.Child, Point: c.Point, Mixed: c.Mixed, Waited: c.Waited, Took: c.Took,
	}
	given, args, err := out.setRequest(c.Request)
	if err != nil {
		return out, err
	}
	if given != nil {
		stripped, lists, redacted, err := w.entries.strip(given, hide)
		if err != nil {
			return out, err
		}
		out.Lists, out.Redacted = lists, redacted
		if err := out.set(&out.Context, hide, stripped); err != nil {
			return out, err
		}
	}
	if err := out.set(&out.Args, hide, args); err != nil {
		return out, err
	}
	env, redacted, err := hidden(hide, out.Env)
	if err != nil {
		return out, err
	}
	out.Env, out.Redacted = env, out.Redacted || redacted
	if out.Asked, redacted, err = hidden(hide, c.Asked); err != nil {
		return out, err
	}
	out.Redacted = out.Redacted || redacted
	return out, out.answer(hide, c.Out, c.Err)
}

// setRequest sets what identifies the call, and returns its context and its arguments.
func (c *Call) setRequest(request any) (given, args any, err error) {
	switch r := request.(type) {
	case shared.HookCall:
		c.Env = r.Env
		return r.Context, nil, nil
	case shared.ToolCall:
		c.Name, c.Env = r.Tool, r.Env
		return r.Context, r.Args, nil
	case shared.PathsCall:
		c.Name = r.Tool
		return nil, r.Args, nil
	case shared.CommandCall:
		c.Name, c.Env = r.Name, r.Env
		return r.Context, r.Args, nil
	case shared.EventCall:
		c.Name, c.Sender = r.Name, r.Sender
		args, err := shared.DecodePayload(r.Payload)
		return nil, args, err
	default:
		return nil, nil, fmt.Errorf("a %T is no call", request)
	}
}

// set sets a field to a value without secrets.
func (c *Call) set(field *json.RawMessage, hide hider, value any) error {
	if value == nil {
		return nil
	}
	clean, redacted, err := hide.exact(value)
	*field, c.Redacted = clean, c.Redacted || redacted
	return err
}

// answer sets the outcome.
func (c *Call) answer(hide hider, out any, failed error) (err error) {
	if out != nil {
		c.Out, _, err = hide.exact(out)
	}
	if failed != nil {
		c.Kind = KindOf(failed)
		c.Failure = hide.secrets.String(host.Reason(failed).Error())
	}
	return err
}

// KindOf returns the kind of a failed call.
func KindOf(err error) host.ErrorKind {
	if e, ok := errors.AsType[*host.Error](err); ok {
		return e.Kind
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return KindCancelled
	}
	return host.KindWire
}

// hidden returns a value of plain JSON without secrets, and whether there were any.
func hidden[T any](hide hider, value T) (out T, redacted bool, err error) {
	if hide.secrets == nil {
		return value, false, nil
	}
	raw, err := json.Marshal(value)
	if err != nil {
		return out, false, err
	}
	clean, redacted, err := hide.json(raw)
	if err != nil || !redacted {
		return value, false, err
	}
	return out, true, json.Unmarshal(clean, &out)
}
