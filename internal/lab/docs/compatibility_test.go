package docs

import (
	"fmt"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/author/recording"
	"github.com/idelchi/aura/internal/runtime/guest"
	"github.com/idelchi/aura/sdk/version"
)

// TestVersions compares the versions of the interfaces on the page about compatibility with the code.
func TestVersions(t *testing.T) {
	t.Parallel()
	want := map[string]string{
		"the SDK that Go plugins import": version.Version,
		"JSON events":                    fmt.Sprint(event.Version),
		"guest protocol":                 fmt.Sprint(guest.Protocol),
		"recordings":                     fmt.Sprint(recording.Version),
	}
	found := 0
	for _, row := range tables(section(t, text(t, "docs/compatibility.md"), "## The promise"))[0] {
		name, _, _ := strings.Cut(strings.TrimPrefix(row[0], "["), "]")
		if v, ok := want[name]; ok {
			found++
			if row[1] != v {
				t.Errorf("%s: the page has version %s, the code %s", name, row[1], v)
			}
		}
	}
	if found != len(want) {
		t.Errorf("the page has %d of %d interfaces", found, len(want))
	}
}
