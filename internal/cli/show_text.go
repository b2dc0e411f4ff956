package cli

import (
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/idelchi/aura/internal/settings/config"
)

// where formats a place for people.
func where(p place) string {
	if p.Home == config.HomeBuiltin {
		return p.File
	}
	return fmt.Sprintf("%s:%d", p.File, p.Line)
}

// wide is like table but does not limit the width of cells, because the end of a path matters most.
func wide(w io.Writer, rows [][]string) {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		cells := make([]string, len(row))
		for i, c := range row {
			cells[i] = strings.Join(strings.Fields(clean(c)), " ")
		}
		fmt.Fprintln(tw, strings.Join(cells, "\t"))
	}
	_ = tw.Flush()
}

// from returns a short description of where an entity is declared.
func (e shown) from() string {
	if e.place != nil {
		return where(*e.place)
	}
	files := map[string]bool{}
	for _, p := range e.Origins {
		files[p.File] = true
	}
	if len(files) == 0 {
		return "defaults"
	}
	return strings.Join(slices.Sorted(maps.Keys(files)), ", ")
}

func writeOverview(w io.Writer, c *config.Config, all map[string][]shown) {
	for _, home := range slices.Backward(c.Homes) {
		note := ""
		if _, err := os.Stat(home.Dir); err != nil {
			note = " (does not exist)"
		}
		fmt.Fprintf(w, "%s home: %s%s\n", home.Kind, clean(home.Dir), note)
	}
	rows := [][]string{{"KIND", "NAME", "STATUS", "FROM"}}
	var none []string
	for _, kind := range shownKinds {
		for _, e := range all[kind.plural] {
			rows = append(rows, []string{kind.plural, e.Name, dash(e.Status), e.from()})
		}
		if len(all[kind.plural]) == 0 {
			none = append(none, kind.plural)
		}
	}
	fmt.Fprintln(w)
	wide(w, rows)
	if len(none) > 0 {
		fmt.Fprintf(w, "\nnot configured: %s\n", strings.Join(none, ", "))
	}
}

// writeKind lists all entities of a kind. Features are shown in full, because there are few and their settings matter most.
func writeKind(w io.Writer, kind shownKind, list []shown) {
	if len(list) == 0 {
		fmt.Fprintf(w, "no %s are configured\n", kind.plural)
		return
	}
	if list[0].Origins != nil {
		var all []setting
		origins := map[string]place{}
		for _, e := range list {
			all = append(all, e.settings...)
			maps.Copy(origins, e.Origins)
		}
		writeOrigins(w, all, origins)
		return
	}
	rows := [][]string{{"NAME", "STATUS", "DESCRIPTION", "FROM"}}
	for _, e := range list {
		rows = append(rows, []string{e.Name, dash(e.Status), dash(oneLine(e.Description, 60)), e.from()})
	}
	wide(w, rows)
}

// writeEntity shows one entity in full.
func writeEntity(w io.Writer, e shown) {
	if e.Origins != nil {
		writeOrigins(w, e.settings, e.Origins)
		return
	}
	rows := [][]string{{e.Kind, e.Name}}
	add := func(key, value string) {
		if value != "" {
			rows = append(rows, []string{key, value})
		}
	}
	add("description", e.Description)
	add("status", e.Status)
	if e.place != nil {
		add("file", where(*e.place))
		add("home", string(e.Home))
	}
	for _, p := range e.Shadows {
		add("shadows", where(p))
	}
	for _, s := range e.settings {
		add(s.key(), s.text())
	}
	wide(w, rows)
	if e.Body != "" {
		fmt.Fprintln(w)
		for line := range strings.SplitSeq(strings.TrimRight(clean(e.Body), "\n"), "\n") {
			fmt.Fprintln(w, strings.TrimRight("  "+line, " "))
		}
	}
}

func writeOrigins(w io.Writer, settings []setting, origins map[string]place) {
	rows := [][]string{{"KEY", "VALUE", "FROM"}}
	for _, s := range settings {
		from := "default"
		if p, ok := origins[s.key()]; ok {
			from = where(p)
		}
		rows = append(rows, []string{s.key(), dash(oneLine(s.text(), 300)), from})
	}
	wide(w, rows)
}
