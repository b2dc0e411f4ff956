package hooks_test

import (
	"encoding/json"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/idelchi/aura/hooks"
	"github.com/idelchi/aura/internal/lab/testneed"
	"github.com/idelchi/aura/sdk"
)

func TestPaths(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		testneed.Missing(t, testneed.Unix, "the paths here are those of other systems")
	}
	patch := "*** Begin Patch\n*** Update File: a.go\n@@ x\n-*** Delete File: no.go\n+y\n*** Add File: /abs/b.go\r\n*** Delete File: d/c.go\n*** Move to: e f.go\n*** End Patch\n"
	tests := map[string]struct {
		input    string
		declared sdk.ToolPaths
		want     []string
	}{
		"nothing":             {`{}`, sdk.ToolPaths{}, nil},
		"relative":            {`{"path": "a.go"}`, sdk.ToolPaths{}, []string{"/p/a.go"}},
		"absolute":            {`{"path": "/x/../y/./a.go"}`, sdk.ToolPaths{}, []string{"/y/a.go"}},
		"above":               {`{"path": "../a.go"}`, sdk.ToolPaths{}, []string{"/a.go"}},
		"empty":               {`{"path": ""}`, sdk.ToolPaths{}, nil},
		"not a text":          {`{"path": 5, "file": null, "files": [true]}`, sdk.ToolPaths{}, nil},
		"content is no path":  {`{"path": "a.go", "content": "/etc/x.go", "old": "/b", "command": "cat /c.go"}`, sdk.ToolPaths{}, []string{"/p/a.go"}},
		"awkward names":       {`{"paths": ["a b", "it's", "new\nline", "$(x)", " "]}`, sdk.ToolPaths{}, []string{"/p/a b", "/p/it's", "/p/new\nline", "/p/$(x)", "/p/ "}},
		"NUL":                 {`{"path": "a\u0000b"}`, sdk.ToolPaths{}, nil},
		"too long":            {`{"path": "` + strings.Repeat("x", 5000) + `"}`, sdk.ToolPaths{}, nil},
		"patch":               {string(must(json.Marshal(map[string]any{"patch": patch}))), sdk.ToolPaths{}, []string{"/p/a.go", "/abs/b.go", "/p/d/c.go", "/p/e f.go"}},
		"patch by other name": {string(must(json.Marshal(map[string]any{"input": patch}))), sdk.ToolPaths{}, []string{"/p/a.go", "/abs/b.go", "/p/d/c.go", "/p/e f.go"}},
		"patch elsewhere":     {string(must(json.Marshal(map[string]any{"content": patch}))), sdk.ToolPaths{}, nil},
		"declared": {
			`{"note": "x"}`,
			sdk.ToolPaths{Read: []string{"r"}, Write: []string{"/w", "r"}, Record: []string{"/p/r"}, Guard: []string{"g"}, Clear: []string{"c"}},
			[]string{"/p/r", "/w", "/p/g", "/p/c"},
		},
		"declared and in the input": {`{"path": "b", "file": "a"}`, sdk.ToolPaths{Write: []string{"c", "b"}}, []string{"/p/a", "/p/b", "/p/c"}},
		"patch in its own order": {
			string(must(json.Marshal(map[string]any{"patch": patch}))),
			sdk.ToolPaths{Read: []string{"d/c.go"}, Write: []string{"/abs/b.go", "d/c.go"}},
			[]string{"/p/a.go", "/abs/b.go", "/p/d/c.go", "/p/e f.go"},
		},
		"by the order of keys": {`{"path": "1", "file": "2", "files": ["4", "3"]}`, sdk.ToolPaths{}, []string{"/p/2", "/p/4", "/p/3", "/p/1"}},
		"each once":            {`{"path": "a", "file": "./a", "files": ["/p/a", "x/../a"]}`, sdk.ToolPaths{}, []string{"/p/a"}},
		"keys": {
			`{"file_path": "1", "filePath": "2", "file-path": "3", "filepath": "4", "fileName": "5", "file_name": "6", "FILENAME": "7",
			"old_path": "8", "newPath": "9", "output_file": "10", "relative_workspace_path": "11", "absolutePaths": ["12"]}`,
			sdk.ToolPaths{},
			[]string{"/p/7", "/p/12", "/p/3", "/p/5", "/p/2", "/p/6", "/p/1", "/p/4", "/p/9", "/p/8", "/p/10", "/p/11"},
		},
		"not keys":        {`{"profile": "a.go", "pathology": "b.go", "file_count": "c.go", "name": "d.go", "xpath": "e.go", "": "f.go"}`, sdk.ToolPaths{}, nil},
		"nested":          {`{"edits": [{"path": "a"}, {"file": {"path": "b"}}], "files": [{"name": "x", "path": "c"}]}`, sdk.ToolPaths{}, []string{"/p/a", "/p/b", "/p/c"}},
		"too deep":        {strings.Repeat(`{"a":`, 40) + `{"path": "x"}` + strings.Repeat(`}`, 40), sdk.ToolPaths{}, nil},
		"places":          {`{"source": "a.go", "destination": "/d/b", "target": "./c", "src": "d/e"}`, sdk.ToolPaths{}, []string{"/d/b", "/p/a.go", "/p/d/e", "/p/c"}},
		"other places":    {`{"source": "web", "destination": "the end. of it", "target": "https://x.y/z", "dst": "a\n/b.c"}`, sdk.ToolPaths{}, nil},
		"addresses":       {`{"file": "https://x.y/z.go", "uri": "https://x.y/z.go", "url": "data:x"}`, sdk.ToolPaths{}, nil},
		"file addresses":  {`{"uri": "file:///a%20b.go", "file": "file://localhost/c.go", "url": "file://elsewhere/d.go"}`, sdk.ToolPaths{}, []string{"/c.go", "/a b.go"}},
		"broken address":  {`{"uri": "file://%zz"}`, sdk.ToolPaths{}, nil},
		"texts of a list": {`{"paths": [["a"], "b"]}`, sdk.ToolPaths{}, []string{"/p/a", "/p/b"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var input map[string]any
			if err := json.Unmarshal([]byte(tt.input), &input); err != nil {
				t.Fatal(err)
			}
			if got := hooks.Paths("/p", input, tt.declared); !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
	if got := hooks.Paths("/p", map[string]any{"paths": []string{"a"}}, sdk.ToolPaths{}); !slices.Equal(got, []string{"/p/a"}) {
		t.Errorf("got %q", got)
	}
	if got := hooks.Paths("/p", nil, sdk.ToolPaths{}); got != nil {
		t.Errorf("got %q", got)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func FuzzPaths(f *testing.F) {
	for _, seed := range []string{
		`{"path":"a.go"}`, `{"files":["a","b",{"path":"c"}]}`, `{"patch":"*** Update File: x\n"}`, `{"uri":"file:///a%20b"}`,
		`{"source":"./x","fileName":"\u0000"}`, `{"a":{"b":[{"oldPath":"c"}]}}`, `{"ſile":"x","PATH":"\ud800"}`,
	} {
		f.Add(seed)
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, input string) {
		var object map[string]any
		if json.Unmarshal([]byte(input), &object) != nil {
			return
		}
		got := hooks.Paths(dir, object, sdk.ToolPaths{})
		if !slices.Equal(got, hooks.Paths(dir, object, sdk.ToolPaths{})) {
			t.Error("not the same twice")
		}
		seen := map[string]bool{}
		for _, path := range got {
			if !filepath.IsAbs(path) || path != filepath.Clean(path) || seen[path] || strings.ContainsRune(path, 0) {
				t.Errorf("got %q in %q", path, got)
			}
			seen[path] = true
		}
		if len(got) > hooks.MaxPaths {
			t.Errorf("got %d paths", len(got))
		}
	})
}

func FuzzAnswer(f *testing.F) {
	for _, seed := range []string{
		"", "text", `{}`, `{"message":"m"}`, `{"deny":true,"reason":"r"}`, `{"deny":"yes"}`, `{"x":1}`, `{"message":"m","x":1}`, `{"deny":tru`,
		`{"deny":true}{}`, `null`, `[{"deny":true}]`, "{\"message\":\"\xff\x1b[31m\"}", `{"deny":true,"deny":false}`, `{"Deny":true}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, stdout []byte) {
		message, deny, reason, note := hooks.ReadAnswer(stdout)
		if (deny || reason != "") && !json.Valid(stdout) {
			t.Errorf("%q denies", stdout)
		}
		if message == "" && strings.TrimSpace(string(stdout)) != "" && !json.Valid(stdout) {
			t.Errorf("%q is lost", stdout)
		}
		for _, text := range []string{hooks.Readable(message, 0), hooks.Readable(note, 0)} {
			if !utf8.ValidString(text) || len(text) > hooks.MaxText+100 || strings.ContainsAny(text, "\x00\x1b\r") {
				t.Errorf("%q is not readable", text)
			}
		}
	})
}
