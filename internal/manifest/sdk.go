package manifest

import (
	"errors"
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/mod/semver"
)

// sdkVersionFile is where a vendored SDK says which version it is.
const sdkVersionFile = vendorDir + "/github.com/idelchi/aura/sdk/version/version.go"

// VendoredSDK reads the version of the SDK that the plugin in dir was vendored with. It is not ok if none is.
func VendoredSDK(dir string) (version string, ok bool, err error) {
	file := filepath.Join(dir, filepath.FromSlash(sdkVersionFile))

	if _, err := os.Stat(file); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return "", false, nil
		}

		return "", false, fmt.Errorf("reading the vendored SDK's version: %w", err)
	}

	set := token.NewFileSet()

	parsed, err := parser.ParseFile(set, file, nil, parser.SkipObjectResolution)
	if err != nil {
		return "", false, fmt.Errorf("reading the vendored SDK's version: %w", first(err))
	}

	version, ok = stringConstant(set, parsed, "Version")
	if !ok {
		return "", false, fmt.Errorf("%s: there is no constant Version: vendor the SDK again with `go mod vendor`", file)
	}

	return version, true, nil
}

// stringConstant returns the value of a top-level constant, which may be made of others in the file. What else is wrong
// with the file does not matter.
func stringConstant(set *token.FileSet, file *ast.File, name string) (string, bool) {
	lenient := types.Config{Error: func(error) {}}

	pkg, _ := lenient.Check(file.Name.Name, set, []*ast.File{file}, nil) // what could be checked is there in any case
	if pkg == nil {
		return "", false
	}

	found, ok := pkg.Scope().Lookup(name).(*types.Const)
	if !ok || found.Val().Kind() != constant.String {
		return "", false
	}

	return constant.StringVal(found.Val()), true
}

// CompatibleSDK tells whether a host with one version of the SDK can run a plugin written against another: major and
// minor numbers must be the same, and the host must be no older.
func CompatibleSDK(pluginVersion, hostVersion string) error {
	plugin, host := "v"+strings.TrimPrefix(pluginVersion, "v"), "v"+strings.TrimPrefix(hostVersion, "v")

	if !semver.IsValid(plugin) {
		return fmt.Errorf("reading the plugin's SDK version %q: it is not a semantic version", pluginVersion)
	}

	if !semver.IsValid(host) {
		return fmt.Errorf("reading the host's SDK version %q: it is not a semantic version", hostVersion)
	}

	if semver.MajorMinor(plugin) != semver.MajorMinor(host) || semver.Compare(host, plugin) < 0 {
		return fmt.Errorf("plugin requires SDK ~%s, host has %s", pluginVersion, hostVersion)
	}

	return nil
}
