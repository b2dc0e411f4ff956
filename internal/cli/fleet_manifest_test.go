package cli

import (
	"strings"
	"testing"
	"time"

	"github.com/idelchi/aura/internal/fleet/placement"
)

// TestManifestCommands checks that aura takes the command lines that are in specifications, and that a worker has ended when its scheduler
// loses patience.
func TestManifestCommands(t *testing.T) {
	t.Parallel()
	o := placement.Options{Slots: 3, Server: "nats://queue:4222", Job: true, AllowTrusted: true, Plaintext: true}
	for _, args := range o.Commands() {
		cmd, rest, err := newRoot(streams{}).Find(args)
		if err != nil {
			t.Fatal(err)
		}
		if cmd.CommandPath() == "aura fleet" && args[1] == "work" {
			continue // this build has no workers
		}
		if err := cmd.ParseFlags(rest); err != nil || len(cmd.Flags().Args()) > 0 || cmd.HasSubCommands() {
			t.Errorf("aura %s: %v", strings.Join(args, " "), err)
		}
		if f := cmd.Flags().Lookup("grace"); f != nil {
			if grace, err := time.ParseDuration(f.DefValue); err != nil || 2*grace > placement.Grace {
				t.Errorf("a worker takes %s to hand its tasks back, %v; a scheduler waits for %s", grace, err, placement.Grace)
			}
		}
	}
}

func TestManifestFlags(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		line string
		want string
	}{
		"all flags": {
			"kubernetes --replicas 3 --slots 2 --image aura --server nats://queue:4222 --secret A --secret B --env C --namespace n --job",
			"--until-empty",
		},
		"pinned":     {"systemd --allow-trusted --pin sha256:" + strings.Repeat("ab", 32), "--pin sha256:" + strings.Repeat("ab", 32) + " --allow-trusted\n"},
		"plaintext":  {"systemd --insecure-plaintext", "--insecure-plaintext\n"},
		"restricted": {"kubernetes --image aura --restricted", "RuntimeDefault"},
		"defaults":   {"systemd", "ExecStart=aura fleet work --slots 1\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out, errs strings.Builder
			cmd := newRoot(streams{out: &out, err: &errs})
			cmd.SetArgs(append([]string{"fleet", "manifest"}, strings.Fields(c.line)...))
			if err := cmd.Execute(); err != nil || !strings.Contains(out.String(), c.want) {
				t.Errorf("got %v\n%s%s", err, out.String(), errs.String())
			}
		})
	}
}
