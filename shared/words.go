package shared

import (
	"errors"
	"fmt"
	"strings"

	"github.com/fxamacker/cbor/v2"

	"github.com/idelchi/aura/shared/exact"
)

// unsendableError is a value that cannot be sent over the wire. Its text is for the author of the code that created the value.
type unsendableError struct{ why string }

func (e *unsendableError) Error() string { return e.why }

// unsendable returns an error that explains in plain words why the codec refuses a value.
func unsendable(err error) error {
	var (
		kind  *cbor.UnsupportedTypeError
		deep  *cbor.MaxNestedLevelError
		other *cbor.UnmarshalTypeError
	)
	why := strings.TrimPrefix(err.Error(), "cbor: ")
	switch {
	case errors.As(err, &kind):
		why = (&exact.KindError{Type: kind.Type}).Error()
	case errors.As(err, &deep):
		why = fmt.Sprintf("a value is nested more than %d levels deep", maxNesting)
	case errors.As(err, &other):
		why = fmt.Sprintf("a value is a %s where a %s is expected; the keys of maps must be texts", other.CBORType, other.GoType)
	}
	return &unsendableError{why}
}
