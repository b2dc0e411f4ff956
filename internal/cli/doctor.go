package cli

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/idelchi/aura/internal/base/plaintext"
	"github.com/idelchi/aura/internal/cli/doctor"
	"github.com/idelchi/aura/internal/settings/config"
)

const doctorHelp = `Check whether aura can work on this machine and in this directory:

  programs       aura, aura-plugin-host and aura-tool-host, and whether they belong together
  system         the kernel
  policy         the policy of this machine, if there is one
  sandbox        what the kernel enforces, found by confining a process
  tools          git, Go and Python, which aura can do without
  configuration  files that cannot be read, and settings that have no effect
  plugins        what 'aura plugins check' finds in the plugins in use
  providers      whether each provider answers; aura asks for its models
  disk           free space, and whether aura can write its state
  terminal       what aura knows of your terminal

Each problem comes with what to do. aura sends nothing to the providers of a
directory that you do not trust, and starts none of its plugins.

The exit code is 1 if there are errors. Warnings alone do not change it.`

// doctorTimeout is how long a provider or a program may take to answer.
const doctorTimeout = 5 * time.Second

func newDoctor(s streams, root *rootOptions) *cobra.Command {
	var asJSON bool
	var timeout time.Duration
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check whether aura can work on this machine and in this directory",
		Long:  doctorHelp,
		Example: `  aura doctor
  aura doctor --json
  aura doctor --timeout 30s`,
		Args: func(cmd *cobra.Command, args []string) error {
			if timeout <= 0 {
				return usageError{fmt.Errorf("--timeout %s is not positive", timeout)}
			}
			return noArgs(cmd, args)
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			session, err := root.appOptions(s)
			if err != nil {
				return err
			}
			session.Gate = root.quietGate() // the report contains the notices of the gate
			report, err := doctor.Run(cmd.Context(), doctor.Options{Session: session, Terminal: terminalOf(s), Timeout: timeout})
			if err != nil {
				return because(cmd.Context(), err)
			}
			if err := writeReport(s.out, report, asJSON); err != nil {
				return err
			}
			if report.Status == doctor.Error {
				return errShown
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write a JSON object")
	cmd.Flags().DurationVar(&timeout, "timeout", doctorTimeout, "how long each provider and each program may take")
	return cmd
}

func terminalOf(s streams) doctor.Terminal {
	name, _ := config.Lookup(s.environ, "TERM")
	plain, _ := config.Lookup(s.environ, "NO_COLOR")
	t := doctor.Terminal{In: isTerminal(s.in), Out: isTerminal(s.out), Err: isTerminal(s.err), Name: name, Plain: plain != ""}
	if width, _, err := term.GetSize(int(os.Stdout.Fd())); err == nil && t.Out {
		t.Columns = width
	}
	return t
}

// writeReport shows each check on a line, and its remedy on the next line.
func writeReport(w io.Writer, r doctor.Report, asJSON bool) error {
	if asJSON {
		return writeJSON(w, r)
	}
	area := ""
	for _, c := range r.Checks {
		if c.Area != area {
			if area != "" {
				fmt.Fprintln(w)
			}
			area = c.Area
			fmt.Fprintln(w, area)
		}
		fmt.Fprintf(w, "  %-8s %s: %s\n", c.Status, oneLine(c.Name, maxCell), strings.ReplaceAll(clean(c.Detail), "\n", "\n           "))
		if c.Remedy != "" && (c.Status == doctor.Warning || c.Status == doctor.Error) {
			fmt.Fprintf(w, "           fix: %s\n", clean(c.Remedy))
		}
	}
	fmt.Fprintf(w, "\n%s, %s\n", plaintext.Counted(r.Count(doctor.Error), "error"), plaintext.Counted(r.Count(doctor.Warning), "warning"))
	return nil
}
