//go:build !linux

package sandbox

// gitCopies holds nothing where nothing is confined.
type gitCopies struct{}

// SyncGit does nothing where nothing is confined.
func (*Grants) SyncGit() []GitRefusal { return nil }

func (*gitCopies) close() {}
