//go:build !race

package shared

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"testing"
)

// TestOnceCallLosesNothing compares a call sent as JSON with one sent by the codec, and with the original.
func TestOnceCallLosesNothing(t *testing.T) {
	t.Parallel()
	for seed := range uint64(500) {
		r := random{rand.New(rand.NewPCG(seed, 3))}
		var in, byCodec OnceCall
		r.fill(reflect.ValueOf(&in).Elem(), 4)
		text, err := in.Encode()
		if err != nil {
			t.Fatal(err)
		}
		out, err := ReadOnceCall(bytes.NewReader(text))
		if err != nil {
			t.Fatalf("seed %d: %v in %s", seed, err, text)
		}
		b, err := encode(in)
		if err == nil {
			err = decode(b, &byCodec)
		}
		if err != nil {
			t.Fatal(err)
		}
		if !same(in, out) || !same(byCodec, out) {
			t.Fatalf("seed %d:\nsent  %#v\ngot   %#v\ncodec %#v\nas    %s", seed, in, out, byCodec, text)
		}
	}
}

// TestManyValuesSurvive is TestEveryTypeSurvives and TestToolTypesSurvive with more values. How a connection shares its memory does not
// depend on the values.
func TestManyValuesSurvive(t *testing.T) {
	t.Parallel()
	everyTypeSurvives(t, 15, 150)
	toolTypesSurvive(t, 15, 150)
}
