//go:build unix

package worker_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/idelchi/aura/internal/fleet"
	"github.com/idelchi/aura/internal/fleet/queue"
	"github.com/idelchi/aura/internal/fleet/server"
	"github.com/idelchi/aura/internal/fleet/worker"
	"github.com/idelchi/aura/internal/lab/testneed"
)

// open starts a server and returns its queue.
func open(t *testing.T) *queue.Queue {
	t.Helper()
	s, err := server.Start(server.Options{Listen: "127.0.0.1:0", Dir: t.TempDir(), User: "aura", Token: "token"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	q, err := queue.Create(t.Context(), queue.Options{URL: s.URL(), User: "aura", Token: "token", Pins: []string{s.Pin()}}, queue.Shape{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(q.Close)
	return q
}

// submit queues a batch of tasks with the given ids.
func submit(t *testing.T, q *queue.Queue, limits fleet.Limits, task fleet.Task, ids ...string) {
	t.Helper()
	var tasks []fleet.Task
	for _, id := range ids {
		task.Version, task.Batch, task.ID, task.Prompts = fleet.Format, "b", id, []string{"do it"}
		tasks = append(tasks, task)
	}
	if _, err := q.Submit(t.Context(), "b", limits, tasks); err != nil {
		t.Fatal(err)
	}
}

// work runs a worker until no task is left, or until it tells something that contains the given text. Its tasks run a shell script in
// the place of aura. It returns what the worker told.
func work(t *testing.T, q *queue.Queue, script, until string) string {
	t.Helper()
	testneed.Program(t, "sh")
	aura := filepath.Join(t.TempDir(), "aura")
	if err := os.WriteFile(aura, []byte("#!/bin/sh\n"+script), 0o700); err != nil { //nolint:gosec // it is a program
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	told := make(chan string, 1000)
	err := worker.Run(ctx, worker.Options{
		Queue: q, ID: "worker", Slots: 1, LocalGit: true, Dir: t.TempDir(), Aura: aura, Environ: os.Environ(), UntilEmpty: true,
		Trust: func(string, string) error { return nil },
		Tell: func(text string) {
			told <- text
			if until != "" && strings.Contains(text, until) {
				cancel()
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	close(told)
	var out strings.Builder
	for text := range told {
		fmt.Fprintln(&out, text)
	}
	return out.String()
}

// result returns the result of a task.
func result(t *testing.T, q *queue.Queue, id string) (fleet.Result, bool) {
	t.Helper()
	r, ok, err := q.Result(t.Context(), "b", id)
	if err != nil {
		t.Fatal(err)
	}
	return r, ok
}

// TestSetAside runs a task that kills its process, and one that killed its workers. After three times it has a result with its last words.
func TestSetAside(t *testing.T) {
	t.Parallel()
	t.Run("process", func(t *testing.T) {
		t.Parallel()
		q := open(t)
		submit(t, q, fleet.Limits{}, fleet.Task{}, "a")
		told := work(t, q, `echo '{"type":"message","role":"assistant","content":"I dig too deep"}
{"type":"tool_call","name":"Bash","arguments":{"command":"dig"}}'; kill -9 $$`, "")
		r, _ := result(t, q, "a")
		if r.Status != fleet.StatusAside || r.Deaths != fleet.MaxDeaths || !strings.Contains(r.Error, "I dig too deep\ntool Bash {\"command\":\"dig\"}") {
			t.Errorf("got %+v\n%s", r, told)
		}
	})
	t.Run("worker", func(t *testing.T) {
		t.Parallel()
		q := open(t)
		submit(t, q, fleet.Limits{}, fleet.Task{}, "a")
		for n := range fleet.MaxDeaths {
			die(t, q, fmt.Sprintf("worker%d", n))
		}
		q.Publish("b.a", []byte(`{"type":"message","role":"assistant","content":"I try another way."}
{"type":"tool_call","name":"Bash","arguments":{"command":"dig deeper"}}
`))
		told := work(t, q, "echo the task must not run >&2; exit 1", "")
		r, _ := result(t, q, "a")
		if r.Status != fleet.StatusAside || r.Deaths != fleet.MaxDeaths || r.Class != fleet.ClassWorker || !strings.Contains(r.Error, "said by worker2\nI try another way.\ntool Bash {\"command\":\"dig deeper\"}") {
			t.Errorf("got %+v\n%s", r, told)
		}
	})
}

// die takes the next task as a worker that ends without a trace. The server offers the task again, as it does after the silence of a
// worker.
func die(t *testing.T, q *queue.Queue, name string) {
	t.Helper()
	offer, err := q.Next(t.Context(), time.Minute)
	if err != nil || offer == nil {
		t.Fatal(offer, err)
	}
	b, settled, err := offer.Settled(t.Context())
	if err != nil || settled {
		t.Fatal(settled, err)
	}
	claim, err := offer.Claim(t.Context(), name, b)
	if err != nil {
		t.Fatal(err)
	}
	claim.Progress.Words = "said by " + name
	if err := claim.Save(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := offer.Later(0); err != nil {
		t.Fatal(err)
	}
}

// spends is a task that uses 60 tokens and half a dollar.
const spends = `echo '{"type":"done","stats":{"tokens_in":50,"tokens_out":10},"cost_usd":0.5}'`

// TestSpent runs batches whose limits of tokens and cost are reached by the second of three tasks.
func TestSpent(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		batch fleet.Limits
		all   fleet.Limits
	}{
		{"tokens of a batch", fleet.Limits{Tokens: 100, Stop: true}, fleet.Limits{}},
		{"cost of a batch", fleet.Limits{CostUSD: 0.9, Stop: true}, fleet.Limits{}},
		{"tokens of the fleet", fleet.Limits{}, fleet.Limits{Tokens: 100, Stop: true}},
		{"cost of the fleet, and the rest waits", fleet.Limits{}, fleet.Limits{CostUSD: 0.9}},
		{"cost of a batch, and the rest waits", fleet.Limits{CostUSD: 0.9}, fleet.Limits{}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			q := open(t)
			if err := q.SetFleetLimits(t.Context(), test.all); err != nil {
				t.Fatal(err)
			}
			submit(t, q, test.batch, fleet.Task{}, "a", "b", "c")
			told := work(t, q, spends, "so tasks wait")
			for _, id := range []string{"a", "b"} {
				if r, _ := result(t, q, id); r.Status != fleet.StatusDone || r.Tokens != 60 || r.CostUSD != 0.5 {
					t.Errorf("%s: %+v", id, r)
				}
			}
			if r, ended := result(t, q, "c"); test.batch.Stop || test.all.Stop {
				if r.Status != fleet.StatusLimit || !strings.Contains(r.Error, "is reached: it has used 120 tokens and 1.00 US dollars") {
					t.Errorf("got %+v\n%s", r, told)
				}
				return
			} else if ended || !strings.Contains(told, "so tasks wait") {
				t.Errorf("got %+v\n%s", r, told)
			}
			if n, err := q.Waiting(t.Context()); err != nil || n != 1 {
				t.Errorf("%d tasks wait, %v", n, err)
			}
		})
	}
}

// TestTooLarge runs a task that changes more than a result can hold. It fails, and names the file that was not collected.
func TestTooLarge(t *testing.T) {
	t.Parallel()
	testneed.Long(t)
	testneed.Program(t, "git")
	q := open(t)
	submit(t, q, fleet.Limits{}, fleet.Task{Collect: []string{"big", "small"}}, "a")
	told := work(t, q, fmt.Sprintf("echo small >small; head -c %d /dev/zero | tr '\\0' a >big\n%s", fleet.MaxBlob+1, spends), "")
	r, _ := result(t, q, "a")
	if r.Status != fleet.StatusFailed || r.Class != fleet.ClassTooLarge || !strings.Contains(r.Error, "more than 64 MiB") {
		t.Errorf("got %+v\n%s", r, told)
	}
	if len(r.Files) != 1 || r.Files[0].Path != "small" || !strings.Contains(strings.Join(r.Notes, "\n"), "big is left out") {
		t.Errorf("files %+v, notes %q", r.Files, r.Notes)
	}
}

// TestCache runs two tasks. The second has what the first computed for all sessions, and nothing else of its state.
func TestCache(t *testing.T) {
	t.Parallel()
	q := open(t)
	submit(t, q, fleet.Limits{}, fleet.Task{Collect: []string{"seen"}}, "a", "b")
	work(t, q, `(cd "$XDG_STATE_HOME" 2>/dev/null && find . -type f) >seen
mkdir -p "$XDG_STATE_HOME/aura/cache/deep" "$XDG_STATE_HOME/aura/projects"
echo 1 >"$XDG_STATE_HOME/aura/cache/deep/answer"
ln -s answer "$XDG_STATE_HOME/aura/cache/deep/link"
echo 2 >"$XDG_STATE_HOME/aura/projects/own"
`, "")
	for id, want := range map[string]string{"a": "", "b": "./aura/cache/deep/answer\n"} {
		r, _ := result(t, q, id)
		if len(r.Files) != 1 {
			t.Fatalf("%s: %+v", id, r)
		}
		if got, err := q.Blob(t.Context(), r.Files[0].Blob); err != nil || string(got) != want {
			t.Errorf("%s: got %q, %v", id, got, err)
		}
	}
}

// TestPromptsAreHidden runs a task with several prompts. They are on the child's standard input, not on its command line.
func TestPromptsAreHidden(t *testing.T) {
	t.Parallel()
	q := open(t)
	task := fleet.Task{Version: fleet.Format, Batch: "b", ID: "a", Prompts: []string{"first\n<b>", "second \"one\""}, Collect: []string{"args", "input"}}
	if _, err := q.Submit(t.Context(), "b", fleet.Limits{}, []fleet.Task{task}); err != nil {
		t.Fatal(err)
	}
	work(t, q, `echo "$@" >args; cat >input`, "")
	r, _ := result(t, q, "a")
	got := map[string]string{}
	for _, f := range r.Files {
		data, err := q.Blob(t.Context(), f.Blob)
		if err != nil {
			t.Fatal(err)
		}
		got[f.Path] = string(data)
	}
	if args := got["args"]; strings.Contains(args, "first") || strings.Contains(args, "second") || !strings.Contains(args, "--prompts-file=-") {
		t.Errorf("the command line is %q", args)
	}
	var prompts []string
	for line := range strings.Lines(got["input"]) {
		var text string
		if err := json.Unmarshal([]byte(line), &text); err != nil {
			t.Fatal(err)
		}
		prompts = append(prompts, text)
	}
	if !slices.Equal(prompts, task.Prompts) {
		t.Errorf("the prompts are %q", prompts)
	}
}

// TestTrustNeedsPermission submits a task that trusts its workspace. A worker without permission runs nothing of it.
func TestTrustNeedsPermission(t *testing.T) {
	t.Parallel()
	q := open(t)
	submit(t, q, fleet.Limits{}, fleet.Task{Trust: strings.Repeat("ab", 32)}, "a")
	work(t, q, "echo the task must not run >&2; exit 1", "")
	if r, _ := result(t, q, "a"); r.Status != fleet.StatusFailed || r.Class != fleet.ClassTrust || !strings.Contains(r.Error, "--allow-trusted") {
		t.Errorf("got %+v", r)
	}
}

// TestAnswered takes over tasks that were answered before their worker ended. Nothing is run: the result is made from the journal,
// whatever this worker would not run.
func TestAnswered(t *testing.T) {
	t.Parallel()
	const journal = `{"meta":{"id":"x","provider":"p","model":"m"}}
{"message":{"role":"user","content":"do it"}}
{"message":{"role":"assistant","content":"all is well"}}
{"end":{"reason":"interrupted","stats":{"tokens_in":50,"tokens_out":10,"models":[{"provider":"p","model":"m","tokens_in":50,"tokens_out":10,"cost_usd":0.5}]}}}
`
	tests := []struct {
		name     string
		task     fleet.Task
		progress fleet.Progress
		at       fleet.Checkpoint
		status   fleet.Status
		class    string
	}{
		{"plain", fleet.Task{}, fleet.Progress{}, fleet.Checkpoint{Done: 1}, fleet.StatusDone, ""},
		{"too many deaths", fleet.Task{}, fleet.Progress{Deaths: fleet.MaxDeaths}, fleet.Checkpoint{Done: 1}, fleet.StatusDone, ""},
		{"a variable that the worker lacks", fleet.Task{Env: []string{"AN_UNKNOWN_VARIABLE"}}, fleet.Progress{}, fleet.Checkpoint{Done: 1}, fleet.StatusDone, ""},
		{"trust that the worker does not permit", fleet.Task{Trust: strings.Repeat("ab", 32)}, fleet.Progress{}, fleet.Checkpoint{Done: 1}, fleet.StatusDone, ""},
		{"no time left", fleet.Task{Bounds: fleet.Bounds{Timeout: time.Second}}, fleet.Progress{Used: time.Minute}, fleet.Checkpoint{Done: 1}, fleet.StatusDone, ""},
		{"an earlier prompt failed", fleet.Task{}, fleet.Progress{}, fleet.Checkpoint{Done: 1, Failed: "no such model", Class: "auth"}, fleet.StatusFailed, "auth"},
		{"its cost is used up, and a prompt is left", fleet.Task{Bounds: fleet.Bounds{CostUSD: 0.5}}, fleet.Progress{}, fleet.Checkpoint{Begun: true}, fleet.StatusLimit, fleet.ClassLimit},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			q := open(t)
			submit(t, q, fleet.Limits{}, test.task, "a")
			claim := claimNext(t, q)
			blob, err := q.PutBlob(t.Context(), "journal", []byte(journal))
			if err != nil {
				t.Fatal(err)
			}
			claim.Progress.Deaths, claim.Progress.Used = test.progress.Deaths, test.progress.Used
			test.at.Session, test.at.Journal, test.at.Requests = "00000000-0000-0000-0000-000000000000", blob, 2
			if err := errors.Join(claim.Checkpoint(t.Context(), test.at), claim.Return(t.Context(), 0)); err != nil {
				t.Fatal(err)
			}
			told := work(t, q, "echo the task must not run >&2; exit 1", "")
			r, _ := result(t, q, "a")
			if r.Status != test.status || r.Class != test.class || r.Error != test.at.Failed && test.class != fleet.ClassLimit || r.Final != "all is well" || r.Tokens != 60 || r.CostUSD != 0.5 || r.Requests != 2 || r.Model != "m" {
				t.Errorf("got %+v\n%s", r, told)
			}
		})
	}
}

// claimNext takes the next task.
func claimNext(t *testing.T, q *queue.Queue) *queue.Claim {
	t.Helper()
	offer, err := q.Next(t.Context(), time.Minute)
	if err != nil || offer == nil {
		t.Fatal(offer, err)
	}
	b, _, err := offer.Settled(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	claim, err := offer.Claim(t.Context(), "first", b)
	if err != nil {
		t.Fatal(err)
	}
	return claim
}

// TestChangedBase continues a task after its branch moved on. The patch of the first attempt is for the commit before, so the task
// continues there.
func TestChangedBase(t *testing.T) {
	t.Parallel()
	testneed.Program(t, "git")
	dir := t.TempDir()
	commit := func(content string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, "f"), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{{"init", "--quiet", "--initial-branch=main"}, {"config", "uploadpack.allowAnySHA1InWant", "true"}, {"add", "."}, {"-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "-m", "x"}} {
			if out, err := exec.Command("git", append([]string{"-C", dir}, args...)...).CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
		}
	}
	commit("before\n")
	q := open(t)
	submit(t, q, fleet.Limits{}, fleet.Task{Workspace: fleet.Workspace{Git: "file://" + dir, Ref: "main"}, Collect: []string{"f"}}, "a")
	const session = "00000000-0000-0000-0000-000000000000"
	claim := claimNext(t, q)
	out, err := exec.Command("git", "-C", dir, "rev-parse", "HEAD").Output()
	if err != nil {
		t.Fatal(err)
	}
	patch, err := q.PutBlob(t.Context(), "patch", []byte("diff --git a/f b/f\nindex 1..2 100644\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n-before\n+changed\n"))
	if err != nil {
		t.Fatal(err)
	}
	journal, err := q.PutBlob(t.Context(), "journal", []byte("{\"meta\":{\"id\":\"x\"}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	if err := claim.Checkpoint(t.Context(), fleet.Checkpoint{Session: session, Base: strings.TrimSpace(string(out)), Patch: patch, Journal: journal}); err != nil {
		t.Fatal(err)
	}
	if err := claim.Return(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	commit("after\n")
	told := work(t, q, "exit 0", "")
	r, _ := result(t, q, "a")
	if r.Status != fleet.StatusDone || len(r.Files) != 1 {
		t.Fatalf("got %+v\n%s", r, told)
	}
	if data, err := q.Blob(t.Context(), r.Files[0].Blob); err != nil || string(data) != "changed\n" {
		t.Errorf("the file is %q, %v", data, err)
	}
}
