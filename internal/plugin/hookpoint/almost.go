package hookpoint

import "github.com/idelchi/aura/internal/base/nearest"

// Almost returns the hook that a function was probably meant to be: its name differs from the hook's in case or by one or two
// typos. The caller must have checked that the function takes a type of the SDK, as all hooks do. defined reports whether the
// plugin defines a hook: a function that resembles a defined hook is a helper of that hook.
func Almost(function string, defined func(Name) bool) (Name, bool) {
	var absent []string
	for _, p := range table {
		if function == string(p.Name) {
			return "", false
		}
		if !defined(p.Name) {
			absent = append(absent, string(p.Name))
		}
	}
	meant, ok := nearest.Typo(function, absent)
	return Name(meant), ok
}
