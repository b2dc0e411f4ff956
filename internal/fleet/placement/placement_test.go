package placement_test

import (
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/fleet/placement"
)

func TestRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		kind   string
		change func(*placement.Options)
		want   string
	}{
		"no replicas":            {"kubernetes", func(o *placement.Options) { o.Replicas = 0 }, "--replicas 0"},
		"too many replicas":      {"nomad", func(o *placement.Options) { o.Replicas = placement.MaxReplicas + 1 }, "from 1 to 10000"},
		"no slots":               {"compose", func(o *placement.Options) { o.Slots = -1 }, "--slots -1"},
		"too many slots":         {"systemd", func(o *placement.Options) { o.Slots, o.Image = placement.MaxSlots+1, "" }, "from 1 to 256"},
		"no image":               {"kubernetes", noImage, "--image"},
		"image without use":      {"systemd", func(*placement.Options) {}, "--image has no meaning"},
		"job without use":        {"compose", job, "--job has no meaning"},
		"restricted without use": {"systemd", func(o *placement.Options) { o.Image, o.Restricted = "", true }, "--restricted has no meaning"},
		"namespace without use":  {"compose", namespace, "--namespace has no meaning"},
		"bad namespace":          {"nomad", func(o *placement.Options) { o.Namespace = "-x" }, `--namespace "-x"`},
		"bad image":              {"compose", func(o *placement.Options) { o.Image = "aura\nprivileged: true" }, "--image"},
		"image with a space":     {"nomad", func(o *placement.Options) { o.Image = "aura latest" }, "--image"},
		"long image":             {"nomad", func(o *placement.Options) { o.Image = strings.Repeat("a", 513) }, "--image"},
		"other scheme":           {"compose", func(o *placement.Options) { o.Server = "http://queue.example.com" }, "nats://HOST:PORT"},
		"no host":                {"compose", func(o *placement.Options) { o.Server = "nats://" }, "nats://HOST:PORT"},
		"second has no scheme":   {"compose", func(o *placement.Options) { o.Server = "nats://a:1,b:2" }, "nats://HOST:PORT"},
		"server with a command":  {"systemd", func(o *placement.Options) { o.Image, o.Server = "", "nats://a:1/;reboot" }, "nats://HOST:PORT"},
		"server with a line":     {"systemd", func(o *placement.Options) { o.Image, o.Server = "", "nats://a\nExecStart=x" }, "nats://HOST:PORT"},
		"server with a variable": {"systemd", func(o *placement.Options) { o.Image, o.Server = "", "nats://$HOME" }, "nats://HOST:PORT"},
		"long server":            {"nomad", func(o *placement.Options) { o.Server = "nats://" + strings.Repeat("a", 600) }, "more than 512"},
		"password in the server": {"kubernetes", func(o *placement.Options) { o.Server = "nats://me:hunter2@queue:4222" }, "--secret"},
		"no pin":                 {"nomad", func(o *placement.Options) { o.Pins = []string{"sha256:ab\nx"} }, "64 hexadecimal digits"},
		"pin without TLS":        {"nomad", func(o *placement.Options) { o.Pins, o.Plaintext = []string{"sha256:" + strings.Repeat("ab", 32)}, true }, "contradict"},
		"value of a secret":      {"kubernetes", func(o *placement.Options) { o.Secrets = []string{"TOKEN=hunter2"} }, `write "TOKEN"`},
		"name with a space":      {"nomad", func(o *placement.Options) { o.Env = []string{"A B"} }, "not the name of a variable"},
		"name with a template":   {"nomad", func(o *placement.Options) { o.Secrets = []string{"A}}{{x"} }, "not the name of a variable"},
		"empty name":             {"nomad", func(o *placement.Options) { o.Env = []string{""} }, "not the name of a variable"},
		"name twice":             {"nomad", func(o *placement.Options) { o.Env, o.Secrets = []string{"A"}, []string{"A"} }, "named twice"},
		"name of ours":           {"compose", func(o *placement.Options) { o.Env = []string{"HOME"} }, "set by the specification itself"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, k := range placement.Kinds() {
				if k.Name != c.kind {
					continue
				}
				text, err := k.Write(with(few(), c.change))
				if err == nil || !strings.Contains(err.Error(), c.want) || len(text) != 0 {
					t.Errorf("got %v, want %q", err, c.want)
				}
				if err != nil && strings.Contains(err.Error(), "hunter2") {
					t.Errorf("the error repeats a secret: %v", err)
				}
			}
		})
	}
}

// TestAccepted checks that the rules above refuse no usual value.
func TestAccepted(t *testing.T) {
	t.Parallel()
	for _, image := range []string{
		"aura", "aura:1.0", "localhost:5000/aura", "ghcr.io/some-body/aura_x/y:v1.2.3-rc.1", "aura@sha256:" + strings.Repeat("0", 64),
	} {
		if _, err := placement.Kubernetes(with(few(), func(o *placement.Options) { o.Image = image })); err != nil {
			t.Error(err)
		}
	}
	for _, server := range []string{"nats://10.0.0.1:4222", "tls://[::1]:4222", "wss://queue.example.com/", "nats://a:1,nats://b:1"} {
		if _, err := placement.Compose(with(few(), func(o *placement.Options) { o.Server = server })); err != nil {
			t.Error(err)
		}
	}
}
