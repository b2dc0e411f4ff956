package trust

import "strings"

// rule says when a setting of a project grants tools, plugins or the model more than they have without it.
type rule struct {
	// key is a path of keys; a star at its end matches anything.
	key  string
	kind Kind
	when func(value string, own bool) bool
}

func always(value string, _ bool) bool { return value != "" }

func isTrue(value string, _ bool) bool { return !off(value) }

func unlessOn(value string, _ bool) bool { return !on(value) }

// over applies if the setting overrides one of the user's settings.
func over(_ string, own bool) bool { return own }

// on reports whether a value means yes in YAML or in common use; off does the same for no. A variable may mean either.
func on(value string) bool {
	switch strings.ToLower(value) {
	case "true", "on", "yes", "y":
		return true
	default:
		return false
	}
}

func off(value string) bool {
	switch strings.ToLower(value) {
	case "false", "off", "no", "n":
		return true
	default:
		return false
	}
}

// rules is searched in order; the first rule whose key matches decides.
var rules = []rule{
	{"sandbox.enabled", KindSandbox, unlessOn},
	{"sandbox.required", KindSandbox, unlessOn},
	{"sandbox.network", KindSandbox, isTrue},
	{"sandbox.unix_sockets", KindSandbox, isTrue},
	{"sandbox.caches", KindSandbox, func(value string, _ bool) bool { return value != "private" }},
	// Paths, variables, and settings that a later version may add.
	{"sandbox.*", KindSandbox, always},
	{"plugins.unsafe", KindUnsafe, isTrue},
	{"plugins.native", KindPolicy, isTrue},
	{"plugins.dir", KindPluginsDir, always},
	// Which plugins run and how they are configured. This includes the user's plugins.
	{"plugins.*", KindPolicy, func(string, bool) bool { return true }},
	{"tools.policy.auto", KindPolicy, always},
	// A session begins in this mode instead of one that may ask.
	{"tools.mode", KindPolicy, always},
	{"tools.read_before.*", KindPolicy, unlessOn},
	{"tools.search.searxng", KindSandbox, always},
	// The service of the model searches unless the user does not want it.
	{"tools.search.provider", KindSandbox, func(value string, own bool) bool { return own && !off(value) }},
	{"tools.search.*", KindSandbox, always},
	{"tools.*", KindPolicy, over},
	{"hooks.*", KindPolicy, over},
	{"instructions.*", KindPolicy, over},
}

// Widens reports whether a setting needs consent, and of which kind. own is true if the user makes the same setting, or has the
// thing that the setting is about.
func Widens(key, value string, own bool) (Kind, bool) {
	for _, r := range rules {
		before, any := strings.CutSuffix(r.key, "*")
		if key == r.key || any && strings.HasPrefix(key, before) {
			return r.kind, r.when(value, own)
		}
	}
	return "", false
}
