package audit

import "io/fs"

// trusted accepts each file: the list of who may change it is the administrator's.
func trusted(string, fs.FileInfo) error { return nil }
