package interp

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// The programs of lineFile panic. lineGolden holds the functions and lines of the source on the stack of each when Go compiles it.
const (
	lineFile   = "testdata/lines.txtar"
	lineGolden = "testdata/lines.txt"
)

// stackOf is a function that prints the functions and lines of the source on the stack of a panic, innermost first.
const stackOf = `
func reportStack() {
	if r := recover(); r == nil {
		return
	}
	pcs := make([]uintptr, 100)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	for {
		f, more := frames.Next()
		if name := path.Base(f.Function); strings.HasPrefix(f.Function, "programs/lines_") && name[strings.IndexByte(name, '.'):] != ".Main" {
			fmt.Printf("%s:%d\n", name[strings.IndexByte(name, '.')+1:], f.Line)
		}
		if !more {
			break
		}
	}
}
`

func linePrograms(t *testing.T) []program {
	t.Helper()
	archive, err := txtar.ParseFile(lineFile)
	if err != nil {
		t.Fatal(err)
	}
	var out []program
	for _, f := range archive.Files {
		out = append(out, program{"lines/" + strings.TrimSuffix(f.Name, ".go"), string(f.Data)})
	}
	return out
}

// TestLinesGolden holds the golden places against those of the programs when Go compiles them.
func TestLinesGolden(t *testing.T) {
	t.Parallel()
	report := "package program\n\nimport (\n\t\"fmt\"\n\t\"path\"\n\t\"runtime\"\n\t\"strings\"\n)\n" + stackOf + "\nfunc Main() {\n\tdefer reportStack()\n\tprogram()\n}\n"
	golden(t, lineGolden, compiledWith(t, linePrograms(t), report, "-gcflags=programs/...=-l"))
}

var reportedFrame = regexp.MustCompile(`(?m)^(\S+):(\d+): panic: program\.(.*)\(\.\.\.\)$`)

// TestLines panics in plugins. The report and the log have the functions and lines of the source that Go has, and nothing else.
func TestLines(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(lineGolden)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	for _, f := range txtar.Parse(text).Files {
		want[f.Name] = string(f.Data)
	}
	for _, p := range linePrograms(t) {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			stderr := output(t)
			o := runProgramWith(t, p.source("program"), output(t), stderr)
			if o.load != nil || o.run == nil {
				t.Fatalf("got %v, %v", o.load, o.run)
			}
			log := read(t, stderr)
			var got strings.Builder
			var innermost string
			frames := reportedFrame.FindAllStringSubmatch(log, -1)
			// Frames before those are of a panic that the program recovered.
			for _, m := range frames[max(0, len(frames)-strings.Count(want[p.name], "\n")-1):] {
				if m[3] != "ExecuteCommand" {
					got.WriteString(m[3] + ":" + m[2] + "\n")
				}
				if innermost == "" {
					innermost = "(in program." + m[3] + ", " + filepath.Base(m[1]) + ":" + m[2] + ")"
				}
			}
			if got.String() != want[p.name] {
				t.Errorf("got\n%swant\n%s%s", got.String(), want[p.name], log)
			}
			if !strings.HasSuffix(o.run.Error(), innermost) {
				t.Errorf("got %q, want %s", o.run, innermost)
			}
			for _, internal := range []string{"aura_", "M1_", ".func.func"} {
				if strings.Contains(log, internal) {
					t.Errorf("the log has %q:\n%s", internal, log)
				}
			}
		})
	}
}
