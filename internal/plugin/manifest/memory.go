package manifest

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

var amount = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([0-9]+(?:\.[0-9]+)?)\s*([A-Za-z]*)$`) })

// units maps each unit that may follow a number, in lower case, to its factor.
var units = map[string]float64{
	"": 1, "b": 1,
	"kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12,
	"kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30, "tib": 1 << 40,
}

// parseMemory returns a memory limit in bytes. If the value is absent or wrong, it returns the default.
func parseMemory(value any, byDefault int64) (int64, error) {
	var bytes float64

	switch v := value.(type) {
	case nil:
		return byDefault, nil
	case int:
		bytes = float64(v)
	case string:
		match := amount().FindStringSubmatch(strings.TrimSpace(v))
		if match == nil {
			return byDefault, notAnAmount(v)
		}

		factor, known := units[strings.ToLower(match[2])]
		n, err := strconv.ParseFloat(match[1], 64)

		if !known || err != nil {
			return byDefault, notAnAmount(v)
		}

		bytes = n * factor
	default:
		return byDefault, notAnAmount(value)
	}

	if bytes < MinMemory {
		return byDefault, fmt.Errorf("%v is less than the minimum of 64MiB, which the interpreter itself needs", value)
	}

	if bytes >= math.MaxInt64 {
		return byDefault, fmt.Errorf("%v is more than any machine has", value)
	}

	return int64(bytes), nil
}

func notAnAmount(value any) error {
	return fmt.Errorf("%v is not an amount of memory: write 256MB, 512MiB or a number of bytes", value)
}
