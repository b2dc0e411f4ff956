package placement

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
)

var (
	variableName  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,127}$`) })
	namespaceName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$`) })
	// imageName is what registries take: an optional host with a port, a path in lower case, an optional tag and an optional digest.
	imageName = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[a-zA-Z0-9][a-zA-Z0-9.-]*(:[0-9]{1,5})?(/[a-z0-9]+([._-]+[a-z0-9]+)*)*(:[a-zA-Z0-9_][a-zA-Z0-9._-]{0,127})?(@sha256:[0-9a-f]{64})?$`)
	})
	pinText  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^sha256:[0-9a-f]{64}$`) })
	hostName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9.:\[\]-]+$`) })
)

// serverSchemes are the schemes of the addresses of a queue.
var serverSchemes = []string{"nats", "tls", "ws", "wss"}

// ownVariables are set by the specifications themselves.
var ownVariables = []string{"AURA_HOME", "HOME", "PATH"}

const maxLength = 512

// check finds what the scheduler would refuse, or would misunderstand.
func (o Options) check(kind string) error {
	for _, err := range []error{o.checkNumbers(), o.checkUses(kind), o.checkImage(), checkServers(o.Server), o.checkProof(), o.checkNames()} {
		if err != nil {
			return fmt.Errorf("writing a specification for %s: %w", kind, err)
		}
	}
	return nil
}

func (o Options) checkNumbers() error {
	if o.Replicas < 1 || o.Replicas > MaxReplicas {
		return fmt.Errorf("--replicas %d: give a number from 1 to %d", o.Replicas, MaxReplicas)
	}
	if o.Slots < 1 || o.Slots > MaxSlots {
		return fmt.Errorf("--slots %d: give a number from 1 to %d", o.Slots, MaxSlots)
	}
	return nil
}

// checkUses refuses options that would have no effect.
func (o Options) checkUses(kind string) error {
	u := Kinds()[slices.IndexFunc(Kinds(), func(k Kind) bool { return k.Name == kind })].uses
	for _, option := range []struct {
		flag      string
		set, uses bool
	}{
		{"--image", o.Image != "", u.image},
		{"--namespace", o.Namespace != "", u.namespace},
		{"--job", o.Job, u.job},
		{"--restricted", o.Restricted, u.restricted},
	} {
		if option.set && !option.uses {
			return fmt.Errorf("%s has no meaning there: leave it out", option.flag)
		}
	}
	if o.Namespace != "" && !namespaceName().MatchString(o.Namespace) {
		return fmt.Errorf("--namespace %q: give at most 63 lower-case letters, digits and hyphens", o.Namespace)
	}
	if u.image && o.Image == "" {
		return errors.New("there is no image: name it with --image; the Dockerfile in aura's repository builds one")
	}
	return nil
}

func (o Options) checkImage() error {
	if o.Image != "" && (len(o.Image) > maxLength || !imageName().MatchString(o.Image)) {
		return fmt.Errorf("--image %q: this is not the name of an image, such as registry.example.com/aura:1.0", o.Image)
	}
	return nil
}

// checkServers checks addresses that are separated by commas. It never repeats an address in an error, because it may contain a password.
func checkServers(list string) error {
	if list == "" {
		return nil
	}
	if len(list) > maxLength {
		return fmt.Errorf("--server has %d characters, which is more than %d", len(list), maxLength)
	}
	for text := range strings.SplitSeq(list, ",") {
		u, err := url.Parse(text)
		switch {
		case err != nil || !slices.Contains(serverSchemes, u.Scheme) || !hostName().MatchString(u.Host) || strings.Trim(u.Path, "/") != "" ||
			u.RawQuery != "" || u.Fragment != "":
			return errors.New("--server: write each address as nats://HOST:PORT or tls://HOST:PORT, separated by commas")
		case u.User != nil:
			return errors.New("--server contains a user or a password, and everybody who sees the specification could read it: keep it in a variable and name the variable with --secret")
		}
	}
	return nil
}

// checkProof checks how the server proves who it is.
func (o Options) checkProof() error {
	if o.Plaintext && len(o.Pins) > 0 {
		return errors.New("--insecure-plaintext and --pin contradict each other: give one of them")
	}
	for _, pin := range o.Pins {
		if !pinText().MatchString(pin) {
			return fmt.Errorf("--pin %.80q: give it as 'aura fleet serve' prints it: sha256: and 64 hexadecimal digits", pin)
		}
	}
	return nil
}

func (o Options) checkNames() error {
	seen := map[string]bool{}
	for _, name := range o.variables() {
		switch {
		case strings.Contains(name, "="):
			before, _, _ := strings.Cut(name, "=")
			return fmt.Errorf("--secret and --env take the name of a variable, not its value: write %.64q", before)
		case !variableName().MatchString(name):
			return fmt.Errorf("%.64q is not the name of a variable: use letters, digits and underscores", name)
		case slices.Contains(ownVariables, name):
			return fmt.Errorf("%s is set by the specification itself: leave it out", name)
		case seen[name]:
			return fmt.Errorf("%s is named twice: name each variable once, with --secret or --env", name)
		}
		seen[name] = true
	}
	return nil
}
