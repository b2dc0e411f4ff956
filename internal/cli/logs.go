package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/idelchi/aura/internal/app/inspect"
	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/base/plaintext"
)

// followInterval is how often a followed log is polled. Plugins write rarely and people read slowly.
const followInterval = 200 * time.Millisecond

func newPluginsLogs(s streams, root *rootOptions) *cobra.Command {
	var follow, asJSON bool
	cmd := &cobra.Command{
		Use:   "logs NAME",
		Short: "Print the output of a plugin",
		Long: `Print what a plugin has written to standard output, standard error and its
logger, in all sessions, each line with its time in UTC. 'aura paths' shows the
directory of logs. The size of a log is limited; aura keeps one older log.`,
		Example: `  aura plugins logs notepad
  aura plugins logs notepad -f
  aura plugins logs notepad --json`,
		Args: exactArgs("NAME"),
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := root.list(s)
			if err != nil {
				return err
			}
			path, err := inspect.PluginLog(cfg, args[0])
			if err != nil {
				return err
			}
			if asJSON {
				lines := &jsonLines{out: s.out}
				return errors.Join(printLog(cmd.Context(), lines, path, args[0], follow), lines.end())
			}
			return printLog(cmd.Context(), s.out, path, args[0], follow)
		},
		ValidArgsFunction: pluginNames(s, root),
	}
	cmd.Flags().BoolVarP(&follow, "follow", "f", false, "keep printing new lines until interrupted")
	cmd.Flags().BoolVar(&asJSON, "json", false, "write a JSON object per line, with its time and text")
	return cmd
}

// printLog prints the older log and the current one. If follow is set, it also prints new output.
func printLog(ctx context.Context, w io.Writer, path, name string, follow bool) error {
	for _, p := range []string{path + ".1", path} {
		f, err := files.OpenNoFollow(p, os.O_RDONLY, 0)
		if errors.Is(err, fs.ErrNotExist) {
			if _, machine := w.(*jsonLines); p == path && !follow && !machine {
				fmt.Fprintf(w, "plugin %q has no log yet\n", name)
			}
			continue
		}
		if err != nil {
			return fmt.Errorf("opening the log of plugin %q: %w", name, err)
		}
		cleaner := &plaintext.Cleaner{Visible: true}
		if err = skipTo(w, f, p); err == nil {
			err = copyClean(w, f, cleaner)
		}
		if p == path && follow && err == nil {
			err = followLog(ctx, w, f, path, cleaner)
		}
		if err := errors.Join(err, f.Close()); err != nil {
			return fmt.Errorf("reading the log of plugin %q: %w", name, err)
		}
		if p == path {
			return nil
		}
	}
	if follow {
		return waitForLog(ctx, w, path, name)
	}
	return nil
}

// longestLog is how much of a log is printed, in bytes. aura keeps less, so a longer log was not written by aura.
const longestLog = 16 << 20

// skipTo skips the beginning of a log that is too long, and reports how much was skipped.
func skipTo(w io.Writer, f *os.File, path string) error {
	info, err := f.Stat()
	if err != nil || info.Size() <= longestLog {
		return err
	}
	if _, err := f.Seek(-longestLog, io.SeekEnd); err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "(%s: the first %d bytes are left out)\n", clean(path), info.Size()-longestLog)
	return err
}

// waitForLog waits for a log that does not exist yet, and then follows it.
func waitForLog(ctx context.Context, w io.Writer, path, name string) error {
	for tick(ctx) {
		if _, err := os.Stat(path); err == nil {
			return printLog(ctx, w, path, name, true)
		}
	}
	return context.Cause(ctx)
}

// followLog prints text that is appended to the log, and starts over if the log was rotated.
func followLog(ctx context.Context, w io.Writer, f *os.File, path string, cleaner *plaintext.Cleaner) error {
	current := f
	defer func() {
		if current != f {
			_ = current.Close()
		}
	}()
	for tick(ctx) {
		if err := copyClean(w, current, cleaner); err != nil {
			return err
		}
		next, err := files.OpenNoFollow(path, os.O_RDONLY, 0)
		if err != nil {
			continue
		}
		a, err1 := current.Stat()
		b, err2 := next.Stat()
		if err1 != nil || err2 != nil || os.SameFile(a, b) {
			_ = next.Close()
			continue
		}
		if current != f {
			_ = current.Close()
		}
		current = next
	}
	return context.Cause(ctx)
}

func tick(ctx context.Context) bool {
	timer := time.NewTimer(followInterval)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// copyClean copies text without sequences that could control a terminal. The cleaner remembers how the previous text ended.
func copyClean(w io.Writer, r io.Reader, cleaner *plaintext.Cleaner) error {
	in := bufio.NewReaderSize(r, 64<<10)
	for {
		line, err := in.ReadSlice('\n')
		if len(line) > 0 {
			if _, werr := io.WriteString(w, cleaner.Next(string(line))); werr != nil {
				return werr
			}
		}
		switch {
		case err == nil, errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF):
			return nil
		default:
			return err
		}
	}
}
