package build

import (
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/idelchi/aura/sdk/version"
)

func TestRead(t *testing.T) {
	t.Parallel()
	const hash = "0123456789abcdef0123456789abcdef01234567"
	stamp := []debug.BuildSetting{{Key: "vcs.revision", Value: "ffff"}, {Key: "vcs.time", Value: "2020-01-01T00:00:00Z"}, {Key: "vcs.modified", Value: "true"}}
	for name, row := range map[string]struct {
		stamp        []debug.BuildSetting
		commit, date string
		want         Info
		revision     string
	}{
		"nothing is known":            {},
		"the go command's stamp":      {stamp: stamp, want: Info{Commit: "ffff", Date: "2020-01-01T00:00:00Z", Modified: true}, revision: "ffff (modified)"},
		"the linker wins":             {stamp: stamp, commit: hash, date: "2021-01-01T00:00:00Z", want: Info{Commit: hash, Date: "2021-01-01T00:00:00Z"}, revision: "0123456789ab"},
		"the linker on a dirty tree":  {commit: hash + dirtyMark, date: "2021-01-01T00:00:00Z", want: Info{Commit: hash, Date: "2021-01-01T00:00:00Z", Modified: true}, revision: "0123456789ab (modified)"},
		"the linker without a date":   {stamp: stamp, commit: hash, want: Info{Commit: hash}, revision: "0123456789ab"},
		"a date alone says nothing":   {date: "2021-01-01T00:00:00Z"},
		"a stamp without a commit":    {stamp: stamp[1:2], want: Info{Date: "2020-01-01T00:00:00Z"}},
		"modified without a revision": {stamp: stamp[2:], want: Info{Modified: true}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := row.want
			want.Version, want.SDK, want.Go, want.Platform = Version, version.Version, runtime.Version(), runtime.GOOS+"/"+runtime.GOARCH
			got := read(row.stamp, row.commit, row.date)
			if got != want {
				t.Errorf("got %+v, want %+v", got, want)
			}
			if got.Revision() != row.revision {
				t.Errorf("got revision %q, want %q", got.Revision(), row.revision)
			}
		})
	}
	if got, want := read(nil, "", "").String(), Version+" (SDK "+version.Version+")"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
