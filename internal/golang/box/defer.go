package box

import "reflect"

// Frame holds the deferred calls of a running function. The interpreter's own ones end with the first that panics, and recover
// finds the panic of the wrong function.
type Frame struct {
	space  *Space
	calls  []func(*Unwinding)
	normal bool
}

// Unwinding is the end of a function, for a deferred call: recover asks it for the panic.
type Unwinding struct {
	space     *Space
	value     any
	panicking bool
}

// Frame returns a frame for a function that is about to run.
func (s *Space) Frame() *Frame { return &Frame{space: s} }

// NoPanic is recover in a function that was not deferred.
func (s *Space) NoPanic() any { return nil }

// Defer adds a deferred call.
func (f *Frame) Defer(call func(*Unwinding)) { f.calls = append(f.calls, call) }

// Run calls the body of the function, and then the deferred calls.
func (f *Frame) Run(body func()) {
	defer f.end()
	body()
	f.normal = true
}

// end runs the deferred calls. A panic that is not recovered goes on.
func (f *Frame) end() {
	// Without a panic, a body that did not end ends its goroutine.
	v := recover()
	u := &Unwinding{space: f.space, value: v, panicking: !f.normal && v != nil}
	defer f.exit()
	for len(f.calls) > 0 {
		if v, panicked := f.next(u); panicked {
			u = &Unwinding{space: f.space, value: v, panicking: true}
		}
	}
	if u.panicking {
		panic(u.value)
	}
}

// exit runs what is left when a deferred call ends its goroutine.
func (f *Frame) exit() {
	defer func() {
		if len(f.calls) > 0 {
			f.exit()
		}
	}()
	for len(f.calls) > 0 {
		f.pop()(&Unwinding{space: f.space})
	}
}

func (f *Frame) pop() func(*Unwinding) {
	call := f.calls[len(f.calls)-1]
	f.calls = f.calls[:len(f.calls)-1]
	return call
}

// next runs the last call, and returns the value of a panic in it.
func (f *Frame) next(u *Unwinding) (v any, panicked bool) {
	defer func() {
		if v = recover(); v != nil {
			panicked = true
		}
	}()
	f.pop()(u)
	return nil, false
}

// Recover is recover in the deferred function itself.
func (u *Unwinding) Recover() any {
	if u == nil || !u.panicking {
		return nil
	}
	u.panicking = false
	return u.space.Recovered(u.value)
}

// RecoverLater is recover that the deferred function deferred: at the end of that function, it is a call from it unless that
// function panics itself.
func (u *Unwinding) RecoverLater(end *Unwinding) {
	if !end.panicking {
		u.Recover()
	}
}

// Select waits for one of several channel operations. list holds for each the channel and what is sent, in a list of one value,
// or nil. It returns the number of the operation, or -1 for none, with what was received. The interpreter's own select mixes up the
// operations of goroutines that run the same statement.
func (s *Space) Select(wait bool, list ...any) (n int, v any, ok bool) {
	var cases []reflect.SelectCase
	for i := 0; i+1 < len(list); i += 2 {
		c := reflect.SelectCase{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(list[i])}
		if sent, sends := list[i+1].([]any); sends {
			c.Dir = reflect.SelectSend
			c.Send = reflect.New(c.Chan.Type().Elem()).Elem()
			if sent[0] != nil {
				c.Send.Set(reflect.ValueOf(sent[0]))
			}
		}
		cases = append(cases, c)
	}
	if !wait {
		cases = append(cases, reflect.SelectCase{Dir: reflect.SelectDefault})
	}
	n, received, ok := reflect.Select(cases)
	if !wait && n == len(cases)-1 {
		return -1, nil, false
	}
	if received.IsValid() {
		v = received.Interface()
	}
	return n, v, ok
}
