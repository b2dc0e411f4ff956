package install

import (
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/plugin/manifest"
	"github.com/idelchi/aura/internal/supply/signature"
)

// described returns what an index says about a version of a repository.
func described(t *testing.T, u upstream, ref string) *Expected {
	t.Helper()
	d, err := Describe(t.Context(), Request{Source: u.url(), Ref: ref, Name: "greet"}, options())
	if err != nil {
		t.Fatal(err)
	}
	return &Expected{
		Indexed: Indexed{Name: "acme", Plugin: "greet", Serial: 3, Key: "SHA256:k"},
		URL:     d.URL, Tag: d.Tag, Commit: d.Commit, Hash: d.Hash, Requests: d.Requests,
	}
}

// TestAddExpected installs what an index says, and refuses anything else.
func TestAddExpected(t *testing.T) {
	t.Parallel()
	u := newUpstream(t)
	u.tag("v1", "v1", u.commit("one", nil), nil)
	first := described(t, u, "v1")
	write(t, u.dir, map[string]string{"net.go": "package greet\n\nimport _ \"net\"\n"})
	u.tag("v2", "v2", u.commit("two", nil), nil)
	second := described(t, u, "v2")
	branch := described(t, u, "")
	u.tag("moved", "moved", u.commit("three", nil), nil)
	if first.Tag != "v1" || branch.Tag != "" || branch.Commit != second.Commit || first.Hash == second.Hash || !second.Requests["greet"].Network {
		t.Fatalf("described %+v, %+v and %+v", first, second, branch)
	}
	changed := func(e *Expected, change func(*Expected)) *Expected {
		out := *e
		change(&out)
		return &out
	}
	for name, row := range map[string]struct {
		expected *Expected
		name     string
		fails    string
	}{
		"a tag":                {expected: first},
		"a later tag":          {expected: second},
		"a commit":             {expected: branch},
		"another name":         {expected: first, name: "mine"},
		"a tag that moved":     {expected: changed(first, func(e *Expected) { e.Tag = "moved" }), fails: "the tag moved is at commit"},
		"a commit that is not": {expected: changed(branch, func(e *Expected) { e.Commit = strings.Repeat("ab", 20) }), fails: "there is no commit abab"},
		"other content":        {expected: changed(first, func(e *Expected) { e.Hash = second.Hash }), fails: "have the hash " + first.Hash},
		"more requests":        {expected: changed(second, func(e *Expected) { e.Requests = first.Requests }), fails: `plugin "greet" asks for more than the index acme says: every host on the network`},
		"another plugin": {expected: changed(first, func(e *Expected) {
			e.Requests = map[string]manifest.Asks{"a": manifest.NoAsks(), "b": manifest.NoAsks()}
		}), fails: `it holds a plugin "greet", which the index acme does not name`},
		"a directory": {expected: changed(first, func(e *Expected) { e.URL = u.dir }), fails: "an index names git repositories only"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			unit := "greet"
			if row.name != "" {
				unit = row.name
			}
			a, err := Add(t.Context(), p, Request{Name: unit, Expected: row.expected}, options())
			expect(t, err, row.fails)
			if err != nil {
				empty(t, p)
				return
			}
			lock, err := readLock(p)
			if err != nil || lock.Plugins[unit].Index == nil || *lock.Plugins[unit].Index != first.Indexed || a.Index == nil || a.Commit != row.expected.Commit {
				t.Errorf("recorded %+v and %+v, %v", lock.Plugins[unit].Index, a, err)
			}
		})
	}
}

// TestUpdateExpected updates what was installed from an index, as the index says now.
func TestUpdateExpected(t *testing.T) {
	t.Parallel()
	u := newUpstream(t)
	u.tag("v1", "v1", u.commit("one", nil), nil)
	first := described(t, u, "v1")
	u.tag("v2", "v2", u.commit("two", nil), nil)
	second := described(t, u, "v2")
	second.Serial = 4
	for name, row := range map[string]struct {
		change func(*Expected, *Options)
		gone   bool
		fails  string
		// without reports whether the plugin follows its repository afterwards.
		without bool
	}{
		"newer":            {change: func(*Expected, *Options) {}},
		"an older index":   {change: func(e *Expected, _ *Options) { e.Serial = 2 }, fails: "the index acme has the serial 2, and the plugin was installed from serial 3"},
		"another key":      {change: func(e *Expected, _ *Options) { e.Key = "SHA256:other" }, fails: "is signed with the key SHA256:other"},
		"accepted key":     {change: func(e *Expected, o *Options) { e.Key, o.Accept.Signer = "SHA256:other", "SHA256:other" }},
		"another address":  {change: func(e *Expected, _ *Options) { e.URL = "https://example.com/x" }, fails: "the index acme now takes it from https://example.com/x"},
		"other content":    {change: func(e *Expected, _ *Options) { e.Hash = first.Hash }, fails: "but the index acme says"},
		"a tag that moved": {change: func(e *Expected, _ *Options) { e.Tag = "v1" }, fails: "the tag v1 is at commit"},
		"no index":         {change: func(_ *Expected, o *Options) { o.Index = nil }, fails: "which cannot be read here"},
		"its own way":      {change: func(_ *Expected, o *Options) { o.Index, o.Ref = nil, "v2" }, without: true},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			if _, err := Add(t.Context(), p, Request{Name: "greet", Expected: first}, options()); err != nil {
				t.Fatal(err)
			}
			now, o := *second, options()
			o.Index = func(index, plugin string) (*Expected, error) {
				if index != "acme" || plugin != "greet" {
					t.Errorf("asked for %s of %s", plugin, index)
				}
				return &now, nil
			}
			row.change(&now, &o)
			d, err := Update(t.Context(), []Place{p}, "greet", o)
			expect(t, err, row.fails)
			lock, readErr := readLock(p)
			if readErr != nil {
				t.Fatal(readErr)
			}
			got, want := lock.Plugins["greet"].Index, &now.Indexed
			if row.fails != "" {
				want = &first.Indexed
			}
			switch {
			case row.without && got != nil, !row.without && (got == nil || *got != *want):
				t.Errorf("recorded %+v", got)
			case err == nil && d.To != second.Commit:
				t.Errorf("updated to %s", d.To)
			}
		})
	}
}

// TestIndexToken sends the token that is for every host only to the host that the user named.
func TestIndexToken(t *testing.T) {
	t.Parallel()
	o := Options{Environ: []string{"A=b", "GIT_TOKEN=secret"}}
	for _, row := range []struct {
		e    *Expected
		want string
	}{{nil, "secret"}, {&Expected{SameHost: true}, "secret"}, {&Expected{}, ""}} {
		if got := row.e.environment(o).variable("GIT_TOKEN"); got != row.want {
			t.Errorf("%+v: %q", row.e, got)
		}
	}
}

// TestFindNewest compares installed versions with what their repository has.
func TestFindNewest(t *testing.T) {
	t.Parallel()
	u := newUpstream(t)
	one := u.commit("one", nil)
	u.tag("v1.9.0", "v1.9.0", one, nil)
	two := u.commit("two", nil)
	u.tag("v1.10.0", "v1.10.0", two, nil)
	u.tag("latest", "latest", one, nil)
	three := u.commit("three", nil)
	u.tag("v2.0.0-rc1", "v2.0.0-rc1", three, nil)
	for name, row := range map[string]struct {
		ref, tag, commit, fails string
	}{
		"a version":      {ref: "v1.9.0", tag: "v1.10.0", commit: two.String()},
		"the newest":     {ref: "v1.10.0", tag: "v1.10.0", commit: two.String()},
		"a candidate":    {ref: "v2.0.0-rc1", tag: "v2.0.0-rc1", commit: three.String()},
		"no version":     {ref: "latest", commit: one.String()},
		"default branch": {commit: three.String()},
		"a branch":       {ref: "master", commit: three.String()},
		"a commit":       {ref: one.String(), commit: "installed"},
		"a removed tag":  {ref: "v0.1.0", fails: `there is no branch or tag "v0.1.0" any more`},
	} {
		got, err := FindNewest(t.Context(), Installed{URL: u.url(), Ref: row.ref, Commit: "installed"}, options())
		if (err == nil) != (row.fails == "") || err != nil && !strings.Contains(err.Error(), row.fails) || err == nil && (got.Tag != row.tag || got.Commit != row.commit) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

// TestSignFile signs with the key that the user names only.
func TestSignFile(t *testing.T) {
	t.Parallel()
	o := options()
	o.UserHome = t.TempDir()
	_, _, err := SignFile(t.Context(), "", "aura-index", []byte("x"), o)
	expect(t, err, "there is no key")
	_, err = signature.VerifyFile([]byte("x"), nil, "aura-index")
	expect(t, err, "it is not signed")
}
