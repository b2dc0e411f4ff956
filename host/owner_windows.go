package host

import "os"

// ownedByUs relies on the access rules of the user's own temporary directory.
func ownedByUs(os.FileInfo) bool { return true }
