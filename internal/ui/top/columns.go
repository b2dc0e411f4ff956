package top

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"time"
)

// column is a column of the table.
type column struct {
	// name is how users name the column to sort by it.
	name, title string
	cell        func(Row) string
	compare     func(a, b Row) int
	// number columns are aligned to the right, and sorted with the largest value first.
	number bool
	// rank orders columns by importance. On a narrow screen, the columns with the highest ranks are left out.
	rank int
	// shrinks is the width to which the cells may be cut; 0 if they may not be cut. tail keeps the end of a cell instead of its beginning.
	shrinks int
	tail    bool
}

// columns are all columns, in the order in which they are shown.
var columns = []column{
	text("plugin", 0, 10, func(r Row) string { return r.Name }),
	text("state", 1, 0, func(r Row) string { return string(r.State) }),
	number("calls", "CALLS/S", 4, func(r Row) float64 { return r.CallsPerSecond }, rate),
	number("p50", "P50", 7, func(r Row) float64 { return float64(r.P50) }, micros),
	number("p99", "P99", 5, func(r Row) float64 { return float64(r.P99) }, micros),
	number("memory", "MEMORY", 3, func(r Row) float64 { return float64(r.MemoryBytes) }, megabytes),
	number("cpu", "CPU", 2, func(r Row) float64 { return r.CPUPercent }, percent),
	number("restarts", "RESTARTS", 6, func(r Row) float64 { return float64(r.Restarts) }, count),
	number("pid", "PID", 10, func(r Row) float64 { return float64(r.Pid) }, orDash),
	text("session", 9, 14, func(r Row) string { return r.Session }),
	projectColumn(),
}

func projectColumn() column {
	c := text("project", 8, 10, func(r Row) string { return r.Project })
	c.tail = true
	return c
}

func text(name string, rank, shrinks int, value func(Row) string) column {
	return column{
		name: name, title: titled(name), rank: rank, shrinks: shrinks,
		cell:    func(r Row) string { return cmp.Or(value(r), "-") },
		compare: func(a, b Row) int { return cmp.Compare(value(a), value(b)) },
	}
}

func number(name, title string, rank int, value func(Row) float64, format func(float64) string) column {
	return column{
		name: name, title: title, rank: rank, number: true,
		cell:    func(r Row) string { return format(value(r)) },
		compare: func(a, b Row) int { return cmp.Compare(value(a), value(b)) },
	}
}

// titled returns the title of a column whose name is its title.
func titled(name string) string {
	b := []byte(name)
	for i, c := range b {
		b[i] = c - 'a' + 'A'
	}
	return string(b)
}

// Names returns the names of the columns, in the order in which they are shown.
func Names() []string {
	var names []string
	for _, c := range columns {
		names = append(names, c.name)
	}
	return names
}

func columnNamed(name string) column {
	i := slices.IndexFunc(columns, func(c column) bool { return c.name == name })
	return columns[max(0, i)]
}

func rate(n float64) string {
	if n > 0 && n < 10 {
		return strconv.FormatFloat(n, 'f', 1, 64)
	}
	return strconv.FormatFloat(n, 'f', 0, 64)
}

// micros formats microseconds with at most three digits.
func micros(us float64) string {
	if us == 0 {
		return "-"
	}
	d := time.Duration(us) * time.Microsecond
	for _, unit := range []struct {
		of   time.Duration
		name string
	}{{time.Minute, "m"}, {time.Second, "s"}, {time.Millisecond, "ms"}} {
		if d < unit.of {
			continue
		}
		n := float64(d) / float64(unit.of)
		if n < 10 {
			return fmt.Sprintf("%.1f%s", n, unit.name)
		}
		return fmt.Sprintf("%.0f%s", n, unit.name)
	}
	return fmt.Sprintf("%dµs", d.Microseconds())
}

func megabytes(n float64) string {
	if n == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1fMB", n/1e6)
}

func percent(n float64) string { return fmt.Sprintf("%.1f%%", n) }

func count(n float64) string { return fmt.Sprintf("%.0f", n) }

func orDash(n float64) string {
	if n == 0 {
		return "-"
	}
	return count(n)
}
