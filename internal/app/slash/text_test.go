package slash

import (
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestReplayed(t *testing.T) {
	t.Parallel()
	rows := []struct {
		name, text string
		want       []string
	}{
		{"a list", "- one\n- /two three\n- \"four: five\"\n", []string{"one", "/two three", "four: five"}},
		{"lines", "one\n\n# not this\n  /two three  \n", []string{"one", "/two three"}},
		{"a line that looks like a map", "name: it\n", []string{"name: it"}},
		{"several lines in one", "- |\n  one\n  two\n", []string{"one\ntwo\n"}},
		{"nothing", "\n# only this\n", nil},
		{"an empty list", "[]\n", []string{"[]"}},
	}
	for _, row := range rows {
		if got := replayed([]byte(row.text)); !reflect.DeepEqual(got, row.want) {
			t.Errorf("%s: got %q, want %q", row.name, got, row.want)
		}
	}
}

func FuzzReplayed(f *testing.F) {
	for _, seed := range []string{"- one\n- two\n", "a\n#b\nc", "[a, b]", "- [", "a: b\n", "- &a x\n- *a\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		_ = replayed([]byte(text))
	})
}

func TestToggled(t *testing.T) {
	t.Parallel()
	rows := []struct {
		now  bool
		word string
		want bool
		ok   bool
	}{
		{false, "", true, true},
		{true, "", false, true},
		{false, " ON ", true, true},
		{true, "true", true, true},
		{true, "off", false, true},
		{false, "False", false, true},
		{true, "maybe", true, false},
		{false, "1", false, false},
	}
	for _, row := range rows {
		if got, err := toggled(row.now, row.word); got != row.want || (err == nil) != row.ok {
			t.Errorf("%v, %q: got %v, %v", row.now, row.word, got, err)
		}
	}
}

func TestBrief(t *testing.T) {
	t.Parallel()
	if got := brief(" one\n\ttwo  "); got != "one two" {
		t.Errorf("got %q", got)
	}
	long := brief(strings.Repeat("ü", 200))
	if utf8.RuneCountInString(long) != 60 || !strings.HasSuffix(long, "…") {
		t.Errorf("got %q", long)
	}
}

func TestListed(t *testing.T) {
	t.Parallel()
	if got := listed(map[string]string{"b": "two", "long": "", "a": "one"}, "none"); got != "a     one\nb     two\nlong" {
		t.Errorf("got %q", got)
	}
	if got := listed(nil, "none"); got != "none" {
		t.Errorf("got %q", got)
	}
}
