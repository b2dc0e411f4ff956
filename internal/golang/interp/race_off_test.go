//go:build !race

package interp

// raceDetector reports whether the race detector watches the tests.
const raceDetector = false
