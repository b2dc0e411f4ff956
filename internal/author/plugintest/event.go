package plugintest

import "time"

// Action is what happened.
type Action string

// The actions. They are those of `go test -json`.
const (
	ActionRun    Action = "run"
	ActionOutput Action = "output"
	ActionPass   Action = "pass"
	ActionFail   Action = "fail"
	ActionSkip   Action = "skip"
)

// Event is something that happened to a test.
type Event struct {
	Action Action
	Plugin string
	// Test is the name of the test: the file without its extension, a slash and the test's name with underscores for blanks, or the name
	// of a Go test. It is empty for output that belongs to no test.
	Test string
	// Output is text that ends with a newline, for ActionOutput.
	Output string
	// Elapsed is how long the test took, at its end.
	Elapsed time.Duration
}
