package sdk

import (
	"fmt"
	"io"
	"os"
	"strings"
)

// Log writes to the plugin's log. `aura plugins logs` shows the log, and `--debug` shows the lines as they are written.
var Log Logger

// Logger writes lines with a level. The arguments after the message are names and values in turn:
//
//	sdk.Log.Info("tests ran", "passed", 12, "failed", 1)
type Logger struct{ out io.Writer }

// NewLogger returns a Logger that writes to out. The zero Logger writes to standard error.
func NewLogger(out io.Writer) Logger { return Logger{out} }

// Debug writes a line for the plugin's author.
func (l Logger) Debug(msg string, args ...any) { l.line("debug", msg, args) }

// Info writes a line about normal work.
func (l Logger) Info(msg string, args ...any) { l.line("info", msg, args) }

// Warn writes a line about something unexpected.
func (l Logger) Warn(msg string, args ...any) { l.line("warn", msg, args) }

// Error writes a line about a failure.
func (l Logger) Error(msg string, args ...any) { l.line("error", msg, args) }

func (l Logger) line(level, msg string, args []any) {
	var b strings.Builder
	fmt.Fprintf(&b, "[%s] %s", level, msg)
	for i := 0; i < len(args); i += 2 {
		if i+1 == len(args) {
			fmt.Fprintf(&b, " %v", args[i])
			break
		}
		value := fmt.Sprint(args[i+1])
		if value == "" || strings.ContainsAny(value, " \t\n\"") {
			value = fmt.Sprintf("%q", value)
		}
		fmt.Fprintf(&b, " %v=%s", args[i], value)
	}
	// The line is written at once, so that lines of several goroutines do not mix. A line that cannot be written is lost: there is no
	// other place to report it.
	var out io.Writer = os.Stderr
	if l.out != nil {
		out = l.out
	}
	_, _ = io.WriteString(out, strings.ReplaceAll(b.String(), "\n", "\n    ")+"\n")
}
