package cli

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/idelchi/aura/internal/app/gate"
	"github.com/idelchi/aura/internal/base/build"
	"github.com/idelchi/aura/internal/base/plaintext"
	"github.com/idelchi/aura/internal/fleet"
	"github.com/idelchi/aura/internal/fleet/worker"
	"github.com/idelchi/aura/internal/system/machinepolicy"
	"github.com/idelchi/aura/internal/system/sandbox"
)

const workHelp = `Take tasks from the queue and run them, until the command is ended.

Each task runs in a workspace of its own in a child aura, with your configuration
(~/.aura, or --home and --config) and the usual sandbox. The configuration of a
workspace takes effect only if the batch trusts it and --allow-trusted is set. A
child sees few variables of yours and those that its batch names; --env limits which
ones batches may ask for.

At SIGTERM the worker takes no more tasks. Running tasks have --grace to finish; then
they are handed back, and another worker continues them after their last complete
step. If a worker is killed, others do so after 20 seconds.`

type workOptions struct {
	*fleetOptions

	slots      int
	name, dir  string
	env        []string
	localGit   bool
	trusted    bool
	grace      time.Duration
	untilEmpty bool
}

func newFleetWork(s streams, root *rootOptions, fo *fleetOptions) *cobra.Command {
	o := &workOptions{fleetOptions: fo}
	cmd := &cobra.Command{
		Use:   "work",
		Short: "Take tasks from the queue and run them",
		Long:  workHelp,
		Example: `  aura fleet work --slots 4 --env ANTHROPIC_API_KEY
  aura fleet work --server tls://queue.example.com:4222 --token-file token --pin sha256:…
  aura fleet work --until-empty`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context(), s, root) },
	}
	o.register(cmd)
	f := cmd.Flags()
	f.IntVar(&o.slots, "slots", 1, "tasks that run at once")
	f.StringVar(&o.name, "name", "", "name of this worker, unique in the fleet (default the host and a random number)")
	f.StringVar(&o.dir, "dir", "", "directory for workspaces (default fleet/work in aura's state directory)")
	f.StringSliceVar(&o.env, "env", nil, "variables that batches may ask for (repeatable; default all but AURA_*)")
	f.BoolVar(&o.localGit, "local-git", false, "let workspaces be cloned from this machine's disk (file: URLs)")
	f.BoolVar(&o.trusted, "allow-trusted", false, "let batches trust the configuration of workspaces, which can run programs outside of the sandbox")
	f.DurationVar(&o.grace, "grace", 30*time.Second, "time that running tasks have to finish at SIGTERM")
	f.BoolVar(&o.untilEmpty, "until-empty", false, "end when no task is left")
	return cmd
}

// maxSlots is the largest number of tasks that one worker runs at once.
const maxSlots = 1000

func (o *workOptions) run(ctx context.Context, s streams, root *rootOptions) error {
	if o.slots < 1 || o.slots > maxSlots {
		return usageError{fmt.Errorf("--slots %d: write 1 to %d", o.slots, maxSlots)}
	}
	if o.grace < 0 {
		return usageError{fmt.Errorf("--grace %s is negative", o.grace)}
	}
	for _, name := range o.env {
		if err := fleet.CheckVariable(name); err != nil {
			return usageError{fmt.Errorf("--env: %w", err)}
		}
	}
	options, err := o.worker(s, root)
	if err != nil {
		return err
	}
	q, err := o.open(ctx, s)
	if err != nil {
		return because(ctx, err)
	}
	defer q.Close()
	options.Queue = q
	s.interrupts.patient(o.grace + 15*time.Second)
	fmt.Fprintf(s.err, "worker %s: %s\n", options.ID, plaintext.Counted(o.slots, "slot"))
	return worker.Run(ctx, options)
}

// worker returns the options of the worker, without its queue.
func (o *workOptions) worker(s streams, root *rootOptions) (worker.Options, error) {
	self, err := os.Executable()
	if err != nil {
		return worker.Options{}, err
	}
	if o.dir == "" {
		if o.dir = fleetDir(s); o.dir == "" {
			return worker.Options{}, errors.New("looking for the state directory: HOME and XDG_STATE_HOME are not set; use --dir")
		}
		o.dir = filepath.Join(o.dir, "work")
	}
	if o.dir, err = filepath.Abs(o.dir); err != nil {
		return worker.Options{}, err
	}
	if err := outOfReach(o.dir); err != nil {
		return worker.Options{}, usageError{err}
	}
	host, id := workerName(o.name)
	if err := fleet.CheckName(id); err != nil {
		return worker.Options{}, usageError{fmt.Errorf("--name: %w", err)}
	}
	var args []string
	if root.flags.Changed("home") {
		home := root.home
		if home != "" {
			if home, err = filepath.Abs(home); err != nil {
				return worker.Options{}, err
			}
		}
		args = append(args, "--home="+home)
	}
	for _, dir := range root.configs {
		if dir, err = filepath.Abs(dir); err != nil {
			return worker.Options{}, err
		}
		args = append(args, "--config="+dir)
	}
	var mu sync.Mutex
	return worker.Options{
		ID: id, Host: host, Version: build.Version, Policy: policyNow, Slots: o.slots, Dir: o.dir, Aura: self, Args: args, Environ: s.environ, Offered: o.env,
		LocalGit: o.localGit, AllowTrusted: o.trusted, Grace: o.grace, UntilEmpty: o.untilEmpty, Trust: o.trust(s, root),
		Tell: func(text string) {
			mu.Lock()
			defer mu.Unlock()
			fmt.Fprintf(s.err, "%s %s\n", time.Now().Format(time.TimeOnly), oneLine(text, maxShown))
		},
	}, nil
}

// policyNow returns the hash of the policy of this machine as the next task finds it.
func policyNow() string {
	p, err := machinepolicy.Read()
	if err != nil {
		return "unusable"
	}
	return p.Hash()
}

// outOfReach returns an error if the tools of a task could write to the directories of other tasks, and to the repository from which
// the worker, outside of every sandbox, takes the patch.
func outOfReach(dir string) error {
	home, _ := os.UserHomeDir()
	task := filepath.Join(dir, "task")
	policy := sandbox.Default(sandbox.Place{Workdir: filepath.Join(task, "workspace"), Home: home, Temp: os.TempDir()}, sandbox.KindShell)
	if sandbox.Check(policy, dir, sandbox.Access{Write: []string{task}}) == nil {
		return fmt.Errorf("--dir %s: the sandbox lets tools write there, so that one task could change others; choose a directory outside of temporary directories and caches", dir)
	}
	return nil
}

// trust returns a function that consents to the files of a workspace as they are.
func (o *workOptions) trust(s streams, root *rootOptions) func(dir, state string) error {
	return func(dir, state string) error {
		c := root.configOptions(s)
		c.Workdir = dir
		c.Environ = append(slices.DeleteFunc(slices.Clone(s.environ), func(e string) bool { return strings.HasPrefix(e, "XDG_STATE_HOME=") }), "XDG_STATE_HOME="+state)
		var gate gate.Gate
		p, err := gate.Requests(c)
		if err != nil || len(p.Requests) == 0 {
			return err
		}
		_, err = gate.Agree(c, p, true)
		return err
	}
}

// workerName returns the name of this machine and of the worker.
func workerName(given string) (host, id string) {
	host, err := os.Hostname()
	if err != nil {
		host = "worker"
	}
	if given != "" {
		return host, given
	}
	var random [4]byte
	_, _ = rand.Read(random[:]) // it never fails
	readable := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' {
			return r
		}
		return '-'
	}, host)
	readable = strings.Trim(readable[:min(len(readable), 40)], "-")
	if readable == "" {
		readable = "worker"
	}
	return host, readable + "-" + hex.EncodeToString(random[:])
}
