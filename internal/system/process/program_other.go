//go:build !linux

package process

import "os"

// programFile returns nil: no path names a descriptor on this system.
func programFile(string) (*os.File, error) { return nil, nil }

func programPath(int) string { return "" }
