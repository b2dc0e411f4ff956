package recording

import (
	"encoding/json"
	"testing"
)

// TestOrder gives records one after the other, of which the last one cannot follow.
func TestOrder(t *testing.T) {
	t.Parallel()
	run, entries := record{Run: &Run{Version: Version}}, record{Entries: []json.RawMessage{nil, nil}}
	call := func(n int, numbers ...[2]int) record {
		return record{Call: &Call{N: n, Lists: map[string]ranges{"history": numbers}}}
	}
	for name, c := range map[string]struct {
		records []record
		want    string
	}{
		"no run first":          {[]record{entries}, errNoVersion.Error()},
		"no version":            {[]record{{Run: &Run{}}}, versionError(0).Error()},
		"a later version":       {[]record{run, {Run: &Run{Version: Version + 1}}}, versionError(Version + 1).Error()},
		"a call is missing":     {[]record{run, call(1), call(3)}, "call 3 follows call 1"},
		"a call twice":          {[]record{run, call(1), call(1)}, "call 1 follows call 1"},
		"entries that follow":   {[]record{run, entries, call(1, [2]int{1, 3})}, "call 1: history names entries 1 to 3 of 2"},
		"entries that are none": {[]record{run, entries, call(1, [2]int{0, 2}, [2]int{1, 1})}, "call 1: history names entries 1 to 1 of 2"},
		"entries before zero":   {[]record{run, entries, call(1, [2]int{-1, 1})}, "call 1: history names entries -1 to 1 of 2"},
		"an unknown record":     {[]record{run, {}}, "a record of an unknown kind: the recording may be from a newer aura"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var o order
			var err error
			for i, r := range c.records {
				if err = o.follow(r); err != nil && i < len(c.records)-1 {
					t.Fatalf("record %d: %v", i+1, err)
				}
			}
			if err == nil || err.Error() != c.want {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}
