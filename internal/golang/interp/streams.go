package interp

import (
	"go/constant"
	"io"
	"log"
	"maps"
	"math/bits"
	"os"
	"reflect"
	"slices"

	"github.com/traefik/yaegi/interp"
)

// streams holds the destinations of a plugin's output. The standard output of the process itself carries the handshake.
type streams struct {
	name           string
	stdout, stderr *os.File
}

// symbols returns replacements for symbols that print or depend on the process. It also returns the number of bits in a uint,
// because the tables may have been generated on another machine.
func (s streams) symbols(src *source) interp.Exports {
	out := interp.Exports{"math/bits//bits": {"UintSize": reflect.ValueOf(constant.MakeInt64(bits.UintSize))}}
	stdout, stderr, args := s.stdout, s.stderr, []string{s.name}
	out["fmt//fmt"] = fmtSymbols(&stdout)
	out["os//os"] = map[string]reflect.Value{
		"Stdout": reflect.ValueOf(&stdout).Elem(),
		"Stderr": reflect.ValueOf(&stderr).Elem(),
		"Args":   reflect.ValueOf(&args).Elem(),
	}
	switch {
	case !slices.Contains(src.standard, "log"):
	case src.Unsafe:
		out["log//log"] = logSymbols(log.New(s.stderr, "", log.LstdFlags), log.New)
	default:
		out["log//log"] = logSymbols(newSafeLogger(s.stderr, "", log.LstdFlags), newSafeLogger)
	}
	maps.Copy(out, stackSymbols(src, s.stderr))
	// The interpreter treats a replacement like the original.
	out["."] = behind(out)
	return out
}

// logger contains the methods that the safe mode logger shares with log.Logger.
type logger interface {
	Fatal(v ...any)
	Fatalf(format string, v ...any)
	Fatalln(v ...any)
	Flags() int
	Output(calldepth int, s string) error
	Panic(v ...any)
	Panicf(format string, v ...any)
	Panicln(v ...any)
	Prefix() string
	Print(v ...any)
	Printf(format string, v ...any)
	Println(v ...any)
	SetFlags(flag int)
	SetOutput(w io.Writer)
	SetPrefix(prefix string)
	Writer() io.Writer
}

// logSymbols returns the symbols of package log with l as the standard logger and create as its constructor.
func logSymbols[L logger](l L, create func(out io.Writer, prefix string, flag int) L) map[string]reflect.Value {
	return map[string]reflect.Value{
		"Logger": reflect.Zero(reflect.TypeFor[L]()), "New": reflect.ValueOf(create),
		"Default": reflect.ValueOf(func() L { return l }),
		"Fatal":   reflect.ValueOf(l.Fatal), "Fatalf": reflect.ValueOf(l.Fatalf), "Fatalln": reflect.ValueOf(l.Fatalln),
		"Panic": reflect.ValueOf(l.Panic), "Panicf": reflect.ValueOf(l.Panicf), "Panicln": reflect.ValueOf(l.Panicln),
		"Print": reflect.ValueOf(l.Print), "Printf": reflect.ValueOf(l.Printf), "Println": reflect.ValueOf(l.Println),
		"Flags": reflect.ValueOf(l.Flags), "SetFlags": reflect.ValueOf(l.SetFlags),
		"Prefix": reflect.ValueOf(l.Prefix), "SetPrefix": reflect.ValueOf(l.SetPrefix),
		"Writer": reflect.ValueOf(l.Writer), "SetOutput": reflect.ValueOf(l.SetOutput),
		"Output": reflect.ValueOf(l.Output),
	}
}

// safeLogger panics instead of exiting the process.
type safeLogger struct{ log.Logger }

func newSafeLogger(out io.Writer, prefix string, flag int) *safeLogger {
	l := &safeLogger{}
	l.SetOutput(out)
	l.SetPrefix(prefix)
	l.SetFlags(flag)
	return l
}

// Fatal panics after printing.
func (l *safeLogger) Fatal(v ...any) { l.Panic(v...) }

// Fatalf panics after printing.
func (l *safeLogger) Fatalf(format string, v ...any) { l.Panicf(format, v...) }

// Fatalln panics after printing.
func (l *safeLogger) Fatalln(v ...any) { l.Panicln(v...) }
