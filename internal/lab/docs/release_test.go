//go:build unix

package docs

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/base/build"
	"github.com/idelchi/aura/internal/lab/testneed"
)

const (
	installPage = "docs/install-aura.md"
	// distVariable names the directory of a release. 'make release-check' sets it.
	distVariable = "AURA_TEST_DIST"
	// published is where the page downloads from. The tests serve the release themselves.
	published = "https://github.com/idelchi/aura/releases/download"
)

// released reports whether there is a release to install, and with a program also whether that program can install it into a
// directory.
func (p *project) released(program string) bool {
	p.t.Helper()
	has, err := testneed.Has(testneed.Release, os.Getenv(distVariable) != "")
	if err == nil && has && program != "" {
		_, missing := testneed.Find(testneed.Ability(program))
		has, err = testneed.Has(testneed.Ability(program), missing == nil)
	}
	if err == nil && has && program != "" {
		has, err = testneed.Has(testneed.Root, os.Getuid() == 0)
	}
	if err != nil {
		p.t.Fatal(err)
	}
	return has
}

// fromHere lets a command download from the server of the test.
func (p *project) fromHere(line string) string {
	if p.server == "" {
		return line
	}
	return strings.ReplaceAll(line, published, p.server)
}

// offer serves the release, and lets packages be installed into a root directory of their own: sudo, as the page uses it, is a script that does
// so.
func (p *project) offer() error {
	p.t.Helper()
	dist := os.Getenv(distVariable)
	if dist == "" {
		return nil
	}
	prefix := "/v" + build.Version + "/"
	server := httptest.NewServer(http.StripPrefix(prefix, http.FileServer(http.Dir(dist))))
	p.t.Cleanup(server.Close)
	p.server = server.URL
	for _, dir := range []string{"var/lib/dpkg/info", "var/lib/dpkg/updates", "var/lib/dpkg/triggers", "var/lib/rpm"} {
		if err := os.MkdirAll(filepath.Join(p.root(), dir), 0o755); err != nil {
			return err
		}
	}
	const sudo = `#!/bin/sh
program=$1; shift
case $program in
dpkg) exec dpkg --root=%[1]q --log=/dev/null --force-depends "$@" ;;
rpm) exec rpm --root=%[1]q --nodeps --noscripts "$@" ;;
esac
echo "sudo: $program is not expected" >&2
exit 1
`
	return errors.Join(
		os.WriteFile(filepath.Join(p.root(), "var/lib/dpkg/status"), nil, 0o600),
		os.MkdirAll(p.shims(), 0o755),
		os.WriteFile(filepath.Join(p.shims(), "sudo"), fmt.Appendf(nil, sudo, p.root()), 0o700)) //nolint:gosec // it must be executable
}

// root is where the page's packages are installed.
func (p *project) root() string { return filepath.Join(p.state, "root") }

// shims is a directory with programs that stand for others.
func (p *project) shims() string { return filepath.Join(p.state, "shims") }

// newcomersPath is a PATH with the programs of the system and what packages install.
func (p *project) newcomersPath() string {
	return strings.Join([]string{p.shims(), filepath.Join(p.root(), "usr/bin"), "/usr/sbin", "/usr/bin", "/sbin", "/bin"}, string(os.PathListSeparator))
}

// TestInstallPageVersion checks that the page installs the version of the source.
func TestInstallPageVersion(t *testing.T) {
	t.Parallel()
	found := regexp.MustCompile(`\b[vV]?(?:aura-|VERSION=)(\d+\.\d+\.\d+)`).FindAllStringSubmatch(text(t, installPage), -1)
	if len(found) < 3 {
		t.Fatalf("%s names %d versions", installPage, len(found))
	}
	for _, m := range found {
		if m[1] != build.Version {
			t.Errorf("%s: %q: the version of the source is %s", installPage, m[0], build.Version)
		}
	}
}
