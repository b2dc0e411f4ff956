package policy_test

import (
	"strings"
	"testing"
	"unicode"

	"github.com/idelchi/aura/internal/agent/policy"
)

// line returns a call of Bash, files one of Write, and values one of a tool of an MCP server.
func line(command string) policy.Call {
	return policy.Call{Tool: "Bash", Source: "built-in", Rule: "Bash", Args: map[string]any{"command": command}, Shell: true, Workdir: "/work"}
}

func files(paths ...string) policy.Call {
	return policy.Call{Tool: "Write", Source: "built-in", Rule: "Write", Files: paths, Workdir: "/work"}
}

func values(args map[string]any) policy.Call {
	return policy.Call{Tool: "fetch", Source: "MCP web", Args: args, Workdir: "/work"}
}

func host(to string) policy.Call {
	return policy.Call{Tool: policy.HostTool, Source: "built-in", Rule: policy.HostRule, Host: to, Workdir: "/work"}
}

// TestPatterns checks which pattern a question offers, that it covers the call, and which other calls it covers.
func TestPatterns(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		call    policy.Call
		want    string
		covers  []policy.Call
		refuses []policy.Call
	}{
		"a command": {
			line(" touch a "), "Bash:touch a",
			[]policy.Call{line("touch a"), line("touch a\n"), line("touch   a"), line("touch a; touch a")},
			[]policy.Call{line("touch a b"), line("touch a; touch b"), line("touch a > b"), line("X=1 touch a"), line(`touch "a"`), line(`\touch a`), line("touch a; X=1")},
		},
		"a star": {
			line("rm *.o"), "Bash:rm [*].o", []policy.Call{line("rm *.o")}, []policy.Call{line("rm x.o"), line("rm -rf /; echo .o")},
		},
		"brackets": {line("echo ${a[*]} [[] [,] [U+0041] [x]"), "Bash:echo ${a[[][*]]} [[][] [[],] [[]U+0041] [x]", nil, []policy.Call{line("echo ${a[*]} [ , A [x]")}},
		"lines":    {line("cat <<E\n\tx\x1b\u202e\nE"), `Bash:cat <<E[\n][U+0009]x[U+001B][U+202E][\n]E`, nil, []policy.Call{line("cat <<E x\nE")}},
		"several":  {line("cd a && make"), "Bash:cd a && make", nil, []policy.Call{line("cd a"), line("make"), line("cd a && make x")}},
		"nothing":  {line("  "), "", nil, nil},
		"a file": {
			files("/work/a/x"), "Write:a/",
			[]policy.Call{files("/work/a/y"), files("/work/a/y", "/work/a/z")},
			[]policy.Call{files("/work/a/b/y"), files("/work/x"), files("/a/x"), files("/work/a/y", "/work/b/y")},
		},
		"in the working directory": {files("/work/x"), "Write:./", []policy.Call{files("/work/y")}, []policy.Call{files("/work/a/y"), files("/x")}},
		"outside":                  {files("/etc/x"), "Write:/etc/", []policy.Call{files("/etc/y")}, []policy.Call{files("/work/etc/y")}},
		"in the root":              {files("/x"), "Write:/", []policy.Call{files("/y")}, []policy.Call{files("/etc/y"), files("/work/y")}},
		"in two directories": {
			files("/work/b/x", "/work/a/x", "/work/a/y"), "Write:a/, b/", []policy.Call{files("/work/b/y")}, []policy.Call{files("/work/b/y", "/work/c/y")},
		},
		"an odd directory": {files("/work/a, b*/x"), "Write:a[,] b[*]/", []policy.Call{files("/work/a, b*/y")}, []policy.Call{files("/work/a/y"), files("/work/a, bc/y")}},
		"values": {
			values(map[string]any{"url": "https://a/*", "n": 5}), `fetch:{"n":5,"url":"https://a/[*]"}`, nil,
			[]policy.Call{values(map[string]any{"url": "https://a/*", "n": 6}), values(map[string]any{"url": "https://a/*"}), values(nil)},
		},
		"a host": {
			host("a.example:443"), "sandbox.network:a.example:443",
			[]policy.Call{host("a.example:443")},
			[]policy.Call{host("a.example:80"), host("b.a.example:443"), host("a.example.org:443")},
		},
		"an address": {host("[2001:db8::1]:22"), "sandbox.network:[2001:db8::1]:22", nil, []policy.Call{host("[2001:db8::1]:80")}},
		"no values":  {values(nil), "fetch:{}", []policy.Call{values(map[string]any{})}, []policy.Call{values(map[string]any{"url": "x"})}},
	} {
		got := row.call.Pattern()
		if got != row.want {
			t.Errorf("%s: got %s, want %s", name, got, row.want)
		}
		for _, other := range row.covers {
			if err := other.Check(got); err != nil {
				t.Errorf("%s: %s does not cover %v: %v", name, got, other, err)
			}
		}
		for _, other := range row.refuses {
			if other.Check(got) == nil {
				t.Errorf("%s: %s covers %v", name, got, other)
			}
		}
	}
}

// TestEdited checks which calls a pattern covers that a user wrote.
func TestEdited(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		pattern string
		call    policy.Call
		want    bool
	}{
		{"Bash", line("anything > /etc/passwd"), true},
		{"Bash:", line("ls"), false},
		{"Bas", line("ls"), false},
		{"*:ls", line("ls"), false},
		{"Write", line("ls"), false},
		{"Bash:go test *", line("go test ./..."), true},
		{"Bash:go test *", line("go test"), false},
		{"Bash:go test*", line("go test && go test -v | go test x"), true},
		{"Bash:go test *", line("go test ./... 2>&1 >/dev/null"), true},
		{"Bash:go test *", line("go test ./... > out"), false},
		{"Bash:go test *", line("go test ./... >> ~/.bashrc"), false},
		{"Bash:go test *", line("go test ./...; rm x"), false},
		{"Bash:go test *", line("go test $(rm x)"), false},
		{"Bash:go test *", line("go test <(rm x)"), false},
		{"Bash:go test *", line("GOFLAGS=-exec=rm go test x"), false},
		{"Bash:go test *", line("export GOFLAGS=-exec=rm; go test x"), false},
		{"Bash:go test *", line("GOFLAGS=-exec=rm; go test x"), false},
		{"Bash:go test *", line("go() { rm x; }; go test x"), false},
		{"Bash:go test *", line("for i in 1; do go test x; done"), false},
		{"Bash:go test *", line("go test x ("), false},
		{"Bash:go test x (", line("go test x ("), true},
		{"Bash:cd a && go *", line("cd a && go test"), false},
		{"Bash:*", line("a; b | c"), true},
		{"Write:*", files("/etc/passwd"), true},
		{"Write:src/*", files("/work/src/a/b.go"), true},
		{"Write:src/*", files("/work/srcs"), false},
		{"Write:*.go", files("/work/src/a/b.go"), true},
		{"Write:/work/src/*.go", files("/work/src/a/b.go"), true},
		{"Write:src/*/", files("/work/src/a/b.go"), true},
		{"Write:src/*/", files("/work/src/b.go"), false},
		{"Write:docs/, src/", files("/work/src/b.go"), true},
		{"Write:../*", files("/b.go"), false},
		{"fetch:https://a/*", values(map[string]any{"url": "https://a/b"}), true},
		{"fetch:https://a/*", values(map[string]any{"url": "https://a/b", "method": "PUT"}), false},
		{"fetch:https://a/*", values(map[string]any{"url": "https://a/b", "redirects": 5}), false},
		{"fetch:https://a/*", values(map[string]any{"url": []any{"https://a/b", map[string]any{"x": "https://a/c"}}}), true},
		{`fetch:{"url":"https://a/*"}`, values(map[string]any{"url": "https://a/b"}), false},
		{"fetch:*", values(map[string]any{"url": "x", "n": true}), true},
		{"sandbox.network:*.example", host("a.example:443"), true},
		{"sandbox.network:*.example:*", host("a.example:8443"), true},
		{"sandbox.network:*.example", host("a.example:8443"), false},
		{"sandbox.network:*.example", host("example:443"), false},
		{"sandbox.network:*", host("a.example:443"), false},
		{"sandbox.network", host("a.example:443"), false},
		{"sandbox.network:preset:go", host("a.example:443"), false},
		{"a.example:443", host("a.example:443"), false},
		{"fetch:*", values(nil), false},
		{`fetch:{"a":"b"}`, values(map[string]any{"x": `{"a":"b"}`}), false},
	} {
		if err := row.call.Check(row.pattern); (err == nil) != row.want {
			t.Errorf("%s for %v: got %v", row.pattern, row.call, err)
		}
	}
}

// TestCover checks which approvals count for a call, and that several cover a call together.
func TestCover(t *testing.T) {
	t.Parallel()
	var session policy.Approvals
	approve := func(c policy.Call, pattern string) {
		a, err := c.Approves(pattern)
		if err != nil {
			t.Fatal(err)
		}
		session.Add(a)
		session.Add(a)
	}
	approve(line("go test x"), "Bash:go test *")
	approve(line("tail -1"), "Bash:tail *")
	approve(files("/work/a/x"), "Write:a/")
	approve(files("/work/b/x"), "Write:b/*")
	approve(values(map[string]any{"from": "a1"}), "fetch:a*")
	approve(values(map[string]any{"from": "b1"}), "fetch:b*")
	with := func(c policy.Call, change func(*policy.Call)) policy.Call {
		change(&c)
		return c
	}
	for name, row := range map[string]struct {
		call policy.Call
		want bool
	}{
		"one":               {line("go test y"), true},
		"two commands":      {line("go test y | tail -2"), true},
		"and a third":       {line("go test y | tail -2 | sh"), false},
		"two directories":   {files("/work/a/y", "/work/b/c/y"), true},
		"and a third one":   {files("/work/a/y", "/work/b/c/y", "/work/c"), false},
		"values":            {values(map[string]any{"from": "a2"}), true},
		"values of two":     {values(map[string]any{"from": "a2", "to": "b2"}), false},
		"another rule":      {with(line("go test y"), func(c *policy.Call) { c.Rule = "Bash:go *" }), false},
		"another source":    {with(line("go test y"), func(c *policy.Call) { c.Source = "plugin go" }), false},
		"another directory": {with(line("go test y"), func(c *policy.Call) { c.Workdir = "/other" }), false},
		"another tool":      {with(line("go test y"), func(c *policy.Call) { c.Tool = "Shell" }), false},
		"without any about": {with(files("/x"), func(c *policy.Call) { c.Files = nil }), false},
	} {
		if got := policy.Cover(session.All(), row.call); got != row.want {
			t.Errorf("%s: got %v", name, got)
		}
		if policy.Cover(nil, row.call) {
			t.Errorf("%s: covered by nothing", name)
		}
	}
	all := session.All()
	if len(all) != 6 {
		t.Errorf("an approval that was given twice is there %d times", len(all))
	}
	if !session.Remove(all[0]) || session.Remove(all[0]) || policy.Cover(session.All(), line("go test y")) {
		t.Error("a removed approval still counts")
	}
	if _, err := line("ls").Approves("Bash:rm *"); err == nil {
		t.Error("a pattern that does not cover the call was approved")
	}
}

// FuzzPattern checks that the pattern of a call is one line, covers the call, and does not cover a call with another value.
func FuzzPattern(f *testing.F) {
	for _, seed := range []string{"ls", "rm *", "[*]", "[[]", "a\nb", "[U+0041]", "[,]", "a, b", "\x00\u202e", "${a[*]}", `{"a":"ls"}`} {
		f.Add(seed, "rm x")
	}
	f.Fuzz(func(t *testing.T, text, other string) {
		text, other = strings.ToValidUTF8(text, ""), strings.ToValidUTF8(other, "")
		value := func(text string) policy.Call { return values(map[string]any{"a": text}) }
		for _, c := range []policy.Call{line(text), files("/work/" + text), value(text)} {
			pattern := c.Pattern()
			if strings.ContainsFunc(pattern, unicode.IsControl) {
				t.Errorf("%q has a control character", pattern)
			}
			if pattern != "" && c.Check(pattern) != nil {
				t.Errorf("%q: %v", pattern, c.Check(pattern))
			}
		}
		if pattern := value(text).Pattern(); text != other && value(other).Check(pattern) == nil {
			t.Errorf("%q also covers %q", pattern, other)
		}
	})
}
