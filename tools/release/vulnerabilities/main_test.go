package main

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// database writes a database with one vulnerability: of the module that this test is linked with, in versions from introduced on.
func database(t *testing.T, introduced string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"index/db.json":      `{"modified":"2026-01-01T00:00:00Z"}`,
		"index/modules.json": `[{"path":"golang.org/x/vuln","vulns":[{"id":"GO-2026-0001","modified":"2026-01-01T00:00:00Z"}]}]`,
		"ID/GO-2026-0001.json": fmt.Sprintf(`{"schema_version":"1.3.1","id":"GO-2026-0001","modified":"2026-01-01T00:00:00Z","published":"2026-01-01T00:00:00Z","summary":"made up","details":"made up","database_specific":{"url":"https://pkg.go.dev/vuln/GO-2026-0001"},
			"affected":[{"package":{"name":"golang.org/x/vuln","ecosystem":"Go"},"ranges":[{"type":"SEMVER","events":[{"introduced":%q}]}],
			"ecosystem_specific":{"imports":[{"path":"golang.org/x/vuln/scan","symbols":["Cmd.Start"]}]}}]}`, introduced),
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return "file://" + filepath.ToSlash(dir)
}

func TestRun(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	broken := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(broken.Close)
	for name, row := range map[string]struct {
		args          []string
		database      string
		prints, fault string
	}{
		"nothing known":        {args: []string{self}, database: database(t, "9.0.0"), prints: "No vulnerabilities found"},
		"a vulnerability":      {args: []string{self}, database: database(t, "0"), prints: "GO-2026-0001", fault: "checking " + self},
		"no such directory":    {args: []string{self}, database: "file:///no/such/database", prints: "skipped: the database of vulnerabilities cannot be reached"},
		"an error page":        {args: []string{self}, database: broken.URL, prints: "404 Not Found"},
		"required and missing": {args: []string{"-required", self}, database: broken.URL, fault: "404 Not Found"},
		"no program":           {fault: "no program given"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			err := run(t.Context(), row.args, row.database, &out)
			if row.fault == "" && err != nil || row.fault != "" && (err == nil || !strings.Contains(err.Error(), row.fault)) {
				t.Errorf("got %v, want %q", err, row.fault)
			}
			if !strings.Contains(out.String(), row.prints) {
				t.Errorf("no %q in\n%s", row.prints, out.String())
			}
		})
	}
}
