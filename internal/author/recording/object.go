package recording

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/idelchi/aura/shared"
)

// object appends the fields of a JSON object. Its methods for records write what package json would write in a multiple of the time: a
// conversation does not wait for the recording, but shares the processors with it. The names are those of the struct tags.
type object struct {
	text []byte
	err  error
}

// key appends the name of a field.
func (o *object) key(name string) {
	if last := o.text[len(o.text)-1]; last != '{' && last != ',' {
		o.text = append(o.text, ',')
	}
	o.text = append(append(append(o.text, '"'), name...), `":`...)
}

func (o *object) number(name string, value int64) {
	o.key(name)
	o.text = strconv.AppendInt(o.text, value, 10)
}

// raw appends a field whose value is JSON, unless it is missing.
func (o *object) raw(name string, value []byte) {
	if len(value) > 0 {
		o.key(name)
		o.text = append(o.text, value...)
	}
}

// other appends a field of any type.
func (o *object) other(name string, value any) {
	text, err := json.Marshal(value)
	if err != nil {
		o.err = err
	}
	o.raw(name, text)
}

// string appends a field unless it is empty.
func (o *object) string(name, value string) {
	switch {
	case value == "":
	case utf8.ValidString(value):
		o.key(name)
		o.text, _ = shared.AppendExact(o.text, value) // a text can always be encoded
	default:
		o.other(name, value)
	}
}

func (o *object) truth(name string, value bool) {
	if value {
		o.raw(name, []byte("true"))
	}
}

// record appends the field of a record that is set.
func (o *object) record(r record) {
	switch {
	case len(r.Entries) > 0:
		o.key("entries")
		before := byte('[')
		for _, e := range r.Entries {
			o.text = append(append(o.text, before), e...)
			before = ','
		}
		o.text = append(o.text, ']')
	case r.Call != nil:
		o.key("call")
		o.text = append(o.text, '{')
		o.call(r.Call)
		o.text = append(o.text, '}')
	case r.Answer != nil:
		o.key("answer")
		o.text = append(o.text, '{')
		o.answer(r.Answer)
		o.text = append(o.text, '}')
	case r.Prompt != nil && *r.Prompt != "":
		o.string("prompt", *r.Prompt)
	default:
		text, err := json.Marshal(r)
		if o.err = err; err == nil {
			o.text = append(o.text, text[1:len(text)-1]...)
		}
	}
}

func (o *object) call(c *Call) {
	o.number("n", int64(c.N))
	o.key("at")
	o.text = append(c.At.AppendFormat(append(o.text, '"'), time.RFC3339Nano), '"')
	o.number("turn", int64(c.Turn))
	o.string("plugin", c.Plugin)
	o.string("version", c.Version)
	o.number("child", int64(c.Child))
	o.string("point", c.Point)
	o.string("name", c.Name)
	o.raw("context", c.Context)
	if len(c.Lists) > 0 {
		o.key("lists")
		o.text = append(o.text, '{')
		for _, name := range slices.Sorted(maps.Keys(c.Lists)) {
			o.ranges(name, c.Lists[name])
		}
		o.text = append(o.text, '}')
	}
	o.raw("args", c.Args)
	o.string("sender", c.Sender)
	if len(c.Env) > 0 {
		o.other("env", c.Env)
	}
	o.raw("out", c.Out)
	o.string("failure", c.Failure)
	o.string("kind", string(c.Kind))
	if len(c.Asked) > 0 {
		o.other("asked", c.Asked)
	}
	o.truth("mixed", c.Mixed)
	o.truth("redacted", c.Redacted)
	o.number("waited_ns", int64(c.Waited))
	o.number("took_ns", int64(c.Took))
}

func (o *object) ranges(name string, list ranges) {
	o.key(name)
	o.text = append(o.text, '[')
	for i, r := range list {
		if i > 0 {
			o.text = append(o.text, ',')
		}
		o.text = strconv.AppendInt(append(o.text, '['), int64(r[0]), 10)
		o.text = strconv.AppendInt(append(o.text, ','), int64(r[1]), 10)
		o.text = append(o.text, ']')
	}
	o.text = append(o.text, ']')
}

func (o *object) answer(a *Answer) {
	o.string("text", a.Text)
	o.string("thinking", a.Thinking)
	if len(a.Calls) > 0 {
		o.other("calls", a.Calls)
	}
	o.number("tokens_in", int64(a.TokensIn))
	o.number("tokens_out", int64(a.TokensOut))
	o.string("error", a.Error)
	o.string("error_type", a.ErrorType)
}
