package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/idelchi/aura/internal/lab"
)

const (
	// acpStarts is how many processes of each kind are started, in turn, to time their first prompt.
	acpStarts = 25
	// acpPrompts is how many further prompts are timed in each of acpRounds sessions.
	acpPrompts, acpRounds = 100, 3
)

// acp compares the time from a prompt to the first piece of its answer in an editor with that of aura run --json: of a prompt with which
// aura is started, and of further prompts.
func (l *bench) acp(ctx context.Context) error {
	project := filepath.Join(l.Dir, "acp")
	if err := lab.WriteFiles(project, map[string]string{
		".aura/config/providers/bench.yaml": "bench: {type: script, file: talk.yaml}\n",
		".aura/config/talk.yaml":            "model: {name: scripted, context_length: 1000000}\nturns:\n  - {text: Answer.}\n",
	}); err != nil {
		return err
	}
	var first, further [2][]time.Duration
	for i := range acpStarts {
		prompts := 1
		if i < acpRounds {
			prompts += acpPrompts
		}
		for kind, measure := range []func(context.Context, string, int) ([]time.Duration, error){l.jsonTimes, l.acpTimes} {
			times, err := measure(ctx, project, prompts)
			if err != nil {
				return err
			}
			if len(times) != prompts {
				return fmt.Errorf("%d of %d prompts were answered", len(times), prompts)
			}
			first[kind], further[kind] = append(first[kind], times[0]), append(further[kind], times[1:]...)
		}
	}
	row := func(what, wanted string, times [2][]time.Duration) []string {
		a, b := middle(times[0]), middle(times[1])
		millis := func(d time.Duration) string { return fmt.Sprintf("%.2f ms", float64(d.Microseconds())/1e3) }
		return []string{what, millis(a), millis(b), fmt.Sprintf("%.2f", float64(b)/float64(a)), wanted}
	}
	l.table("An editor: prompt to first update (medians)", [][]string{
		{"what", "aura run --json", "aura acp", "ratio", "wanted"},
		row("first prompt, with the start of aura", "≤ 1.2", first),
		row("further prompts", "", further),
	})
	return nil
}

// piped starts aura in a project, with pipes.
func (l *bench) piped(ctx context.Context, project string, args ...string) (cmd *exec.Cmd, in io.WriteCloser, out *bufio.Scanner, err error) {
	cmd = exec.CommandContext(ctx, l.Bin("aura"), args...)
	cmd.Dir, cmd.Stderr = project, os.Stderr
	cmd.Env = append(os.Environ(), "AURA_TRUST=1", "XDG_STATE_HOME="+filepath.Join(l.Dir, "acp-state"), "HOME="+l.Dir)
	if in, err = cmd.StdinPipe(); err != nil {
		return nil, nil, nil, err
	}
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		return nil, nil, nil, err
	}
	out = bufio.NewScanner(pipe)
	out.Buffer(nil, 16<<20)
	return cmd, in, out, cmd.Start()
}

// jsonTimes times aura run --json: the first prompt from the start of aura, and further prompts from the end of the one before.
func (l *bench) jsonTimes(ctx context.Context, project string, prompts int) ([]time.Duration, error) {
	args := []string{"run", "--json"}
	for i := range prompts {
		args = append(args, fmt.Sprint("prompt ", i))
	}
	begun := time.Now()
	cmd, in, out, err := l.piped(ctx, project, args...)
	if err == nil {
		err = in.Close() // otherwise aura waits for a further prompt
	}
	if err != nil {
		return nil, err
	}
	var times []time.Duration
	for out.Scan() {
		line := out.Text()
		switch {
		case strings.HasPrefix(line, `{"type":"done"`):
			begun = time.Now()
		case strings.HasPrefix(line, `{"type":"delta"`) && !begun.IsZero():
			times = append(times, time.Since(begun))
			begun = time.Time{}
		}
	}
	return times, errors.Join(out.Err(), cmd.Wait())
}

// acpTimes times aura acp: the first prompt from the start of aura, and further prompts from before they are written.
func (l *bench) acpTimes(ctx context.Context, project string, prompts int) ([]time.Duration, error) {
	begun := time.Now()
	cmd, in, out, err := l.piped(ctx, project, "acp")
	if err != nil {
		return nil, err
	}
	ask := func(id int, method string, params any) error {
		line, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
		if err == nil {
			_, err = in.Write(append(line, '\n'))
		}
		return err
	}
	// until reads until a line begins or contains the text.
	until := func(text string) (string, error) {
		for out.Scan() {
			if strings.Contains(out.Text(), text) {
				return out.Text(), nil
			}
		}
		return "", fmt.Errorf("aura acp ended before %s: %w", text, errors.Join(out.Err(), io.ErrUnexpectedEOF))
	}
	err = errors.Join(ask(1, "initialize", map[string]any{"protocolVersion": 1}), ask(2, "session/new", map[string]any{"cwd": project, "mcpServers": []any{}}))
	if err != nil {
		return nil, err
	}
	line, err := until(`"id":2`)
	if err != nil {
		return nil, err
	}
	var opened struct{ Result struct{ SessionID string } }
	if err := json.Unmarshal([]byte(line), &opened); err != nil {
		return nil, err
	}
	var times []time.Duration
	for i := range prompts {
		prompt := map[string]any{"sessionId": opened.Result.SessionID, "prompt": []any{map[string]any{"type": "text", "text": fmt.Sprint("prompt ", i)}}}
		if i > 0 {
			begun = time.Now()
		}
		if err := ask(10+i, "session/prompt", prompt); err != nil {
			return nil, err
		}
		if _, err := until(`"agent_message_chunk"`); err != nil {
			return nil, err
		}
		times = append(times, time.Since(begun))
		if _, err := until(`"stopReason"`); err != nil {
			return nil, err
		}
	}
	if err := in.Close(); err != nil {
		return nil, err
	}
	for out.Scan() {
		continue // until aura has ended
	}
	return times, errors.Join(out.Err(), cmd.Wait())
}
