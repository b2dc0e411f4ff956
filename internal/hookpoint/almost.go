package hookpoint

import "github.com/idelchi/aura/internal/nearest"

// Almost returns the hook that a function was probably meant to be: its name differs in case or by a typo or two. Whoever asks
// knows that the function takes a type of the SDK, as all hooks do, and which hooks there are: a function beside the hook that
// it resembles is a helper of it.
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
