package shared

import (
	"fmt"
	"reflect"
	"slices"
	"sync"

	"github.com/fxamacker/cbor/v2"

	"github.com/idelchi/aura/internal/plugin/hookpoint"
	"github.com/idelchi/aura/sdk"
)

// contextFrame is an sdk.Context on the wire: its growing lists are sent as deltas, the other fields unchanged.
type contextFrame struct {
	_     struct{} `cbor:",toarray"`
	Base  sdk.Context
	Turns delta[sdk.Turn]
	Tools delta[sdk.ToolCall]
}

// pack returns the frame, and a function that must be called when the call is over. Its argument reports whether the child has
// answered.
func (s *sender) pack(c sdk.Context) (contextFrame, func(answered bool)) {
	turns, ackTurns := send(s, &s.turns, ListTurns, c.Turns)
	tools, ackTools := send(s, &s.tools, ListTools, c.ToolHistory)
	c.Turns, c.ToolHistory = nil, nil
	return contextFrame{Base: c, Turns: turns, Tools: tools}, func(answered bool) { ackTurns(answered); ackTools(answered) }
}

// send returns the delta to send for the named list. A list that the plugin cannot read is not sent.
func send[T any](s *sender, l *ledger[T], name string, list []T) (delta[T], func(answered bool)) {
	switch {
	case slices.Contains(s.unread, name):
		return alone[T](nil), func(bool) {}
	case s.apart:
		return alone(list), func(bool) {}
	default:
		return l.diff(list)
	}
}

// unpack rebuilds the context. The lists that touched reports are copied for the plugin. The other lists are shared with later
// calls, which is safe because the plugin's source never mentions them. The same applies to the arguments within the tool
// history, because copying them costs far more than copying the list.
func (r *receiver) unpack(f contextFrame, touched func(field string) bool) (sdk.Context, error) {
	c := f.Base
	var err error
	if c.Turns, err = r.turns.apply(f.Turns); err != nil {
		return c, err
	}
	if c.ToolHistory, err = r.tools.apply(f.Tools); err != nil {
		return c, err
	}
	if c.Turns != nil && touched("Turns") {
		c.Turns = append([]sdk.Turn{}, c.Turns...)
	}
	if c.ToolHistory != nil && touched("ToolHistory") {
		c.ToolHistory = cloneToolCalls(c.ToolHistory, touched("Args"))
	}
	return c, nil
}

// hookFrame is the body of a hook call.
type hookFrame struct {
	_        struct{} `cbor:",toarray"`
	Context  contextFrame
	Messages delta[sdk.Message]
	// Extra holds the fields that the point's context adds to sdk.Context, other than Messages.
	Extra cbor.RawMessage
	Env   map[string]string
	// Newest reports that the tool's result equals that of the newest call in the history and is sent only there.
	Newest bool
}

// toolFrame is the body of a tool call. commandFrame is the body of a slash command.
type toolFrame struct {
	_       struct{} `cbor:",toarray"`
	Tool    string
	Context contextFrame
	Args    map[string]any
	Env     map[string]string
}

type commandFrame struct {
	_       struct{} `cbor:",toarray"`
	Name    string
	Context contextFrame
	Args    string
	Env     map[string]string
}

func (s *sender) packHook(call HookCall) (hookFrame, func(answered bool), error) {
	point, err := lookup(call.Point)
	if err != nil {
		return hookFrame{}, nil, err
	}
	v := reflect.ValueOf(call.Context)
	if v.Type() != point.Context {
		return hookFrame{}, nil, fmt.Errorf("calling %s: got a %s, want a %s", call.Point, v.Type(), point.Context)
	}
	shape := shapeOf(point.Context)
	frame := hookFrame{Env: call.Env}
	base, _ := reflect.TypeAssert[sdk.Context](v.Field(shape.base))
	own := reflect.New(point.Context)
	own.Elem().Set(v)
	if text := point.NewestResult(own.Interface()); text != nil && s.repeats(base, *text) {
		frame.Newest, *text = true, ""
		v = own.Elem()
	}
	var ack func(bool)
	frame.Context, ack = s.pack(base)
	if shape.messages >= 0 {
		ackContext := ack
		messages, ackMessages := send(s, &s.messages, ListMessages, v.Field(shape.messages).Interface().([]sdk.Message))
		frame.Messages, ack = messages, func(answered bool) { ackContext(answered); ackMessages(answered) }
	}
	frame.Extra, err = encode(shape.extraOf(v))
	return frame, ack, err
}

// repeats reports whether a text equals the result of the newest call in the history and is long enough to be worth sending
// once.
func (s *sender) repeats(base sdk.Context, text string) bool {
	n := len(base.ToolHistory)
	return n > 0 && len(text) > 1<<10 && !slices.Contains(s.unread, ListTools) && base.ToolHistory[n-1].Result == text
}

func (r *receiver) unpackHook(name hookpoint.Name, f hookFrame, touched func(string) bool) (HookCall, error) {
	point, err := lookup(name)
	if err != nil {
		return HookCall{}, err
	}
	base, err := r.unpack(f.Context, touched)
	if err != nil {
		return HookCall{}, err
	}
	shape := shapeOf(point.Context)
	v := reflect.New(point.Context).Elem()
	v.Field(shape.base).Set(reflect.ValueOf(base))
	if shape.messages >= 0 {
		messages, err := r.messages.apply(f.Messages)
		if err != nil {
			return HookCall{}, err
		}
		// A hook receives messages in order to change them, so they are always copied.
		if messages != nil {
			messages = cloneMessages(messages)
		}
		v.Field(shape.messages).Set(reflect.ValueOf(messages))
	}
	if err := shape.setExtra(v, f.Extra); err != nil {
		return HookCall{}, err
	}
	if text := point.NewestResult(v.Addr().Interface()); text != nil && f.Newest {
		n := len(base.ToolHistory)
		if n == 0 {
			return HookCall{}, fmt.Errorf("calling %s: the result is said to be in a history that is empty", name)
		}
		*text = base.ToolHistory[n-1].Result
	}
	return HookCall{Point: name, Context: v.Interface(), Env: f.Env}, nil
}

func lookup(name hookpoint.Name) (hookpoint.Point, error) {
	point, ok := hookpoint.Lookup(name)
	if !ok {
		return point, fmt.Errorf("calling %q: no such hook point", name)
	}
	return point, nil
}

// shape describes how a hook's context type is split: its embedded sdk.Context, its messages, and all other fields, which form
// a separate struct type.
type shape struct {
	base     int
	messages int
	fields   []int
	extra    reflect.Type
}

var shapes sync.Map // reflect.Type to *shape

func shapeOf(t reflect.Type) *shape {
	if known, ok := shapes.Load(t); ok {
		return known.(*shape)
	}
	s := &shape{base: -1, messages: -1}
	var fields []reflect.StructField
	for i := range t.NumField() {
		f := t.Field(i)
		switch f.Type {
		case reflect.TypeFor[sdk.Context]():
			s.base = i
		case reflect.TypeFor[[]sdk.Message]():
			s.messages = i
		default:
			s.fields = append(s.fields, i)
			fields = append(fields, reflect.StructField{Name: f.Name, Type: f.Type})
		}
	}
	s.extra = reflect.StructOf(fields)
	shapes.Store(t, s)
	return s
}

func (s *shape) extraOf(v reflect.Value) any {
	out := reflect.New(s.extra).Elem()
	for i, field := range s.fields {
		out.Field(i).Set(v.Field(field))
	}
	return out.Interface()
}

func (s *shape) setExtra(v reflect.Value, raw cbor.RawMessage) error {
	in := reflect.New(s.extra)
	if err := decode(raw, in.Interface()); err != nil {
		return err
	}
	for i, field := range s.fields {
		v.Field(field).Set(in.Elem().Field(i))
	}
	return nil
}
