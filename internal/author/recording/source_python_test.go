package recording_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/idelchi/aura/internal/author/recording"
)

func TestUnrecordedPython(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		source string
		want   []string
	}{
		"functions of aura":       {"import aura\nx = aura.now()\ny = aura.rand()\n", nil},
		"a module":                {"import time\n\nx = time.time()\ny = time.time()\n", []string{"time.time (ext.py:3); use aura.now"}},
		"another name":            {"import time as t, json\nx = t.time_ns()\n", []string{"time.time_ns (ext.py:2); use aura.now"}},
		"a function":              {"from time import time\nx = time()\n", []string{"time.time (ext.py:2); use aura.now"}},
		"a class":                 {"from datetime import datetime, timezone\nx = datetime.now(timezone.utc)\n", []string{"datetime.datetime.now (ext.py:2); use aura.now"}},
		"a class by its module":   {"import datetime\nx = datetime.date.today()\n", []string{"datetime.date.today (ext.py:2); use aura.now"}},
		"names in brackets":       {"from random import (\n    choice,\n    shuffle as mix,\n)\nmix(x)\n", []string{"random.shuffle (ext.py:5); use aura.rand"}},
		"a whole module":          {"import random\nx = random.choice(y)\n", []string{"random.choice (ext.py:2); use aura.rand"}},
		"numbers from a seed":     {"import aura, random\nx = random.Random(aura.rand()).choice(y)\n", nil},
		"a module below another":  {"import urllib.request\nurllib.request.urlopen(x)\n", []string{"urllib.request.urlopen (ext.py:2)"}},
		"files":                   {"with open(x) as f:\n    pass\n", []string{"open (ext.py:1)"}},
		"inside of a function":    {"def f():\n    import uuid\n    return f\"{uuid.uuid4()}\"\n", []string{"uuid.uuid4 (ext.py:3); use aura.rand"}},
		"its own name":            {"def time():\n    return self.time() + x.random.y\n", nil},
		"a comment and a text":    {"import time\n# time.time()\n\"\"\"\ntime.time()\n\"\"\"\nx = 1  # time.time()\n", nil},
		"only sleeping":           {"import time\ntime.sleep(1)\n", nil},
		"an import that is wrong": {"import\nfrom x import\nimport a b c\nfrom time import time as\n", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "ext.py")
			if err := os.WriteFile(file, []byte(c.source), 0o600); err != nil {
				t.Fatal(err)
			}
			if got := recording.Unrecorded(file); !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if got := recording.Unrecorded(filepath.Dir(file)); !slices.Equal(got, c.want) {
				t.Errorf("in its directory: got %q, want %q", got, c.want)
			}
		})
	}
}
