package manifest

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
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

	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		return "", false, fmt.Errorf("reading the vendored SDK's version: %w", first(err))
	}

	version, ok = stringConstant(parsed, "Version")
	if !ok {
		return "", false, fmt.Errorf("%s: there is no constant Version: vendor the SDK again with `go mod vendor`", file)
	}

	return version, true, nil
}

// stringConstant returns the literal value of a top-level constant.
func stringConstant(file *ast.File, name string) (string, bool) {
	for _, decl := range file.Decls {
		gen, ok := decl.(*ast.GenDecl)
		if !ok || gen.Tok != token.CONST {
			continue
		}

		for _, spec := range gen.Specs {
			values, _ := spec.(*ast.ValueSpec)

			for i, ident := range values.Names {
				if ident.Name != name || i >= len(values.Values) {
					continue
				}

				if lit, ok := values.Values[i].(*ast.BasicLit); ok && lit.Kind == token.STRING {
					value, err := strconv.Unquote(lit.Value)

					return value, err == nil
				}
			}
		}
	}

	return "", false
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
