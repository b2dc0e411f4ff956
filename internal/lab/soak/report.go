package main

import (
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"
)

// most is the largest allowed ratio of a measure at the end to the same measure at the beginning.
const most = 2

// report prints the processes side by side and returns an error if one has grown too much.
func (l *soak) report(s *session) error {
	fmt.Fprintf(l.out, "\n%d tool calls with %d plugins in %s, %d crashes, seed %d; call %d against the end (medians)\n\n",
		s.calls, len(s.early)-1, s.took.Round(time.Second), s.crashes, l.seed, l.early)
	tw := tabwriter.NewWriter(l.out, 0, 0, 3, ' ', 0)
	fmt.Fprint(tw, "  process")
	for _, name := range measureNames {
		fmt.Fprintf(tw, "\t%s", name)
	}
	fmt.Fprintln(tw, "\tresident")
	var grown []string
	for _, name := range sorted(s.early) {
		fmt.Fprintf(tw, "  %s", name)
		for i := range measures {
			text, ratio := compare(i, s.early[name], s.late[name])
			fmt.Fprintf(tw, "\t%s", text)
			if ratio > most {
				grown = append(grown, fmt.Sprintf("%s of %s (%.2f)", measureNames[i], name, ratio))
			}
		}
		fmt.Fprintf(tw, "\t%s\n", s.peaks[name].text())
		if s.late[name] == nil {
			grown = append(grown, name+" (not running at the end)")
		}
	}
	_ = tw.Flush()
	for _, text := range s.troubles {
		fmt.Fprintln(l.out, "  told:", text)
	}
	if len(grown) > 0 {
		return errors.New("more than doubled: " + strings.Join(grown, ", "))
	}
	return nil
}

// compare formats one measure of one process at both moments, and returns the ratio.
func compare(measure int, early, late *[measures][]int64) (string, float64) {
	if early == nil || late == nil {
		return "-", 0
	}
	a, known := middle(early[measure])
	b, still := middle(late[measure])
	if !known || !still {
		return "-", 0
	}
	ratio := float64(b) / float64(a)
	if measure == memory {
		return fmt.Sprintf("%.1f → %.1f MB, %.2f", float64(a)/1e6, float64(b)/1e6, ratio), ratio
	}
	return fmt.Sprintf("%d → %d, %.2f", a, b, ratio), ratio
}
