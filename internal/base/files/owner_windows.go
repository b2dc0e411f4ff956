package files

import "os"

// Ours relies on the access rules of the user's own directories.
func Ours(os.FileInfo) bool { return true }
