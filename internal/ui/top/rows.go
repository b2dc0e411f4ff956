package top

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/idelchi/aura/host"
)

// Interval is the time between two readings. Rates are averages over this time.
const Interval = time.Second

// Reading is what all sessions reported at one moment.
type Reading struct {
	At   time.Time
	List []host.Status
}

// Row is one plugin of one session. The rates are averages since the previous reading.
type Row struct {
	host.Status
	CallsPerSecond float64 `json:"calls_per_s"`
	// CPUPercent is 100 if the process kept one processor busy all the time.
	CPUPercent float64 `json:"cpu_percent"`
}

// Rows returns a row for each plugin of the second reading.
func Rows(before, now Reading) []Row {
	old := make(map[string]host.Status, len(before.List))
	for _, s := range before.List {
		old[s.Key()] = s
	}
	seconds := now.At.Sub(before.At).Seconds()
	rows := []Row{}
	for _, s := range now.List {
		row := Row{Status: s}
		if b, known := old[s.Key()]; known && seconds > 0 {
			row.CallsPerSecond = float64(max(0, s.Calls-b.Calls)) / seconds
			if s.Pid == b.Pid {
				row.CPUPercent = 100 * max(0, s.CPU-b.CPU) / seconds
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// Order is how rows are sorted.
type Order struct {
	// Column is the name of a column.
	Column string
	// Reverse inverts the usual direction of the column: text ascends and numbers descend.
	Reverse bool
}

// Sort sorts rows. Rows that are equal in the column stay in the order of plugin, project and session.
func (o Order) Sort(rows []Row) {
	c := columnNamed(o.Column)
	slices.SortFunc(rows, func(a, b Row) int {
		by := c.compare(a, b)
		if c.number {
			by = -by
		}
		if o.Reverse {
			by = -by
		}
		if by = cmp.Or(by, strings.Compare(a.Name, b.Name), strings.Compare(a.Project, b.Project), strings.Compare(a.Session, b.Session)); by != 0 {
			return by
		}
		return strings.Compare(a.Key(), b.Key())
	})
}
