package guest

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/idelchi/aura/shared"
)

// TestDocumented checks that the page about guests names all parts of the protocol.
func TestDocumented(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "guests.md"))
	if err != nil {
		t.Fatal(err)
	}
	page := string(b)
	var names []string
	for _, kind := range []reflect.Type{
		reflect.TypeFor[call](), reflect.TypeFor[loadCall](), reflect.TypeFor[message](), reflect.TypeFor[stateAnswer](),
		reflect.TypeFor[exports](), reflect.TypeFor[toolExport](), reflect.TypeFor[commandExport](),
	} {
		for field := range kind.Fields() {
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			if name != "" {
				names = append(names, name)
			}
		}
	}
	for _, v := range []verb{callLoad, callHook, callExecute, callPaths, callCommand, callEvent, callCancel} {
		names = append(names, string(v))
	}
	for _, a := range []ask{askEmit, askListen, askState, askLists} {
		names = append(names, string(a))
	}
	for _, op := range []shared.StateOp{shared.StateGet, shared.StateSet, shared.StateDelete, shared.StateList} {
		names = append(names, string(op))
	}
	for _, kind := range kinds {
		names = append(names, string(kind))
	}
	for _, name := range names {
		if !strings.Contains(page, "`"+name+"`") && !strings.Contains(page, `"`+name+`":`) {
			t.Errorf("docs/guests.md does not name %q", name)
		}
	}
}
