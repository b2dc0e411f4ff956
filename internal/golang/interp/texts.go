package interp

import (
	"fmt"
	"io"
	"os"
	"reflect"

	"github.com/idelchi/aura/internal/golang/box"
)

// fmtSymbols returns replacements for functions of package fmt: package box prepares formats, and the standard output is the given one, which the plugin
// may replace.
func fmtSymbols(stdout **os.File) map[string]reflect.Value {
	return map[string]reflect.Value{
		"Print": reflect.ValueOf(func(a ...any) (int, error) { return fmt.Fprint(*stdout, a...) }),
		"Printf": reflect.ValueOf(func(f string, a ...any) (int, error) {
			f, a = box.Args(f, a)
			return fmt.Fprintf(*stdout, f, a...)
		}),
		"Println": reflect.ValueOf(func(a ...any) (int, error) { return fmt.Fprintln(*stdout, a...) }),
		"Fprintf": reflect.ValueOf(func(w io.Writer, f string, a ...any) (int, error) {
			f, a = box.Args(f, a)
			return fmt.Fprintf(w, f, a...)
		}),
		"Sprintf": reflect.ValueOf(func(f string, a ...any) string {
			f, a = box.Args(f, a)
			return fmt.Sprintf(f, a...)
		}),
		"Errorf": reflect.ValueOf(func(f string, a ...any) error {
			f, a = box.Args(f, a)
			return fmt.Errorf(f, a...)
		}),
	}
}
