package tool

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

func TestSuiteAdhoc(t *testing.T) {
	files, _ := filepath.Glob(os.Getenv("SUITE") + "/*.json")
	total, bad := 0, 0
	for _, f := range files {
		b, _ := os.ReadFile(f)
		var groups []struct {
			Description string
			Schema      json.RawMessage
			Tests       []struct {
				Description string
				Data        any
				Valid       bool
			}
		}
		if err := json.Unmarshal(b, &groups); err != nil {
			t.Fatal(err)
		}
		for _, g := range groups {
			n, err := compile(g.Schema)
			if err != nil {
				t.Logf("%s: %s: compile %v", filepath.Base(f), g.Description, err)
				bad++
				continue
			}
			for _, x := range g.Tests {
				total++
				var r review
				if ok := len(r.check(n, x.Data, "")) == 0 && !r.exhausted; ok != x.Valid {
					bad++
					t.Logf("%s: %s: %s: got %v", filepath.Base(f), g.Description, x.Description, ok)
				}
			}
		}
	}
	t.Logf("%d of %d differ", bad, total)
}
