// Command size prints what the modules weigh of which the programs are linked. It fails if a program is larger than its limit.
//
// It is given a directory with stripped programs, whose sizes count, and one with the same programs and their symbols.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"text/tabwriter"
)

// limits holds how many bytes the stripped programs may have.
var limits = []struct {
	program string
	bytes   int64
}{
	{"aura", 63_000_000}, // of which the server of a fleet, with what it imports, has 9
	{"aura-plugin-host", 30_000_000},
	{"aura-tool-host", 11_000_000}, // with HTTP and TLS for WebFetch
}

func main() {
	stripped := flag.String("stripped", "bin/size/stripped", "directory of the programs without symbols")
	symbols := flag.String("symbols", "bin/size/symbols", "directory of the programs with symbols")
	rows := flag.Int("rows", 25, "how many modules to print for each program; 0 for all")
	flag.Parse()
	if err := run(os.Stdout, *stripped, *symbols, *rows); err != nil {
		fmt.Fprintln(os.Stderr, "size:", err)
		os.Exit(1)
	}
}

// run prints a table for each program. It returns an error that names every program above its limit.
func run(out io.Writer, stripped, symbols string, rows int) error {
	var tooLarge []error
	for _, l := range limits {
		file, err := os.Stat(filepath.Join(stripped, l.program))
		if err != nil {
			return err
		}
		table, err := weigh(filepath.Join(symbols, l.program), file.Size())
		if err != nil {
			return fmt.Errorf("weighing %s: %w", l.program, err)
		}
		if err := show(out, l.program, l.bytes, table, rows); err != nil {
			return err
		}
		if file.Size() > l.bytes {
			tooLarge = append(tooLarge, fmt.Errorf("%s has %s MB stripped, more than its limit of %s MB: see which module grew in the table",
				l.program, megabytes(file.Size()), megabytes(l.bytes)))
		}
	}
	return errors.Join(tooLarge...)
}

func show(out io.Writer, program string, limit int64, t table, rows int) error {
	fmt.Fprintf(out, "%s: %s MB of at most %s MB\n", program, megabytes(t.size), megabytes(limit))
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "MB\tcode\tdata\ttables\t\tmodule")
	line := func(name string, m weight) {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t\t%s\n", megabytes(m.total()), megabytes(m.code), megabytes(m.data), megabytes(m.tables), name)
	}
	var rest weight
	for i, m := range t.modules {
		if rows > 0 && i >= rows {
			rest.add(m.weight)
			continue
		}
		line(m.name, m.weight)
	}
	if n := len(t.modules) - rows; rows > 0 && n > 0 {
		line(fmt.Sprintf("%d smaller ones", n), rest)
	}
	line("types, strings and headers, of all", weight{data: t.rest})
	line("together", weight{data: t.size})
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintln(out)
	return err
}

// megabytes writes bytes in decimal megabytes, as limits are stated.
func megabytes(bytes int64) string { return fmt.Sprintf("%.2f", float64(bytes)/1e6) }
