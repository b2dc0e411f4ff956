//go:build linux && race

package shell_test

// raceDetector tells that the child runs under the race detector, which ends it in its own way when memory is short.
const raceDetector = true
