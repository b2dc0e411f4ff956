package cli

import (
	"net/url"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/app/inspect"
	"github.com/idelchi/aura/internal/base/redact"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/settings/setup"
)

// hidden replaces a value that is set but not shown.
const hidden = "(set, not shown)"

// mask hides secrets: values by their keys, and the values of variables and tokens anywhere.
type mask struct {
	known *redact.Redactor
}

func newMask(c *config.Config) mask {
	return mask{known: redact.NewWithMark(hidden, setup.SecretValues(c, nil)...)}
}

// text returns a text without secrets.
func (m mask) text(s string) string { return m.known.String(s) }

// value returns the part of the value at a path of keys that may be shown.
func (m mask) value(path []string, v any) any {
	s, ok := v.(string)
	if !ok || s == "" {
		return v
	}
	last := path[len(path)-1]
	inside := path[:len(path)-1]
	switch {
	case redact.SecretName(last), slices.Contains(inside, "env"), slices.Contains(inside, "headers"):
		return hidden
	case last == "url":
		s = bareURL(s)
	}
	return m.text(s)
}

// bareURL returns an address without parts that may grant access: the user and the query.
func bareURL(text string) string {
	u, err := url.Parse(text)
	// Without a scheme, a user and a password are not recognized as such.
	if err != nil || u.Opaque != "" || u.Host == "" && strings.Contains(text, "@") {
		return hidden
	}
	if u.User != nil {
		u.User = url.User("...")
	}
	if u.RawQuery != "" {
		u.RawQuery = "..."
	}
	u.Fragment, u.RawFragment = "", ""
	return u.String()
}

// plugins hides secrets in the settings of plugins, and in the errors that prevent them from loading.
func (m mask) plugins(list []inspect.Plugin) {
	for i := range list {
		list[i].ProbeError = m.text(list[i].ProbeError)
		if clean, ok := m.tree([]string{"config"}, list[i].Config).(map[string]any); ok {
			list[i].Config = clean
		}
	}
}

// tree returns the values below a path of keys with secrets hidden.
func (m mask) tree(path []string, v any) any {
	switch v := v.(type) {
	case map[string]any:
		if v == nil {
			return v
		}
		out := make(map[string]any, len(v))
		for key, inner := range v {
			out[key] = m.tree(append(slices.Clone(path), key), inner)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, inner := range v {
			out[i] = m.tree(path, inner)
		}
		return out
	default:
		return m.value(path, v)
	}
}
