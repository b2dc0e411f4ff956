package interp

import (
	"path"
	"reflect"
	"strings"
	"testing"
	"unsafe"

	"github.com/traefik/yaegi/interp"
)

// TestLayout checks the types of what is read from and written to the interpreter's nodes.
func TestLayout(t *testing.T) {
	t.Parallel()
	root, ok := reflect.TypeFor[interp.Program]().FieldByName("root")
	if !ok || root.Type.Kind() != reflect.Pointer {
		t.Fatalf("the root of a program is %v", root.Type)
	}
	for name, want := range map[string]string{"child": "[]*interp.node", "pos": "token.Pos", "exec": "interp.bltn", "gen": "interp.bltnGenerator", "typ": "*interp.itype"} {
		f, ok := root.Type.Elem().FieldByName(name)
		if !ok || f.Type.String() != want {
			t.Errorf("%s is %v, want %s", name, f.Type, want)
		}
	}
	typ, _ := root.Type.Elem().FieldByName("typ")
	if val, ok := typ.Type.Elem().FieldByName("val"); !ok || val.Type != typ.Type {
		t.Errorf("val of a type is %v", val.Type)
	}
	exec, _ := root.Type.Elem().FieldByName("exec")
	if got := exec.Type; got.NumIn() != 1 || got.NumOut() != 1 || got.Out(0) != got || got.In(0).Size() != unsafe.Sizeof(uintptr(0)) {
		t.Errorf("a step is %v", got)
	}
}

// TestModuleNames loads plugins whose modules are called like something that Go declares.
func TestModuleNames(t *testing.T) {
	t.Parallel()
	for _, module := range []string{"error", "string", "len", "true", "a.b/c-d"} {
		dir := unpack(t, "-- go.mod --\nmodule "+module+"\n-- plugin.yaml --\ndescription: test\n-- main.go --\npackage "+strings.ReplaceAll(path.Base(module), "-", "_")+"\n\nimport (\n\t\"context\"\n\t\"fmt\"\n\n\t\"github.com/idelchi/aura/sdk\"\n)\n\n"+
			"func BeforeChat(context.Context, sdk.BeforeChatContext) (sdk.Result, error) {\n\treturn sdk.Result{Message: fmt.Sprint(\"ok\")}, nil\n}\n")
		p, err := Load(Options{Dir: dir, Stdout: output(t), Stderr: output(t)})
		if err != nil {
			t.Errorf("%s: %v", module, err)
			continue
		}
		if got, err := beforeChat(t, p); err != nil || got != "ok" {
			t.Errorf("%s: got %q, %v", module, got, err)
		}
	}
}
