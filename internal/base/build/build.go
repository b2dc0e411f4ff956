// Package build reports the version, commit and date from which this program was built. All programs, and every command that
// prints a version, use it.
package build

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/idelchi/aura/sdk/version"
)

// Version is the semantic version of aura and of the programs beside it.
const Version = "0.1.0"

// commit and date are set by the linker (see the Makefile), for builds without the version control stamp of the go command. The
// commit ends in dirtyMark if the files differed from the commit. The date is the commit date, in RFC 3339.
var commit, date string

const dirtyMark = "-dirty"

// Info identifies a build. Unknown fields are empty.
type Info struct {
	Version string `json:"version"`
	// Commit is the full hash. Modified reports whether the files differed from the commit.
	Commit   string `json:"commit"`
	Modified bool   `json:"modified"`
	// Date is the commit date, in RFC 3339.
	Date string `json:"date"`
	// Go is the release of the toolchain. SDK is the version of the plugin SDK.
	Go       string `json:"go"`
	SDK      string `json:"sdk"`
	Platform string `json:"platform"`
}

// Read returns the build information of the running program. A value from the linker takes precedence over the stamp of the go
// command.
func Read() Info {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	return read(info.Settings, commit, date)
}

func read(stamp []debug.BuildSetting, commit, date string) Info {
	out := Info{Version: Version, Go: runtime.Version(), SDK: version.Version, Platform: runtime.GOOS + "/" + runtime.GOARCH}
	for _, s := range stamp {
		switch s.Key {
		case "vcs.revision":
			out.Commit = s.Value
		case "vcs.time":
			out.Date = s.Value
		case "vcs.modified":
			out.Modified = s.Value == "true"
		}
	}
	if commit != "" {
		out.Commit, out.Modified = strings.CutSuffix(commit, dirtyMark)
		out.Date = date
	}
	return out
}

// String returns the version on one line, as --version prints it.
func (i Info) String() string { return fmt.Sprintf("%s (SDK %s)", i.Version, i.SDK) }

// Revision returns the commit in a form for people: shortened, and marked if files differed from it. It is empty if the commit is
// unknown.
func (i Info) Revision() string {
	const digits = 12
	text := i.Commit
	if len(text) > digits {
		text = text[:digits]
	}
	if text != "" && i.Modified {
		text += " (modified)"
	}
	return text
}
