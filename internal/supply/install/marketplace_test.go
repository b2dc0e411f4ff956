package install

import (
	"strings"
	"testing"
)

// TestElsewhere has the sources that a marketplace cannot name. None of them is fetched.
func TestElsewhere(t *testing.T) {
	t.Parallel()
	for about, row := range map[string]struct {
		kind  kind
		from  map[string]any
		fault string
	}{
		"package":             {kindHTTP, map[string]any{"source": "npm", "package": "x"}, `of the kind "npm"`},
		"no kind":             {kindHTTP, map[string]any{"url": "https://x.example/y"}, `of the kind ""`},
		"no address":          {kindHTTP, map[string]any{"source": "url"}, "the source is empty"},
		"a directory":         {kindHTTP, map[string]any{"source": "url", "url": "/etc"}, "on this machine"},
		"a directory, local":  {kindLocal, map[string]any{"source": "url", "url": "/etc"}, "on this machine"},
		"a repository here":   {kindHTTP, map[string]any{"source": "url", "url": "file:///srv/git/x"}, "on this machine"},
		"a program":           {kindHTTP, map[string]any{"source": "url", "url": "ext::sh -c id"}, "run a helper program"},
		"an option":           {kindHTTP, map[string]any{"source": "github", "repo": "--upload-pack=id"}, "looks like an option"},
		"a password":          {kindHTTP, map[string]any{"source": "url", "url": "https://me:secret@x.example/y"}, "holds a password"},
		"no repository there": {kindHTTP, map[string]any{"source": "github", "repo": "../x"}, "on this machine"},
	} {
		at := located{source: source{kind: row.kind}}
		err := (&stage{place: Place{Home: t.TempDir()}}).elsewhere(t.Context(), &at, row.from, Options{})
		if err == nil || !strings.Contains(err.Error(), row.fault) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", about, err)
		}
	}
}

// TestChosen has a row for each list of plugins.
func TestChosen(t *testing.T) {
	t.Parallel()
	const two = `{"plugins":[{"name":"b"},{"name":"a"},{"name":"\u001b[31m"},{"name":"../x"},{}]}`
	for about, row := range map[string]struct{ text, plugin, want, fault string }{
		"one":         {`{"plugins":[{"name":"a"}]}`, "", "a", ""},
		"named":       {two, "b", "b", ""},
		"several":     {two, "", "", "choose one with --plugin NAME; it has: a, b"},
		"unknown":     {two, "c", "", `no plugin "c"; it has: a, b`},
		"odd":         {two, "../x", "", `no plugin "../x"`},
		"none":        {`{"plugins":[]}`, "", "", ""},
		"no JSON":     {`{`, "", "", "reading the list of plugins"},
		"no list":     {`{"plugins":{}}`, "", "", "reading the list of plugins"},
		"odd, alone":  {`{"plugins":[{"name":"../x"}]}`, "", "", ""},
		"of no texts": {`{"plugins":["a"]}`, "", "", "reading the list of plugins"},
	} {
		entry, _, err := chosen([]byte(row.text), row.plugin)
		if name, _ := entry["name"].(string); name != row.want || (err == nil) != (row.fault == "") || err != nil && !strings.Contains(err.Error(), row.fault) {
			t.Errorf("%s: %v, %v", about, entry, err)
		}
	}
}
