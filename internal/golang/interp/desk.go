package interp

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/traefik/yaegi/interp"

	"github.com/idelchi/aura/internal/plugin/pluginsource"
	"github.com/idelchi/aura/sdk"
	"github.com/idelchi/aura/shared"
)

// handler is a function that a plugin gave to sdk.On.
type handler = func(context.Context, sdk.Event) error

// desk is where a plugin asks aura for something: events and state.
type desk struct {
	// services is nil if aura cannot be asked.
	services shared.Services

	mu sync.Mutex
	on map[string][]handler
	// known is set once the events of on are part of the plugin's exports.
	known bool
}

func newDesk(services shared.Services) *desk {
	return &desk{services: services, on: make(map[string][]handler)}
}

// errAlone is returned by what needs aura if services is nil.
var errAlone = errors.New("there is no aura that could be asked")

// symbols returns the symbols of the SDK that ask aura. The doubled slash is as in selected.
func (d *desk) symbols(stderr *os.File) interp.Exports {
	log := sdk.NewLogger(stderr)
	return interp.Exports{pluginsource.SDKPath + "//sdk": {
		"Emit":  reflect.ValueOf(d.emit),
		"On":    reflect.ValueOf(d.listen),
		"State": reflect.ValueOf(func(scope sdk.Scope) sdk.Store { return store{d.services, scope} }),
		"Log":   reflect.ValueOf(&log).Elem(),
		"Now":   reflect.ValueOf(d.now),
		"Rand":  reflect.ValueOf(d.rand),
	}}
}

func (d *desk) emit(name string, payload any) error {
	if name == "" {
		return errors.New("emitting an event: it has no name")
	}
	if d.services == nil {
		return fmt.Errorf("emitting event %q: %w", name, errAlone)
	}
	b, err := shared.EncodePayload(unwrap(payload, 0))
	if err != nil {
		return fmt.Errorf("emitting event %q: %w", name, err)
	}
	return d.services.Emit(context.Background(), name, b)
}

// now is the answer of aura. It is the clock of this process if aura cannot be asked, which is so while the process ends.
func (d *desk) now() time.Time {
	if d.services != nil {
		if t, err := d.services.Now(context.Background()); err == nil {
			return t
		}
	}
	return time.Now()
}

// rand is like now for a random number.
func (d *desk) rand() uint64 {
	if d.services != nil {
		if n, err := d.services.Rand(context.Background()); err == nil {
			return n
		}
	}
	return rand.Uint64()
}

// listen adds a handler. Once the plugin is loaded, aura learns of a further event by a request.
func (d *desk) listen(name string, h func(context.Context, sdk.Event) error) {
	if h == nil {
		panic(fmt.Sprintf("sdk.On(%q): the handler is nil", name))
	}
	d.mu.Lock()
	d.on[name] = append(d.on[name], h)
	further := d.known && len(d.on[name]) == 1
	d.mu.Unlock()
	if further && d.services != nil {
		// The error of a connection that is gone: the process is about to end.
		_ = d.services.Listen(context.Background(), name)
	}
}

func (d *desk) listens() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.on) > 0
}

// loaded returns the events that the plugin handles after loading, sorted.
func (d *desk) loaded() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.known = true
	var names []string
	for name := range d.on {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func (d *desk) handlers(name string) []handler {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.on[name])
}

// store is a plugin's store of one scope, kept by aura.
type store struct {
	services shared.Services
	scope    sdk.Scope
}

func (s store) ask(op shared.StateOp, key, value string) (shared.StateAnswer, error) {
	if s.services == nil {
		return shared.StateAnswer{}, fmt.Errorf("asking for state: %w", errAlone)
	}
	return s.services.State(context.Background(), shared.StateRequest{Op: op, Scope: s.scope, Key: key, Value: value})
}

func (s store) Get(key string) (value string, ok bool, err error) {
	a, err := s.ask(shared.StateGet, key, "")
	return a.Value, a.Found, err
}

func (s store) Set(key, value string) error {
	_, err := s.ask(shared.StateSet, key, value)
	return err
}

func (s store) Delete(key string) error {
	_, err := s.ask(shared.StateDelete, key, "")
	return err
}

func (s store) List(prefix string) ([]string, error) {
	a, err := s.ask(shared.StateList, prefix, "")
	return a.Keys, err
}
