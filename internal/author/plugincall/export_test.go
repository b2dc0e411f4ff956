package plugincall

import "github.com/idelchi/aura/sdk"

// Decode is decode, for tests.
func Decode(p Point, input []byte) (any, error) { return decode(p, input, sdk.Context{}) }
