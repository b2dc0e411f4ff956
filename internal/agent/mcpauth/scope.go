package mcpauth

import (
	"context"
	"slices"
	"strings"
)

// ScopeError means that a login with further scopes is needed.
type ScopeError struct{ Scopes []string }

func (e *ScopeError) Error() string {
	return ErrNeedsLogin.Error() + " with the scopes " + strings.Join(e.Scopes, " ")
}

// Unwrap makes a ScopeError an ErrNeedsLogin.
func (e *ScopeError) Unwrap() error { return ErrNeedsLogin }

const (
	// maxScopes is how many scopes a server can ask for at once, and maxScope the length of one in bytes.
	maxScopes = 50
	maxScope  = 200
)

// isScope reports whether a text of a server is a scope as RFC 6749 defines it, and not too long.
func isScope(text string) bool {
	return text != "" && len(text) <= maxScope && !strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r >= 0x7f || r == '"' || r == '\\' })
}

// Lacks records that the server wants further scopes, so that the next login asks for them. It returns a ScopeError, or nil if the login has all
// of these scopes already: the user cannot help then.
func (t *Tokens) Lacks(ctx context.Context, scopes []string) error {
	scopes = slices.DeleteFunc(slices.Clone(scopes), func(text string) bool { return !isScope(text) })
	scopes = scopes[:min(len(scopes), maxScopes)]
	var lack error
	err := t.store.locked(ctx, t.url, func() error {
		l, err := t.store.read(t.url)
		if err != nil || l == nil {
			return err
		}
		scopes = slices.DeleteFunc(scopes, func(text string) bool { return slices.Contains(l.Scopes, text) })
		if len(scopes) == 0 {
			return nil
		}
		lack = &ScopeError{scopes}
		if slices.Equal(l.Wanted, scopes) {
			return nil
		}
		l.Wanted = scopes
		return t.store.write(l)
	})
	if lack == nil {
		return err
	}
	return lack
}

// Needs returns why the user has to log in again: ErrNeedsLogin or a ScopeError. It returns nil if the login can be used, or if there is none.
func (t *Tokens) Needs() error {
	if t == nil {
		return nil
	}
	l, err := t.store.read(t.url)
	switch {
	case err != nil || l == nil:
		return nil //nolint:nilerr // the next request reports it
	case len(l.Wanted) > 0:
		return &ScopeError{l.Wanted}
	case l.Access == "":
		return ErrNeedsLogin
	default:
		return nil
	}
}

// scopes returns what a login asks for: what the server names and, if it refused an earlier login, what that had and lacked. Settings replace all of
// it, but must not lack what the server insists on.
func (s Store) scopes(url string, named []string, o Settings) ([]string, error) {
	earlier, err := s.read(url)
	var wanted []string
	if err == nil && earlier != nil {
		wanted = earlier.Wanted
	}
	if len(o.Scopes) > 0 {
		missing := slices.DeleteFunc(slices.Clone(wanted), func(text string) bool { return slices.Contains(o.Scopes, text) })
		if len(missing) > 0 {
			return nil, &settingsError{missing}
		}
		return o.Scopes, nil
	}
	out := slices.Clone(named)
	if len(wanted) > 0 {
		for _, scope := range slices.Concat(earlier.Scopes, wanted) {
			if !slices.Contains(out, scope) {
				out = append(out, scope)
			}
		}
	}
	return out, nil
}

// settingsError means that the settings keep a login from asking for what the server insists on.
type settingsError struct{ scopes []string }

func (e *settingsError) Error() string {
	return "the server wants scopes that auth.scopes does not have: add " + strings.Join(e.scopes, " ")
}
