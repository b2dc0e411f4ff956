//go:build !linux

package main

import (
	"errors"
	"time"
)

// processorTime fails: only Linux has the clocks of other processes.
func processorTime(int) (time.Duration, error) { return 0, errors.ErrUnsupported }
