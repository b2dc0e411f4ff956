//go:build !linux

package planted

import (
	"errors"
)

// Watch finds nothing where nothing confines code: there is no confined code then.
type Watch struct{}

// In returns the watch of a place.
func In(Place) *Watch { return &Watch{} }

// Expose records nothing.
func (*Watch) Expose() {}

// Begin finds nothing.
func (*Watch) Begin() []Finding { return nil }

// End finds nothing.
func (*Watch) End() []Finding { return nil }

var errNothingMoved = errors.New("nothing is moved on this system")

func moveIn(string, string) (int64, error) { return 0, errNothingMoved }

func moveOut(string, string) error { return errNothingMoved }
