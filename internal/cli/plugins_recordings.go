package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/idelchi/aura/internal/agent/session"
	"github.com/idelchi/aura/internal/app/inspect"
	"github.com/idelchi/aura/internal/author/recording"
	"github.com/idelchi/aura/internal/base/plaintext"
	"github.com/idelchi/aura/internal/base/redact"
	"github.com/idelchi/aura/internal/settings/setup"
)

const recordingsHelp = `List the recordings of the project's sessions, the calls of one recording, or the input
and output of one call. RECORDING is a file, or a session that was recorded with
'aura run --record': its id, its name or its title. RECORDING@N is call N of it.

Of a call, at most the last 1 MiB of the lists of its context are shown. 'aura plugins
call --from RECORDING@N --template' prints the whole input.`

type recordingsOptions struct{ json, all bool }

func newPluginsRecordings(s streams, root *rootOptions) *cobra.Command {
	o := &recordingsOptions{}
	cmd := &cobra.Command{
		Use:   "recordings [RECORDING[@N]]",
		Short: "List recordings, their calls, and what went in and out of a call",
		Long:  recordingsHelp,
		Example: `  aura plugins recordings --all
  aura plugins recordings 01a1
  aura plugins recordings 01a1@3
  aura plugins recordings 01a1@3 --json`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usageError{fmt.Errorf("%s takes at most one RECORDING; quote a title with spaces", cmd.CommandPath())}
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			l, err := root.list(s)
			if err != nil {
				return err
			}
			secrets := setup.Secrets(l.Config, nil)
			if len(args) == 0 {
				dirs := []string{l.State.Sessions()}
				if o.all {
					dirs = l.State.AllSessions()
				}
				return secrets.Error(o.files(s, dirs, secrets))
			}
			word, n, err := callNumber(args[0])
			if err != nil {
				return err
			}
			path, _, err := findRecording(l.Config, word)
			if err != nil {
				return secrets.Error(err)
			}
			x := recording.NewIndex(path)
			if err := x.Update(); err != nil {
				return secrets.Error(usageError{err})
			}
			if n == 0 {
				return secrets.Error(o.calls(s, x))
			}
			return secrets.Error(o.call(s, x, n, secrets))
		},
		ValidArgsFunction: first(sessionIDs(s, root)),
	}
	cmd.Flags().BoolVar(&o.json, "json", false, "write JSON")
	cmd.Flags().BoolVar(&o.all, "all", false, "list the recordings of every project")
	return cmd
}

// callNumber splits RECORDING@N; without @N the number is 0. The path of a file may have the sign, too.
func callNumber(word string) (recorded string, n int, err error) {
	i := strings.LastIndexByte(word, '@')
	if i <= 0 || strings.ContainsRune(word[i:], filepath.Separator) || filepath.Ext(word[i:]) == recording.Ext {
		return word, 0, nil
	}
	if n, err = strconv.Atoi(word[i+1:]); err != nil || n < 1 {
		return "", 0, usageError{fmt.Errorf("%s: write it as RECORDING@N, where N is the number of the call", word)}
	}
	return word[:i], n, nil
}

// files lists the recordings of sessions.
func (o *recordingsOptions) files(s streams, dirs []string, secrets *redact.Redactor) error {
	list, err := session.List(dirs...)
	if err != nil {
		return err
	}
	found := inspect.RecordingRows(list, secrets)
	if o.json {
		return writeJSON(s.out, found)
	}
	if len(found) == 0 {
		fmt.Fprintln(s.out, "no session has a recording; `aura run --record` makes one")
		return nil
	}
	rows := [][]string{{"SESSION", "SIZE", "CHANGED", "REPLAYED", "TITLE"}}
	for _, r := range found {
		replayed := "-"
		if !r.ReplayedAt.IsZero() {
			replayed = r.ReplayedAt.Local().Format(time.DateTime)
		}
		rows = append(rows, []string{r.Session, strconv.FormatInt(r.Bytes, 10), r.ChangedAt.Local().Format(time.DateTime), replayed, dash(oneLine(r.Title, maxCell))})
	}
	table(s.out, rows)
	return nil
}

// calls lists the calls of a recording.
func (o *recordingsOptions) calls(s streams, x *recording.Index) error {
	for _, note := range x.Notes() {
		fmt.Fprintf(s.err, "! %s\n", note)
	}
	if o.json {
		return writeJSON(s.out, append([]recording.Head{}, x.Heads()...))
	}
	rows := [][]string{{"CALL", "TURN", "PLUGIN", "POINT", "NAME", "TOOK", "RESULT"}}
	for _, h := range x.Heads() {
		rows = append(rows, []string{
			strconv.Itoa(h.N), strconv.Itoa(h.Turn), oneLine(h.Plugin, maxCell), oneLine(h.Point, maxCell), dash(oneLine(h.Name, maxCell)), h.Took.Round(time.Microsecond).String(), h.Outcome(),
		})
	}
	table(s.out, rows)
	return nil
}

// call shows one call. Secrets were removed when it was recorded; those that are known now are removed, too.
func (o *recordingsOptions) call(s streams, x *recording.Index, n int, secrets *redact.Redactor) error {
	if n > len(x.Heads()) {
		return usageError{fmt.Errorf("the recording has the calls 1 to %d", len(x.Heads()))}
	}
	whole, err := x.Call(n)
	if err != nil {
		return err
	}
	raw, err := json.Marshal(whole)
	if err != nil {
		return err
	}
	raw = secrets.JSON(raw)
	if o.json {
		return writeJSON(s.out, json.RawMessage(raw))
	}
	var shown struct {
		Input, Output json.RawMessage
		Without       map[string]int
		Failure       string
	}
	if err := json.Unmarshal(raw, &shown); err != nil {
		return err
	}
	fmt.Fprintf(s.out, "call %d, turn %d: %s of %s, took %s\n", n, whole.Turn, clean(strings.TrimSpace(whole.Point+" "+whole.Name)), clean(whole.Plugin), whole.Took.Round(time.Microsecond))
	for _, name := range slices.Sorted(maps.Keys(shown.Without)) {
		fmt.Fprintf(s.out, "%s: %d earlier entries are left out\n", clean(name), shown.Without[name])
	}
	for _, part := range []struct {
		name string
		text json.RawMessage
	}{{"input", shown.Input}, {"output", shown.Output}} {
		var out bytes.Buffer
		if len(part.text) == 0 || json.Indent(&out, plaintext.JSON(part.text), "", "  ") != nil {
			continue
		}
		fmt.Fprintf(s.out, "%s:\n%s\n", part.name, out.String())
	}
	if shown.Failure != "" {
		fmt.Fprintf(s.out, "failure: %s\n", clean(shown.Failure))
	}
	return nil
}
