package doctor

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/idelchi/aura/internal/app/gate"
	"github.com/idelchi/aura/internal/base/redact"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/system/sandbox"
)

func TestConclude(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		statuses []Status
		want     Status
	}{
		"nothing":         {nil, OK},
		"notes":           {[]Status{OK, Note}, OK},
		"warnings":        {[]Status{Note, Warning, OK}, Warning},
		"errors":          {[]Status{Warning, Error, Warning}, Error},
		"errors at first": {[]Status{Error, OK}, Error},
	} {
		var checks []Check
		for _, s := range row.statuses {
			checks = append(checks, Check{Status: s, Name: "key-123456", Detail: "has key-123456", Remedy: "use key-123456"})
		}
		r := conclude(checks, redact.New("key-123456"))
		if r.Status != row.want || len(r.Checks) != len(checks) || r.Checks == nil {
			t.Errorf("%s: got %+v", name, r)
		}
		for _, c := range r.Checks {
			if strings.Contains(c.Name+c.Detail+c.Remedy, "key-123456") {
				t.Errorf("%s: a secret is shown: %+v", name, c)
			}
		}
	}
}

// TestHomes checks that doctor names no directory that does not exist as if aura read it.
func TestHomes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	none := filepath.Join(dir, "none")
	for name, row := range map[string]struct {
		homes  []string
		named  string
		status Status
		detail string
	}{
		"all exist":         {[]string{dir}, "", OK, dir},
		"one exists":        {[]string{none, dir}, "", OK, dir},
		"none exists":       {[]string{none}, "", OK, "there are none: aura uses its defaults"},
		"a named one":       {[]string{dir}, dir, OK, dir},
		"named, and is not": {[]string{none}, none, Warning, "the directory " + none + " does not exist, so nothing is read from it"},
	} {
		if c := homesCheck(row.homes, row.named); c.Status != row.status || c.Detail != row.detail {
			t.Errorf("%s: got %+v", name, c)
		}
	}
}

// TestProviders checks that an aura without a provider is not in order, and that one with a script is.
func TestProviders(t *testing.T) {
	t.Parallel()
	nowhere := []string{"OLLAMA_HOST=127.0.0.1:1"}
	c := &config.Config{Environ: nowhere, Inherited: nowhere}
	p := patient{Options: Options{Timeout: time.Minute}, listing: gate.Listing{Config: c, Text: c}}
	if got := p.providers(t.Context()); len(got) != 1 || got[0].Status != Warning || got[0].Detail != "no provider is configured" || !strings.Contains(got[0].Remedy, "ANTHROPIC_API_KEY") {
		t.Errorf("got %+v", got)
	}
	c.Providers = map[string]config.Provider{"script": {Type: config.ProviderScript}}
	if got := p.providers(t.Context()); len(got) != 1 || got[0].Status != OK {
		t.Errorf("got %+v", got)
	}
}

func TestSandboxRows(t *testing.T) {
	t.Parallel()
	required, usual := config.Sandbox{Enabled: true, Required: true}, config.Sandbox{Enabled: true}
	for name, row := range map[string]struct {
		row      sandbox.Row
		settings config.Sandbox
		want     Status
	}{
		"enforced":                {sandbox.Row{Enforced: true, Required: true}, required, OK},
		"missing":                 {sandbox.Row{Required: true}, usual, Warning},
		"missing but required":    {sandbox.Row{Required: true}, required, Error},
		"an extra is missing":     {sandbox.Row{}, required, Warning},
		"this directory's limits": {sandbox.Row{Name: sandbox.Uncovered}, required, Note},
	} {
		c := sandboxCheck(row.row, row.settings)
		if c.Status != row.want || (c.Remedy == "") != (c.Status == OK || c.Status == Note) {
			t.Errorf("%s: got %+v", name, c)
		}
	}
}

func TestDisk(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, row := range map[string]struct {
		dir  string
		want Status
	}{
		"there":                 {dir, OK},
		"not there yet":         {filepath.Join(dir, "a", "b"), OK},
		"below a file":          {filepath.Join(file, "a"), Error},
		"a file in place of it": {file, Error},
	} {
		c := disk("state", row.dir, "go elsewhere")
		if c.Status == Warning && row.want == OK {
			continue // this disk is nearly full
		}
		if c.Status != row.want || (c.Remedy == "") != (row.want == OK) {
			t.Errorf("%s: got %+v", name, c)
		}
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 1 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestTerminal(t *testing.T) {
	t.Parallel()
	for want, terminal := range map[string]Terminal{
		"none: a call that needs an approval is denied": {},
		"standard error": {Err: true},
		"standard input, standard output, TERM=xterm, 80 columns": {In: true, Out: true, Name: "xterm", Columns: 80},
		"standard output, standard error, TERM=dumb, colors off":  {Out: true, Err: true, Name: "dumb", Plain: true},
	} {
		if got := (patient{Options: Options{Terminal: terminal}}).terminal(t.Context()); len(got) != 1 || got[0].Detail != want || got[0].Status != OK {
			t.Errorf("got %+v, want %q", got, want)
		}
	}
}
