//go:build !race

package shared

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/idelchi/aura/internal/plugin/hookpoint"
)

// TestExactLosesNothing sends the context and the result of every hook point as JSON.
func TestExactLosesNothing(t *testing.T) {
	t.Parallel()
	for _, point := range hookpoint.All() {
		for _, kind := range []reflect.Type{point.Context, point.Result} {
			for seed := range uint64(20) {
				in, out := reflect.New(kind), reflect.New(kind)
				random{rand.New(rand.NewPCG(seed, 4))}.fill(in.Elem(), 4)
				text, err := EncodeExact(in.Elem().Interface())
				if err == nil {
					err = DecodeExact(text, out.Interface())
				}
				if err != nil || !same(in.Elem().Interface(), out.Elem().Interface()) {
					t.Fatalf("%s, seed %d: %v\nsent %#v\ngot  %#v\nas   %s", kind, seed, err, in.Elem(), out.Elem(), text)
				}
			}
		}
	}
}
