package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/idelchi/aura/internal/fleet/placement"
)

const fleetManifestHelp = `Print a specification of workers for a scheduler: kubernetes, nomad, systemd or
compose. The workers run 'aura fleet work' under what aura's sandbox needs, as an
ordinary user, with limits, and with time to finish or to hand back their tasks.

A specification contains names of variables, never values. --secret and --env name
the variables that the workers need; the specification begins with a comment that
shows where the scheduler takes their values from.

The workers send their token only to a server that proves its identity: by the key
that --pin names, or by a certificate of an authority that the image knows.

The image is the one that the Dockerfile in aura's repository builds, or one that
is built on it.`

const fleetManifestExamples = `  aura fleet manifest kubernetes --image registry.example.com/aura:1.0 --replicas 10
  aura fleet manifest kubernetes --image registry.example.com/aura:1.0 --job
  aura fleet manifest nomad --image registry.example.com/aura:1.0 --secret ANTHROPIC_API_KEY
  aura fleet manifest systemd --slots 4 --server tls://queue.example.com:4222 --pin sha256:…
  aura fleet manifest compose --image aura --replicas 2 > compose.yaml`

// newFleetManifest returns 'aura fleet manifest'.
func newFleetManifest(s streams) *cobra.Command {
	o := placement.Options{}
	cmd := &cobra.Command{
		Use:               "manifest KIND",
		Short:             "Print a specification of workers for a scheduler",
		Long:              fleetManifestHelp,
		Example:           fleetManifestExamples,
		Args:              exactArgs("KIND"),
		ValidArgsFunction: first(cobra.FixedCompletions(manifestKinds(), cobra.ShellCompDirectiveNoFileComp)),
		RunE:              func(_ *cobra.Command, args []string) error { return fleetManifest(s, args[0], o) },
	}
	f := cmd.Flags()
	f.IntVar(&o.Replicas, "replicas", 1, "number of workers")
	f.IntVar(&o.Slots, "slots", 1, "tasks that each worker runs at a time")
	f.StringVar(&o.Image, "image", "", "container image of the workers (not for systemd)")
	f.StringVar(&o.Server, "server", "", "address of the queue, such as tls://queue.example.com:4222; several with commas")
	f.StringSliceVar(&o.Pins, "pin", nil, "key that the server of the queue must have, as 'aura fleet serve' prints it (repeatable)")
	f.BoolVar(&o.Plaintext, "insecure-plaintext", false, "let the workers send their token unencrypted, to a server that does not prove its identity")
	f.BoolVar(&o.AllowTrusted, "allow-trusted", false, "let batches trust the configuration of workspaces, which can run programs outside of the sandbox")
	f.StringArrayVar(&o.Secrets, "secret", nil, "name of a variable that the scheduler keeps as a secret (repeatable)")
	f.StringArrayVar(&o.Env, "env", nil, "name of another variable for the workers (repeatable)")
	f.StringVar(&o.Namespace, "namespace", "", "namespace of Kubernetes or Nomad")
	f.BoolVar(&o.Job, "job", false, "workers that end when the queue is empty (Kubernetes, Nomad)")
	f.BoolVar(&o.Restricted, "restricted", false, "keep the runtime's own profiles, with a weaker sandbox (not for systemd)")
	return cmd
}

func fleetManifest(s streams, kind string, o placement.Options) error {
	kinds := placement.Kinds()
	at := slices.IndexFunc(kinds, func(k placement.Kind) bool { return k.Name == kind })
	if at < 0 {
		return usageError{fmt.Errorf("unknown kind %q of specification: use %s", kind, strings.Join(schedulers(), ", "))}
	}
	text, err := kinds[at].Write(o)
	if err != nil {
		return usageError{err}
	}
	_, err = s.out.Write(text)
	return err
}

func schedulers() []string {
	var names []string
	for _, k := range placement.Kinds() {
		names = append(names, k.Name)
	}
	return names
}

func manifestKinds() []cobra.Completion {
	var out []cobra.Completion
	for _, k := range placement.Kinds() {
		out = append(out, cobra.CompletionWithDesc(k.Name, "workers for "+k.Title))
	}
	return out
}
