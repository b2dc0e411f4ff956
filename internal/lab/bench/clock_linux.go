package main

import (
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// processorTime returns the user and system time of a process. /proc has it in hundredths of a second only, its clock in nanoseconds.
func processorTime(pid int) (time.Duration, error) {
	// The number of the clock is made from that of the process as clock_getcpuclockid does it.
	const schedulerClock, shift = 2, 3
	var t unix.Timespec
	if err := unix.ClockGettime(int32(^pid<<shift|schedulerClock), &t); err != nil {
		return 0, fmt.Errorf("reading the clock of process %d: %w", pid, err)
	}
	return time.Duration(t.Nano()), nil
}
