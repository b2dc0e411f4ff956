package hookpoint

import (
	"context"
	"reflect"

	"github.com/idelchi/aura/sdk"
)

// Row describes a point whose function takes a C and returns an R. C embeds sdk.Context. R is sdk.Result, embeds it, or is the
// point's own type. The zero value of every other field is the common case.
type Row[C, R any] struct {
	Name  Name
	Order Order
	// Since is the version of the SDK that introduced the point, or empty for a point of 0.1.0. A plugin written for an earlier
	// version may have a function with that name and another type, which must not prevent the plugin from loading.
	Since string
	// ReadOnly points only observe: aura uses only the Notice of a result.
	ReadOnly bool
	// InModelCall points are part of every model call. The first call waits for the plugins that take part. The tools that
	// these plugins disable and the messages that they send once apply to that call, not to the next one.
	InModelCall bool
	// AllOrNothing drops the results of all handlers of a chained point if one of them fails, and calls no further handler.
	AllOrNothing bool
	// UntilBlocked calls no further handler of a chained point once one blocks.
	UntilBlocked bool
	// Copy returns the input with copies of everything that a handler could change in place. It is nil if there is nothing to
	// copy.
	Copy func(in C) C
	// Check refuses a result by returning an error. original is the input of the first handler.
	Check func(original C, result R) error
	// Next makes the point chained: it changes the input to the input of the next handler and reports whether the result
	// changed it. It replaces the parts of the result that the handler may still hold with copies. If Next is nil, handlers run
	// in parallel and all see the same input.
	Next func(in *C, result *R) (changed bool)
	// Fold adds one result to the outcome. Messages, notices and disabled tools of an sdk.Result are folded at every point,
	// independent of Fold.
	Fold func(out *Outcome, handler string, result R)
	// Merge makes the point one that observes a fast stream: nobody waits for its handlers, and inputs that wait for a handler are
	// merged. Merge adds a later input to one that waits, and reports whether there was room for all of it.
	Merge func(waiting *C, later C) (complete bool)
	// Block returns the result with which a plugin with on_failure: closed blocks when it fails. Prevents describes what is
	// blocked, such as "no tool may run". A point without Block ignores on_failure.
	Block    func(reason string) R
	Prevents string
	// NewestResult returns a pointer to the text of the input that usually equals the result of the newest call in the tool
	// history, so that the wire sends that text once.
	NewestResult func(in *C) *string
}

// Point returns the row without its types.
func (r Row[C, R]) Point() Point {
	return Point{
		Name:    r.Name,
		Since:   r.Since,
		Context: reflect.TypeFor[C](), Result: reflect.TypeFor[R](),
		Signature: reflect.TypeFor[func(context.Context, C) (R, error)](),
		Order:     r.Order, Chained: r.Next != nil, AllOrNothing: r.AllOrNothing, UntilBlocked: r.UntilBlocked, ReadOnly: r.ReadOnly,
		InModelCall: r.InModelCall, Streamed: r.Merge != nil, Prevents: r.Prevents,
		read: r.read, copy: r.copyInput, accept: r.accept, next: r.hand, fold: r.foldOne, merge: r.merged, block: r.blocked(), newest: r.newest(),
	}
}

func (r Row[C, R]) read(handler string, result any) (Verdict, bool) {
	returned, ok := result.(R)
	if !ok {
		return Verdict{}, false
	}
	v := Verdict{Handler: handler, returned: &returned}
	v.Result = resultOf(&returned)
	return v, true
}

func (r Row[C, R]) copyInput(in any) any {
	c, ok := in.(C)
	if !ok || r.Copy == nil {
		return in
	}
	return r.Copy(c)
}

func (r Row[C, R]) accept(original any, v Verdict) error {
	c, isInput := original.(C)
	result, isResult := v.returned.(*R)
	if r.Check == nil || !isInput || !isResult {
		return nil
	}
	return r.Check(c, *result)
}

func (r Row[C, R]) hand(in any, v Verdict) (any, Verdict) {
	c, isInput := in.(C)
	result, isResult := v.returned.(*R)
	if r.Next == nil || !isInput || !isResult {
		return in, v
	}
	v.Changed = r.Next(&c, result)
	return c, v
}

func (r Row[C, R]) foldOne(out *Outcome, v Verdict) {
	if result, ok := v.returned.(*R); ok && r.Fold != nil {
		r.Fold(out, v.Handler, *result)
	}
}

func (r Row[C, R]) merged(waiting, later any) (any, bool) {
	w, isWaiting := waiting.(C)
	l, isLater := later.(C)
	if r.Merge == nil || !isWaiting || !isLater {
		return waiting, false
	}
	complete := r.Merge(&w, l)
	return w, complete
}

func (r Row[C, R]) blocked() func(reason string) any {
	if r.Block == nil {
		return nil
	}
	return func(reason string) any { return r.Block(reason) }
}

func (r Row[C, R]) newest() func(in any) *string {
	if r.NewestResult == nil {
		return nil
	}
	return func(in any) *string {
		c, ok := in.(*C)
		if !ok {
			return nil
		}
		return r.NewestResult(c)
	}
}

// resultOf returns the sdk.Result that a result is or embeds, or a new one if there is none.
func resultOf(result any) *sdk.Result {
	if r, ok := result.(*sdk.Result); ok {
		return r
	}
	v := reflect.ValueOf(result).Elem()
	if v.Kind() != reflect.Struct {
		return &sdk.Result{}
	}
	field, ok := v.Type().FieldByName("Result")
	if !ok || !field.Anonymous || field.Type != reflect.TypeFor[sdk.Result]() {
		return &sdk.Result{}
	}
	r, _ := reflect.TypeAssert[*sdk.Result](v.FieldByIndex(field.Index).Addr())
	return r
}
