package interp

import (
	"strings"
	"testing"

	"github.com/idelchi/aura/sdk"
	"github.com/idelchi/aura/shared"
)

// TestUnsafe uses the packages that unsafe mode permits. Code that ends the process is tested elsewhere, in a child process.
func TestUnsafe(t *testing.T) {
	t.Parallel()
	const imports = "-- unsafe.go --\npackage my_plugin\n\nimport (\n\t\"context\"\n\t\"github.com/idelchi/aura/sdk\"\n\t%IMPORT\n)\n\n" +
		"func message(ctx context.Context, c sdk.BeforeChatContext) (text string) {\n\t"
	for name, tt := range map[string]struct{ imports, body, want string }{
		"os/exec": {
			`"os/exec"`, "if _, err := exec.LookPath(\"no-such-program\"); err != nil {\n\treturn exec.Command(\"a\", \"b\").Args[1]\n}\nreturn \"\"", "b",
		},
		"syscall": {
			`"syscall"`, "attr := &syscall.SysProcAttr{}\n\tif syscall.Kill != nil && attr != nil && syscall.Getpid() > 0 {\n\treturn \"ok\"\n}\nreturn \"\"", "ok",
		},
		"unsafe": {`"unsafe"`, "var n int64\n\tif unsafe.Sizeof(n) == 8 {\n\treturn \"8\"\n}\nreturn \"\"", "8"},
		"unsafe.Pointer": {
			"\"fmt\"\n\t\"unsafe\"", "n := [2]int32{7, 9}\n\tp := unsafe.Pointer(&n[0])\n\tf := 1.5\n\t" +
				"return fmt.Sprint(*(*int32)(unsafe.Add(p, 4)), *(*uint64)(unsafe.Pointer(&f)), uintptr(p) != 0)", "9 4609434218613702656 true",
		},
		"unsafe.Slice": {
			"\"fmt\"\n\t\"unsafe\"", "n := [3]int32{7, 8, 9}\n\tlist := unsafe.Slice(&n[1], uint8(2))\n\tlist[0]++\n\t" +
				"return fmt.Sprint(n, len(list), *unsafe.SliceData(list), unsafe.Slice((*int)(nil), 0) == nil)", "[7 9 9] 2 9 true",
		},
		"unsafe.Slice of own structs": {
			"\"fmt\"\n\t\"unsafe\"", "type own struct{ n int }\n\tall := []own{{1}, {2}}\n\tunsafe.Slice(&all[0], 2)[1].n = 5\n\treturn fmt.Sprint(all, unsafe.SliceData(all).n)",
			"[{1} {5}] 1",
		},
		"unsafe.Slice, too long": {
			"\"fmt\"\n\t\"unsafe\"", "n, x := -1, 0\n\tdefer func() { text = fmt.Sprint(recover()) }()\n\treturn fmt.Sprint(unsafe.Slice(&x, n))", "runtime error: unsafe.Slice: len out of range",
		},
		"unsafe.String": {
			`"unsafe"`, "b := []byte(\"text\")\n\ts := unsafe.String(unsafe.SliceData(b), len(b))\n\tb[0] = 'n'\n\treturn s + string(unsafe.Slice(unsafe.StringData(s), 2))", "nextne",
		},
		"unsafe.Offsetof": {
			"\"fmt\"\n\t\"unsafe\"", "var v struct{ A int8; B int64 }\n\treturn fmt.Sprint(unsafe.Offsetof(v.B), unsafe.Alignof(v.A), unsafe.Sizeof(v))", "8 1 16",
		},
		"syscall with own types": {
			"\"errors\"\n\t\"fmt\"\n\t\"os\"\n\t\"syscall\"", "type named struct{ Name string }\n\t_, err := os.Open(\"/no/such/file\")\n\tvar stat syscall.Stat_t\n\t" +
				"failed := syscall.Stat(\"/no/such/file\", &stat)\n\tvar all []func() int\n\tfor i := range 2 {\n\t\tall = append(all, func() int { i += 10; return i })\n\t}\n\t" +
				"return fmt.Sprintf(\"%v %T %v %v %v %v\", errors.Is(err, syscall.ENOENT), failed, failed == syscall.ENOENT, syscall.SIGTERM, named{\"a\"}, all[1]())",
			"true syscall.Errno true terminated {a} 11",
		},
		"os.FindProcess": {"\"os\"\n\t\"fmt\"", "p, err := os.FindProcess(os.Getpid())\n\treturn fmt.Sprint(p.Pid > 0, err)", "true <nil>"},
		"os.Getenv":      {`"os"`, "return os.Getenv(\"AURA_TEST_NOTHING\")", ""},
		"log": {
			`"log"`, "l := log.New(log.Writer(), \"p\", 0)\n\tl.Print(\"x\")\n\tlog.Default().SetFlags(0)\n\tlog.Print(\"y\")\n\treturn l.Prefix()", "p",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := output(t)
			p, err := Load(Options{Dir: unpack(t, hook+strings.Replace(imports, "%IMPORT", tt.imports, 1)+tt.body+"\n}\n"), Unsafe: true, Stdout: out, Stderr: out})
			if err != nil {
				t.Fatal(err)
			}
			if got, err := beforeChat(t, p); err != nil || got != tt.want {
				t.Errorf("got %q, %v, want %q", got, err, tt.want)
			}
		})
	}
}

// TestUnsafeFields checks that a plugin with direct access to memory gets copies of everything.
func TestUnsafeFields(t *testing.T) {
	t.Parallel()
	out := output(t)
	p, err := Load(Options{
		Dir:    unpack(t, hook+"func message(ctx context.Context, c sdk.BeforeChatContext) string { return \"\" }\n-- u.go --\npackage my_plugin\n\nimport _ \"unsafe\"\n"),
		Unsafe: true, Stdout: out, Stderr: out,
	})
	if err != nil {
		t.Fatal(err)
	}
	if !p.Touches("Turns") || !p.Touches("ToolHistory") || !p.Touches("Args") {
		t.Error("the lists count as untouched")
	}
	if _, err := p.Hook(t.Context(), shared.HookCall{Point: "BeforeChat", Context: sdk.BeforeChatContext{}}); err != nil {
		t.Error(err)
	}
}
