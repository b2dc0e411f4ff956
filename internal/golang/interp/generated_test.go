package interp

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/idelchi/aura/internal/lab/progen"
)

// generatedGolden holds what the generated programs of the fixed seeds print when Go compiles them.
const generatedGolden = "testdata/generated.txt"

// fixedSeeds is the number of generated programs that every test run compares: those of the seeds from 1.
const fixedSeeds = 25

// randomPrograms returns the programs of n seeds.
func randomPrograms(first, n uint64) []program {
	var out []program
	for seed := first; seed < first+n; seed++ {
		out = append(out, program{fmt.Sprintf("generated/%d", seed), progen.Program(seed)})
	}
	return out
}

// TestGeneratedGolden holds the golden output against what the generated programs print when Go compiles them.
func TestGeneratedGolden(t *testing.T) {
	t.Parallel()
	golden(t, generatedGolden, compiled(t, randomPrograms(1, fixedSeeds)))
}

// TestGenerated runs generated programs as plugins. They must print what they print when Go compiles them.
func TestGenerated(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(generatedGolden)
	if err != nil {
		t.Fatal(err)
	}
	compareGenerated(t, randomPrograms(1, fixedSeeds), string(text))
}

// compareGenerated runs programs as plugins and compares what they print with a golden text.
func compareGenerated(t *testing.T, programs []program, text string) {
	t.Helper()
	want := map[string]string{}
	for _, f := range txtar.Parse([]byte(text)).Files {
		want[f.Name] = string(f.Data)
	}
	for _, p := range programs {
		if raceDetector && strings.Contains(p.text, "go func") {
			// The interpreter resets the variable of a function literal after each call, while the goroutine that started it goes on.
			continue
		}
		source := p.source("program")
		o := runProgram(t, source)
		class, reason := classify(o, want[p.name])
		if class == right && reason == "" {
			continue
		}
		t.Errorf("%s: %s: %s%s", p.name, class, reason, around(o.output, want[p.name]))
	}
}

// around returns the first line that differs and the one before it.
func around(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range g {
		if i < len(w) && g[i] != w[i] {
			return fmt.Sprintf("\n\tbefore: %s\n\tgot:    %s\n\twant:   %s", strings.Join(g[max(0, i-1):i], ""), g[i], w[i])
		}
	}
	return ""
}
