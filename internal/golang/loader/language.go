package loader

import (
	"bytes"
	"fmt"
	"go/version"
	"runtime"

	"golang.org/x/mod/modfile"

	"github.com/idelchi/aura/internal/base/files"
)

// goLine returns the Go release that the go line of a go.mod names. It returns "" if there is no such line, or if the release is later than the one
// that aura is built with, whose type checker knows no later language.
func goLine(file string) (string, error) {
	data, err := files.Read(file, MaxSource)
	if err != nil {
		return "", fmt.Errorf("reading the go line: %w", err)
	}
	parsed, err := modfile.ParseLax(file, bytes.TrimPrefix(data, []byte("\ufeff")), nil)
	if err != nil {
		return "", fmt.Errorf("reading the go line: %w", err)
	}
	if parsed.Go == nil {
		return "", nil
	}
	language := version.Lang("go" + parsed.Go.Version)
	if version.Compare(language, version.Lang(runtime.Version())) > 0 {
		return "", nil
	}
	return language, nil
}

// sharedLoops reports whether the iterations of a loop share its variables: before Go 1.22 they did.
func (s *Source) sharedLoops() bool {
	return s.language != "" && version.Compare(s.language, "go1.22") < 0
}
