package session

import (
	"fmt"
	"strconv"
	"time"
)

// ages are the units of an age.
var ages = map[byte]time.Duration{'h': time.Hour, 'd': 24 * time.Hour, 'w': 7 * 24 * time.Hour}

// maxAge is the largest age. It keeps every age within the range of a time.Duration, and is a whole number of hours.
const maxAge = 100 * 365 * 24 * time.Hour

// ParseAge parses an age: a number of hours, days or weeks, such as 12h, 30d or 2w.
func ParseAge(text string) (time.Duration, error) {
	wrong := fmt.Errorf("%q is not an age: write a number of hours, days or weeks, such as 12h, 30d or 2w", text)
	if len(text) < 2 {
		return 0, wrong
	}
	unit, ok := ages[text[len(text)-1]]
	n, err := strconv.ParseUint(text[:len(text)-1], 10, 32)
	if !ok || err != nil {
		return 0, wrong
	}
	if n > uint64(maxAge/unit) {
		return 0, fmt.Errorf("%q is more than 100 years", text)
	}
	return time.Duration(n) * unit, nil
}
