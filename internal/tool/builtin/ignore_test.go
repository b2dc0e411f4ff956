package builtin

import "testing"

func TestRules(t *testing.T) {
	t.Parallel()
	tests := []struct {
		lines     []string
		name      string
		directory bool
		want      bool
	}{
		{[]string{"*.log"}, "/r/a.log", false, true},
		{[]string{"*.log"}, "/r/x/y/a.log", false, true},
		{[]string{"*.log"}, "/r/a.logs", false, false},
		{[]string{"*.log"}, "/other/a.log", false, false},
		{[]string{"/a"}, "/r/a", false, true},
		{[]string{"/a"}, "/r/x/a", false, false},
		{[]string{"x/a"}, "/r/x/a", false, true},
		{[]string{"x/a"}, "/r/y/x/a", false, false},
		{[]string{"**/x/a"}, "/r/y/x/a", false, true},
		{[]string{"**/x/a"}, "/r/x/y/x/a", false, true},
		{[]string{"x/**/a"}, "/r/x/a", false, true},
		{[]string{"x/**/a"}, "/r/x/y/z/a", false, true},
		{[]string{"x/**"}, "/r/x/y", false, true},
		{[]string{"x/**"}, "/r/x", true, false},
		{[]string{"x/**", "!x/y"}, "/r/x/y", false, false},
		{[]string{"a/"}, "/r/a", true, true},
		{[]string{"a/"}, "/r/a", false, false},
		{[]string{"a/"}, "/r/x/a", true, true},
		{[]string{"*", "!a"}, "/r/a", false, false},
		{[]string{"!a", "*"}, "/r/a", false, true},
		{[]string{"# a", "", "  "}, "/r/a", false, false},
		{[]string{`\#a`}, "/r/#a", false, true},
		{[]string{`\!a`}, "/r/!a", false, true},
		{[]string{"a  "}, "/r/a", false, true},
		{[]string{`a\ `}, "/r/a ", false, true},
		{[]string{"a\r\n"}, "/r/a", false, true},
		{[]string{"{a,b}"}, "/r/a", false, false},
		{[]string{"{a,b}"}, "/r/{a,b}", false, true},
		{[]string{"[ab]"}, "/r/b", false, true},
		{[]string{"[!ab]"}, "/r/b", false, false},
		{[]string{"[a", "b"}, "/r/b", false, true},
		{[]string{"x/*"}, "/r/x/y/z", false, false},
		{[]string{"/", "!", "!/"}, "/r/a", false, false},
	}
	for _, tt := range tests {
		var all rules
		for _, line := range tt.lines {
			if one, ok := parseRule(line); ok {
				one.base = "/r"
				all = append(all, one)
			}
		}
		if got := all.ignored(tt.name, tt.directory); got != tt.want {
			t.Errorf("%q ignores %s: %v", tt.lines, tt.name, got)
		}
	}
}

// FuzzRule checks that no line causes a panic.
func FuzzRule(f *testing.F) {
	for _, line := range []string{"", "#x", "!a/", "/a/**/b", `\`, "[", "{", "**", "a/**"} {
		f.Add(line, "a/b")
	}
	f.Fuzz(func(t *testing.T, line, name string) {
		one, ok := parseRule(line)
		if ok && one.pattern == "" {
			t.Error("a rule for nothing")
		}
		one.base = "/r"
		rules{one}.ignored("/r/"+name, true)
	})
}
