package cli

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/idelchi/aura/host"
)

// maxCell and maxPipedCell limit the size of a cell, in characters. Programs read piped output, so values that they look for,
// such as the capabilities of a plugin, are not cut there. The piped limit only prevents an excessive description from filling
// the disk.
const (
	maxCell      = 120
	maxPipedCell = 64 << 10
)

// table writes rows in columns. Cells are cleaned. The first row is the heading.
func table(w io.Writer, rows [][]string) { indented(w, "", rows) }

// indented is like table, with a prefix before each row.
func indented(w io.Writer, before string, rows [][]string) {
	limit := maxPipedCell
	if isTerminal(w) {
		limit = maxCell
	}
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		cells := make([]string, len(row))
		for i, c := range row {
			cells[i] = oneLine(c, limit)
		}
		fmt.Fprintln(tw, before+strings.TrimRight(strings.Join(cells, "\t"), "\t"))
	}
	_ = tw.Flush()
}

// writeHealth writes the table at the end of a run.
func writeHealth(w io.Writer, list []host.PluginHealth) {
	rows := [][]string{{"PLUGIN", "STATE", "PID", "CALLS", "ERRORS", "TIMEOUTS", "RESTARTS", "P50", "P99", "MEMORY", "CPU", "LAST EXIT"}}
	for _, h := range list {
		rows = append(rows, append([]string{h.Name}, healthCells(h.Health)...))
	}
	table(w, rows)
}

func healthCells(h host.Health) []string {
	return []string{
		string(h.State), count(int64(h.Pid)), fmt.Sprint(h.Calls), fmt.Sprint(h.Errors), fmt.Sprint(h.Timeouts), fmt.Sprint(h.Restarts),
		micros(h.P50), micros(h.P99), megabytes(h.MemoryBytes), fmt.Sprintf("%.2fs", h.CPU), dash(firstLine(h.LastExit)),
	}
}

func count(n int64) string {
	if n == 0 {
		return "-"
	}
	return fmt.Sprint(n)
}

func micros(us int64) string {
	if us == 0 {
		return "-"
	}
	return (time.Duration(us) * time.Microsecond).String()
}

func megabytes(n int64) string {
	if n == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1fMB", float64(n)/1e6)
}

// mebibytes formats limits, which users set in powers of two or of ten.
func mebibytes(n int64) string {
	if n%1e6 == 0 {
		return fmt.Sprintf("%dMB", n/1e6)
	}
	return fmt.Sprintf("%.4gMiB", float64(n)/(1<<20))
}

func dash(s string) string { return cmp.Or(s, "-") }

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}
