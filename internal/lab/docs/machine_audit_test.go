package docs

import (
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/system/audit"
)

// TestAuditLines compares the tables of the audit log with its lines: their fields, and the kinds of what they report.
func TestAuditLines(t *testing.T) {
	t.Parallel()
	list := tables(section(t, text(t, "docs/teams.md"), "## Audit"))
	if len(list) != 3 {
		t.Fatalf("%d tables", len(list))
	}
	var fields, kinds []string
	for _, row := range list[1] {
		for _, name := range regexp.MustCompile("`([a-z]+)`").FindAllStringSubmatch(row[0], -1) {
			fields = append(fields, name[1])
		}
	}
	for _, row := range list[2] {
		kinds = append(kinds, unquoted(row[0]))
	}
	var want []string
	for _, f := range reflect.VisibleFields(reflect.TypeFor[audit.Line]()) {
		if !f.Anonymous {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			want = append(want, name)
		}
	}
	slices.Sort(fields)
	slices.Sort(want)
	if !slices.Equal(fields, want) {
		t.Errorf("fields: %v, want %v", fields, want)
	}
	var all []string
	for _, k := range audit.Kinds() {
		all = append(all, string(k))
	}
	if !slices.Equal(kinds, all) {
		t.Errorf("kinds: %v, want %v", kinds, all)
	}
	if !strings.Contains(text(t, "docs/teams.md"), "up to 10,000 lines") || audit.MaxWaiting != 10_000 {
		t.Error("the number of lines that wait differs")
	}
}
