// Package build says what this program was built from: its version, commit and date. Both programs and every command that prints a
// version ask it.
package build

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/idelchi/aura/sdk/version"
)

// Version is the semantic version of aura and of aura-plugin-host.
const Version = "0.1.0"

// commit and date are set by the linker (see the Makefile), for builds without the version control stamp of the go command. The
// commit ends in dirtyMark if files differed from it. The date is that of the commit, in RFC 3339.
var commit, date string

const dirtyMark = "-dirty"

// Info is everything that identifies a build. What is not known is empty.
type Info struct {
	Version string `json:"version"`
	// Commit is the full hash. Modified means that the files differed from the commit.
	Commit   string `json:"commit"`
	Modified bool   `json:"modified"`
	// Date is that of the commit, in RFC 3339.
	Date string `json:"date"`
	// Go is the release of the toolchain, SDK the version of the plugin SDK.
	Go       string `json:"go"`
	SDK      string `json:"sdk"`
	Platform string `json:"platform"`
}

// Read returns what is known about the running program. A value from the linker wins over the stamp of the go command.
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

// String is the version on one line, as --version prints it.
func (i Info) String() string { return fmt.Sprintf("%s (SDK %s)", i.Version, i.SDK) }

// Revision is the commit for people: shortened, and marked if files differed from it. It is empty if the commit is not known.
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
