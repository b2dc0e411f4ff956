package interp

import (
	"go/constant"
	"go/token"
	"go/types"
	"syscall"
	"testing"
)

// TestSystemDeclarations compares declarations of package syscall, which are made from values, with what the package has.
func TestSystemDeclarations(t *testing.T) {
	t.Parallel()
	p, err := systemLibrary().Import("syscall")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"Getpid":       "func syscall.Getpid() int",
		"Open":         "func syscall.Open(string, int, uint32) (int, error)",
		"SIGTERM":      "const syscall.SIGTERM syscall.Signal",
		"O_RDONLY":     "const syscall.O_RDONLY untyped int",
		"ForkLock":     "var syscall.ForkLock sync.RWMutex",
		"Conn":         "type syscall.Conn interface{SyscallConn() (syscall.RawConn, error)}",
		"SockaddrUnix": "type syscall.SockaddrUnix struct{Name string; raw int}",
	} {
		o := p.Scope().Lookup(name)
		if o == nil {
			t.Errorf("%s is missing", name)
		} else if got := types.ObjectString(o, nil); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	if signal, ok := p.Scope().Lookup("SIGTERM").(*types.Const); !ok || !constant.Compare(signal.Val(), token.EQL, constant.MakeInt64(int64(syscall.SIGTERM))) {
		t.Errorf("SIGTERM is %v", signal)
	}
	address := p.Scope().Lookup("Sockaddr").Type().Underlying().(*types.Interface)
	unix := p.Scope().Lookup("SockaddrUnix").Type()
	if types.Implements(unix, address) || !types.Implements(types.NewPointer(unix), address) {
		t.Error("*SockaddrUnix must be a Sockaddr, SockaddrUnix must not")
	}
	if failed := types.NewMethodSet(p.Scope().Lookup("Errno").Type()).Lookup(p, "Is"); failed == nil {
		t.Error("Errno has no method Is")
	}
	// Other packages use the same types.
	os, err := systemLibrary().Import("os")
	if err != nil {
		t.Fatal(err)
	}
	attr := os.Scope().Lookup("ProcAttr").Type().Underlying().(*types.Struct)
	for f := range attr.Fields() {
		if f.Name() == "Sys" && !types.Identical(f.Type(), types.NewPointer(p.Scope().Lookup("SysProcAttr").Type())) {
			t.Errorf("os.ProcAttr.Sys is a %s of another package", f.Type())
		}
	}
}
