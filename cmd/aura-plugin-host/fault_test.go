//go:build unix

package main

import (
	"strings"
	"testing"

	"github.com/idelchi/aura/shared"
)

// TestFatal runs tools that end the process. The process must print the reason, and only on standard error.
func TestFatal(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		imports, body string
		unsafe        bool
		code          int
		want          []string
		decls         string
	}{
		"panic in a goroutine": {
			body: `go func() { panic("boom") }()
	select {}`,
			code: 2, want: []string{"main.go:12: panic: my-plugin.Execute.func1(...)", "\npanic: boom"},
		},
		"error in a goroutine": {
			imports: "\"errors\"\n", body: `go func() { panic(errors.New("boom")) }()
	select {}`,
			code: 2, want: []string{"\npanic: boom"},
		},
		"stack overflow": {
			body:  "return endless(\"\"), nil",
			decls: "func endless(s string) string { return endless(s) + \"x\" }",
			code:  2, want: []string{": panic: my-plugin.endless(...)\nfatal error: stack overflow\n", "\ngoroutine "},
		},
		"concurrent map writes": {
			body: `m := map[int]int{}
	for i := 0; i < 4; i++ {
		go func() {
			for {
				m[1] = 2
			}
		}()
	}
	select {}`,
			code: 2, want: []string{"fatal error: concurrent map "},
		},
		"memory without end": {
			body: `var all [][]byte
	for {
		b := make([]byte, 1<<20)
		for i := 0; i < len(b); i += 4096 {
			b[i] = 1
		}
		all = append(all, b)
	}`,
			code: 2, want: []string{"fatal error: ", "out of memory"},
		},
		"deadlock of all that the plugin started": {
			// The deadlock is not fatal, so the process must be ended from outside; here, the plugin does it.
			imports: "\"os\"\n", unsafe: true, body: `os.Exit(7)
	return "", nil`, code: 7,
		},
		"log.Fatal in unsafe mode": {
			imports: "\"log\"\n", unsafe: true, body: `log.Fatal("the end")
	return "", nil`, code: 1, want: []string{"the end"},
		},
		"all descriptors closed": {
			imports: "\"os\"\n", body: `for i := 0; i < 64; i++ {
		os.NewFile(uintptr(i), "x").Close()
	}
	os.Exit(0)
	return "", nil`, code: -1,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := ready(t, source(tt.imports, tt.body)+"\n"+tt.decls+"\n", func(s *shared.LaunchSpec) { s.Unsafe = tt.unsafe })
			if got, err := p.execute(t.Context()); err == nil {
				t.Errorf("the call returned %q", got)
			}
			if tt.code < 0 {
				return
			}
			last := p.dies(t)
			for _, want := range tt.want {
				if !strings.Contains(last, want) {
					t.Errorf("got  %.2000s\nwant %s", last, want)
				}
			}
			if got := p.cmd.ProcessState.ExitCode(); got != tt.code {
				t.Errorf("exit code %d, want %d", got, tt.code)
			}
			if strings.Count(p.handshake.String(), "\n") != 1 {
				t.Errorf("standard output was %q", p.handshake)
			}
		})
	}
}

// TestHarmless runs tools that misbehave without ending the process. The process must continue to answer.
func TestHarmless(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ imports, body string }{
		"panic":                  {"", `panic("boom")`},
		"os.Exit":                {"\"os\"\n", `os.Exit(3)` + "\nreturn \"\", nil"},
		"log.Fatal":              {"\"log\"\n", `log.Fatal("x")` + "\nreturn \"\", nil"},
		"runtime.Goexit":         {"\"runtime\"\n", `runtime.Goexit()` + "\nreturn \"\", nil"},
		"closing os.Stdout":      {"\"os\"\n", `return "", os.Stdout.Close()`},
		"closing os.Stderr":      {"\"os\"\n", `return "", os.Stderr.Close()`},
		"ignoring signals":       {"\"os/signal\"\n", "signal.Ignore()\nreturn \"\", nil"},
		"changing the directory": {"\"os\"\n", `return "", os.Chdir("/")`},
		"replacing a transport":  {"\"net/http\"\n", "http.DefaultTransport = nil\nhttp.DefaultClient = nil\nreturn \"\", nil"},
		"clearing variables":     {"\"os\"\n", "os.Clearenv()\nreturn \"\", nil"},
		"a million lines":        {"\"fmt\"\n\"strings\"\n", "fmt.Print(strings.Repeat(\"x\\n\", 1<<20))\nreturn \"\", nil"},
		"a line without end":     {"\"os\"\n\"strings\"\n", "os.Stderr.WriteString(strings.Repeat(\"x\", 8<<20))\nreturn \"\", nil"},
		"a flag that is unknown": {"\"flag\"\n", "flag.Parse()\nreturn \"\", nil"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := ready(t, source(tt.imports, tt.body))
			if got, err := p.execute(t.Context()); err != nil {
				t.Logf("got %q, %v", got, err)
			}
			p.alive(t)
		})
	}
}
