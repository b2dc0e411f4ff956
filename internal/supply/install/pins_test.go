package install

import (
	"strings"
	"testing"
)

const (
	hashA = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	hashB = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
)

// item renders a package of pip's report.
func item(name, version, more string) string {
	return `{"metadata": {"name": "` + name + `", "version": "` + version + `"}, ` + more + `}`
}

func report(items ...string) string {
	return `{"version": "1", "install": [` + strings.Join(items, ", ") + `]}`
}

// TestPins reads what installers choose. Each row is a list and what is installed, or why nothing is.
func TestPins(t *testing.T) {
	t.Parallel()
	hashed := func(hash string) string {
		return `"download_info": {"archive_info": {"hashes": {"sha256": "` + hash + `"}}}`
	}
	rows := []struct {
		name       string
		parse      func([]byte) ([]pin, error)
		text, want string
		err        string
	}{
		{name: "nothing", parse: parseRequirements},
		{name: "one line", parse: parseRequirements, text: "b==1 --hash=sha256:" + hashA, want: "b==1 --hash=sha256:" + hashA + "\n"},
		{
			name: "several lines, sorted", parse: parseRequirements,
			text: "# made\nb==2.0rc1+x ; python_version > '3' \\\n    --hash=sha256:" + hashB + " \\\n    --hash=sha256:" + hashA + "\na[x,y]==1!1.0 --hash=sha256:" + hashA + "\n",
			want: "a==1!1.0 --hash=sha256:" + hashA + "\nb==2.0rc1+x --hash=sha256:" + hashB + " --hash=sha256:" + hashA + "\n",
		},
		{name: "no hash", parse: parseRequirements, text: "b==1", err: `"b==1" has no SHA-256 hash`},
		{name: "a short hash", parse: parseRequirements, text: "b==1 --hash=sha256:aa", err: "no SHA-256 hash"},
		{name: "another hash", parse: parseRequirements, text: "b==1 --hash=md5:aa", err: "not a package of an index"},
		{name: "an address", parse: parseRequirements, text: "b @ https://example.com/b.whl --hash=sha256:" + hashA, err: "not a package of an index"},
		{name: "an address behind a version", parse: parseRequirements, text: "b==1 @ https://x --hash=sha256:" + hashA, err: "not a package of an index"},
		{name: "an option", parse: parseRequirements, text: "--index-url https://example.com", err: "not a package of an index"},
		{name: "a range", parse: parseRequirements, text: "b>=1 --hash=sha256:" + hashA, err: "not a package of an index"},
		{name: "an option behind a hash", parse: parseRequirements, text: "b==1 --hash=sha256:" + hashA + " --pre", err: "no SHA-256 hash"},
		{name: "empty report", parse: parsePipReport, text: report()},
		{
			name: "report", parse: parsePipReport, text: report(item("b", "1", hashed(hashB)), item("a", "2", hashed(hashA))),
			want: "a==2 --hash=sha256:" + hashA + "\nb==1 --hash=sha256:" + hashB + "\n",
		},
		{
			name: "older report", parse: parsePipReport,
			text: report(item("a", "2", `"download_info": {"archive_info": {"hash": "sha256=`+hashA+`"}}`)), want: "a==2 --hash=sha256:" + hashA + "\n",
		},
		{name: "report without a hash", parse: parsePipReport, text: report(item("a", "2", hashed(""))), err: `"a==2" has no SHA-256 hash`},
		{
			name: "report with an address", parse: parsePipReport, text: report(item("a", "2", `"is_direct": true, "download_info": {"url": "https://x/a.whl"}`)),
			err: "a dependency takes a from the address https://x/a.whl, not from an index",
		},
		{name: "report with a line break", parse: parsePipReport, text: report(item(`a==1\n--pre\nb`, "2", hashed(hashA))), err: "not a package of an index"},
		{name: "newer report", parse: parsePipReport, text: `{"version": "2"}`, err: `its version is "2"`},
		{name: "no report", parse: parsePipReport, text: "hello", err: "reading pip's report: "},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			pins, err := row.parse([]byte(row.text))
			if row.err != "" {
				if err == nil || !strings.Contains(err.Error(), row.err) {
					t.Errorf("got %v, want %q", err, row.err)
				}
				return
			}
			if got := string(requirements(pins)); err != nil || got != row.want {
				t.Errorf("got %q, %v, want %q", got, err, row.want)
			}
		})
	}
}

// FuzzPins checks that what is written for an installer is read again as the same packages.
func FuzzPins(f *testing.F) {
	f.Add("a[x]==1 ; python_version > '3' \\\n --hash=sha256:" + hashA + "\n")
	f.Add(report(item("a", "2", `"download_info": {"archive_info": {"hashes": {"sha256": "`+hashA+`"}}}`)))
	f.Fuzz(func(t *testing.T, text string) {
		for _, parse := range []func([]byte) ([]pin, error){parseRequirements, parsePipReport} {
			pins, err := parse([]byte(text))
			if err != nil {
				continue
			}
			written := requirements(pins)
			again, err := parseRequirements(written)
			if err != nil || string(requirements(again)) != string(written) || len(again) != len(pins) {
				t.Errorf("%q became %q: %v", written, requirements(again), err)
			}
		}
	})
}
