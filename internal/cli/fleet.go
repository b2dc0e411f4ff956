package cli

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/base/plaintext"
	"github.com/idelchi/aura/internal/fleet"
	"github.com/idelchi/aura/internal/fleet/queue"
	"github.com/idelchi/aura/internal/settings/config"
)

const fleetHelp = `Run many tasks on many machines. A batch of tasks is submitted to a queue; workers
take tasks from it, wherever 'aura fleet work' is started, and store one result
for each.

The queue is NATS JetStream: 'aura fleet serve' runs it, or --server names an existing
cluster. Commands find the queue by --server or AURA_FLEET_SERVER, and prove who they are
by AURA_FLEET_USER and AURA_FLEET_TOKEN, by --token-file, or by --tls-cert. The server
proves first who it is: by the key that --pin or AURA_FLEET_PIN names, or by a
certificate. The user of 'aura fleet serve' needs nothing of it on the same machine.

Variables with secrets never travel through the queue: a batch names variables, and
the workers have them.`

const fleetExamples = `  aura fleet serve
  aura fleet work --slots 4
  aura fleet submit migration.yaml
  aura fleet status --watch
  aura fleet results migration --output results`

// fleetOptions holds the flags by which all commands of a fleet reach the queue.
type fleetOptions struct {
	server    string
	tokenFile string
	ca        string
	cert, key string
	pins      []string
	plaintext bool
}

func newFleet(s streams, root *rootOptions) *cobra.Command {
	o := &fleetOptions{}
	cmd := &cobra.Command{
		Use:     "fleet",
		Short:   "Run many tasks on many machines",
		Long:    fleetHelp,
		Example: fleetExamples,
		Args:    noArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(
		newFleetServe(s, o), newFleetSubmit(s, o), newFleetWork(s, root, o), newFleetStatus(s, o), newFleetResults(s, o), newFleetLogs(s, o),
		newFleetCancel(s, o), newFleetRetry(s, o), newFleetRm(s, o), newFleetLimits(s, o), newFleetManifest(s),
	)
	return cmd
}

// The defaults of the connection.
const (
	fleetURL  = "nats://127.0.0.1:4222"
	fleetUser = "aura"
)

// register adds the flags of the connection to a command.
func (o *fleetOptions) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.server, "server", "", "servers of the queue, separated by commas (default AURA_FLEET_SERVER, or "+fleetURL+")")
	f.StringVar(&o.tokenFile, "token-file", "", "file with the token (default AURA_FLEET_TOKEN, or the file of 'aura fleet serve')")
	f.StringSliceVar(&o.pins, "pin", nil, "key that the server must have, as 'aura fleet serve' prints it (repeatable; default AURA_FLEET_PIN, or the file of 'aura fleet serve')")
	f.BoolVar(&o.plaintext, "insecure-plaintext", false, "send the token unencrypted, to a server that does not prove its identity")
	f.StringVar(&o.ca, "tls-ca", "", "PEM file with the authority that signed the server's certificate")
	f.StringVar(&o.cert, "tls-cert", "", "PEM file with a certificate that identifies this client")
	f.StringVar(&o.key, "tls-key", "", "PEM file with the key of --tls-cert")
}

// options returns how to reach the queue.
func (o *fleetOptions) options(s streams) (queue.Options, error) {
	q := queue.Options{URL: o.server, User: fleetUser, CA: o.ca, Cert: o.cert, Key: o.key, Name: "aura fleet"}
	lookup := func(name, otherwise string) string {
		if value, ok := config.Lookup(s.environ, name); ok && value != "" {
			return value
		}
		return otherwise
	}
	if u, err := url.Parse(o.server); err == nil && u.User != nil || strings.Contains(o.server, "@") {
		return q, usageError{errors.New("--server contains a user or a password, which everybody on this machine can see: use AURA_FLEET_SERVER, or AURA_FLEET_USER and --token-file")}
	}
	if q.URL == "" {
		q.URL = lookup("AURA_FLEET_SERVER", fleetURL)
	}
	q.User = lookup("AURA_FLEET_USER", fleetUser)
	q.Token = lookup("AURA_FLEET_TOKEN", "")
	q.SealKey = []byte(lookup("AURA_FLEET_KEY", ""))
	if (q.Cert == "") != (q.Key == "") {
		return q, usageError{errors.New("--tls-cert and --tls-key go together")}
	}
	var err error
	if q.Pins, err = o.pinned(s, q.URL, lookup("AURA_FLEET_PIN", "")); err != nil {
		return q, err
	}
	q.Plaintext = o.plaintext
	path := o.tokenFile
	if path == "" && q.Token == "" {
		if path = fleetToken(s); path != "" {
			if _, err := os.Stat(path); err != nil {
				path = "" // this machine runs no server
			}
		}
	}
	if path != "" {
		data, err := files.Read(path, maxToken)
		if err != nil {
			return q, fmt.Errorf("reading the token: %w", err)
		}
		q.Token = strings.TrimSpace(string(data))
	}
	return q, nil
}

// pinned returns the keys that the server may have: those that are named, or that of the user's own server on this machine.
func (o *fleetOptions) pinned(s streams, servers, variable string) ([]string, error) {
	if o.plaintext && len(o.pins) > 0 {
		return nil, usageError{errors.New("--insecure-plaintext and --pin contradict each other: a pinned key needs TLS")}
	}
	pins := o.pins
	if len(pins) == 0 && variable != "" && !o.plaintext {
		pins = strings.Split(variable, ",")
	}
	for _, pin := range pins {
		if err := queue.CheckPin(pin); err != nil {
			return nil, usageError{fmt.Errorf("--pin or AURA_FLEET_PIN: %w", err)}
		}
	}
	if len(pins) > 0 || o.plaintext || o.ca != "" || !onThisMachine(servers) || fleetDir(s) == "" {
		return pins, nil
	}
	pin, err := queue.ReadPin(fleetPin(s))
	if err != nil || pin == "" {
		return nil, err
	}
	return []string{pin}, nil
}

// onThisMachine reports whether all servers are on this machine, by their addresses.
func onThisMachine(urls string) bool {
	for text := range strings.SplitSeq(urls, ",") {
		u, err := url.Parse(strings.TrimSpace(text))
		if err != nil || !loopback(u.Hostname()) {
			return false
		}
	}
	return true
}

// fleetPin returns the path of the pin of the server that the user runs on this machine.
func fleetPin(s streams) string { return filepath.Join(fleetDir(s), "pin") }

// maxToken is the size of the largest token, in bytes.
const maxToken = 4 << 10

// fleetDir returns the directory in which the server of this machine keeps its data; empty if the user has no directory for state.
func fleetDir(s streams) string {
	home, _ := os.UserHomeDir()
	xdg, _ := config.Lookup(s.environ, "XDG_STATE_HOME")
	if !filepath.IsAbs(xdg) {
		if home == "" {
			return ""
		}
		xdg = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(xdg, "aura", "fleet")
}

// fleetToken returns the path of the token that the server of this machine made.
func fleetToken(s streams) string {
	if dir := fleetDir(s); dir != "" {
		return filepath.Join(dir, "token")
	}
	return ""
}

// open connects to the queue.
func (o *fleetOptions) open(ctx context.Context, s streams) (*queue.Queue, error) {
	options, err := o.options(s)
	if err != nil {
		return nil, err
	}
	return queue.Open(ctx, options)
}

// with connects to the queue, acts and closes the connection.
func (o *fleetOptions) with(ctx context.Context, s streams, act func(*queue.Queue) error) error {
	q, err := o.open(ctx, s)
	if err != nil {
		return because(ctx, err)
	}
	defer q.Close()
	return because(ctx, act(q))
}

// fleetCompletionTime is how long completion waits for the queue.
const fleetCompletionTime = time.Second

// complete completes the name of a batch, then the ids of its tasks if tasks is set.
func (o *fleetOptions) complete(s streams, tasks bool) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		const none = cobra.ShellCompDirectiveNoFileComp
		if len(args) > 0 && !tasks {
			return nil, none
		}
		ctx, cancel := context.WithTimeout(cmd.Context(), fleetCompletionTime)
		defer cancel()
		q, err := o.open(ctx, s)
		if err != nil {
			return nil, none
		}
		defer q.Close()
		var out []cobra.Completion
		if len(args) == 0 {
			list, err := q.Batches(ctx)
			if err != nil {
				return nil, none
			}
			for _, b := range list {
				out = append(out, cobra.CompletionWithDesc(b.Name, plaintext.Counted(b.Tasks, "task")))
			}
		} else {
			b, err := q.Batch(ctx, args[0])
			if err != nil {
				return nil, none
			}
			list, err := q.Tasks(ctx, b)
			if err != nil {
				return nil, none
			}
			for _, t := range list {
				if !slices.Contains(args[1:], t.ID) {
					out = append(out, cobra.CompletionWithDesc(t.ID, oneLine(t.Prompts[0], 60)))
				}
			}
		}
		out = slices.DeleteFunc(out, func(c cobra.Completion) bool { return !strings.HasPrefix(c, typed) })
		return candidates(out), none
	}
}

// batchArgs takes BATCH and, if tasks is set, ids of tasks.
func batchArgs(tasks bool) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 || len(args) > 1 && !tasks {
			return usageError{fmt.Errorf("%s takes BATCH%s", cmd.CommandPath(), map[bool]string{true: " [TASK...]"}[tasks])}
		}
		for _, name := range args {
			if err := fleet.CheckName(name); err != nil {
				return usageError{err}
			}
		}
		return nil
	}
}
