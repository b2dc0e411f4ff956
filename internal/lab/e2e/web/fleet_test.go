//go:build linux

package web

import (
	"fmt"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/lab/e2e/harness"
)

// TestWebFleet compares the pages of a fleet whose batch has ended with fleet status --json.
func TestWebFleet(t *testing.T) {
	t.Parallel()
	p := harness.NewProject(t)
	p.Script("  - text: Done.\n")
	server := fleet(p)
	s := web(p, "--server", server)
	var status struct {
		Batches []struct {
			Batch, State            string
			Tasks, Running, Waiting int
			Results, Classes        map[string]int
		}
	}
	asked(p, &status, "fleet", "status", "--server", server, "--json")
	if len(status.Batches) != 1 || status.Batches[0].Tasks != 2 || len(status.Batches[0].Results) == 0 || len(status.Batches[0].Classes) == 0 {
		t.Fatalf("fleet status: %+v", status)
	}
	b := status.Batches[0]
	ended := 0
	for _, n := range b.Results {
		ended += n
	}
	cell := func(name string, n int) string {
		return fmt.Sprintf(`<td data-label="%s" class="number">%d</td>`, name, n)
	}
	page := s.page("/fleet")
	for _, want := range []string{
		`<a href="/fleet/` + b.Batch + `">`, `">` + b.State + "</span>", cell("Tasks", b.Tasks), cell("Done", b.Results["done"]), cell("Failed", ended-b.Results["done"]),
		cell("Running", b.Running), cell("Waiting", b.Waiting),
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the fleet lacks %s: %s", want, page)
		}
	}
	page = s.page("/fleet/" + b.Batch)
	for _, counts := range []map[string]int{b.Results, b.Classes} {
		for name, n := range counts {
			if want := fmt.Sprintf("<dt>%s</dt><dd>%d</dd>", name, n); !strings.Contains(page, want) {
				t.Errorf("the batch lacks %s: %s", want, page)
			}
		}
	}
}
