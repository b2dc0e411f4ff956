//go:build linux && race

package shell_test

// raceDetector is true if the child runs under the race detector, which ends the child differently when memory is short.
const raceDetector = true
