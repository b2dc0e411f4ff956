//go:build !linux

package dirwatch

// Entries and Content select what is reported. Here, nothing is.
const (
	Entries = 1 << iota
	Content
)

// Dir is what a Watch knows of a directory: nothing.
type Dir struct{ Watched, Dirty bool }

// Watch reports nothing, so that every directory is looked at every time.
type Watch struct{}

// New returns a watch that reports nothing.
func New(uint32, int) *Watch { return &Watch{} }

// Add does nothing.
func (*Watch) Add(string, *Dir) {}

// Remove does nothing.
func (*Watch) Remove(*Dir) {}

// Update does nothing.
func (*Watch) Update() {}

// Restart does nothing.
func (*Watch) Restart() {}

// Close does nothing.
func (*Watch) Close() {}
