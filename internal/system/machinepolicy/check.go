package machinepolicy

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"golang.org/x/mod/semver"

	"github.com/idelchi/aura/internal/base/gitignore"
	"github.com/idelchi/aura/internal/base/strictyaml"
	"github.com/idelchi/aura/internal/system/network"
)

// check checks each value of a document.
func (d *document) check() error {
	return errors.Join(d.checkVersion(), d.checkTexts(), d.checkPlugins(), d.checkServers(), d.checkProviders(), d.checkSandbox(), d.checkWords(), d.checkAudit(), d.checkRemote())
}

func (d *document) checkVersion() error {
	if d.Version.Line != 0 && !semver.IsValid("v"+d.Version.Value) {
		return d.fault(d.Version.Line, fmt.Errorf(`key "version": %q is not a version such as 1.4.0`, d.Version.Value))
	}
	return nil
}

// checkTexts refuses empty entries of lists.
func (d *document) checkTexts() error {
	var faults []error
	for key, v := range map[string]texts{
		"sources": d.Sources, "signers": d.Signers, "models": d.Models, "modes": d.Modes, "telemetry": d.Telemetry, "sandbox.hidden": d.Sandbox.Hidden,
	} {
		for _, t := range v.Value {
			if strings.TrimSpace(t.Value) == "" {
				faults = append(faults, d.fault(max(t.Line, v.Line), fmt.Errorf("key %q: an empty entry", key)))
			}
		}
	}
	return errors.Join(faults...)
}

func (d *document) checkPlugins() error {
	var faults []error
	for key, entries := range map[string]strictyaml.At[[]pluginEntry]{"plugins.required": d.Plugins.Required, "plugins.forbidden": d.Plugins.Forbidden} {
		for _, e := range entries.Value {
			if e.Name.Value == "" || e.Origin.Value == "" {
				faults = append(faults, d.fault(max(e.Name.Line, e.Origin.Line, entries.Line), fmt.Errorf("key %q: a plugin needs name and origin, because anybody can give a plugin any name", key)))
			}
			if key == "plugins.required" && strings.ContainsAny(e.Name.Value, "*") {
				faults = append(faults, d.fault(e.Name.Line, fmt.Errorf("key %q: %q is a pattern; name one plugin", key, e.Name.Value)))
			}
		}
	}
	return errors.Join(faults...)
}

func (d *document) checkServers() error {
	var faults []error
	for _, e := range d.MCP.Value {
		if e.Name.Value == "" || (e.Command.Value == "") == (e.URL.Value == "") {
			faults = append(faults, d.fault(max(e.Name.Line, d.MCP.Line), errors.New(`key "mcp": a server needs a name, and either a command or a url`)))
		}
		if e.URL.Value != "" && !strings.HasPrefix(e.URL.Value, "https://") && !strings.HasPrefix(e.URL.Value, "http://") {
			faults = append(faults, d.fault(e.URL.Line, fmt.Errorf(`key "mcp": %q does not begin with https:// or http://`, e.URL.Value)))
		}
	}
	return errors.Join(faults...)
}

func (d *document) checkProviders() error {
	var faults []error
	for _, e := range d.Providers.Value {
		if e.Type.Value == "" {
			faults = append(faults, d.fault(max(e.URL.Line, d.Providers.Line), errors.New(`key "providers": a provider needs a type`)))
		}
	}
	return errors.Join(faults...)
}

func (d *document) checkSandbox() error {
	var faults []error
	v := d.Sandbox.Network
	if v.Line != 0 && v.Value.Allow == nil {
		faults = append(faults, d.fault(v.Line, errors.New(`key "sandbox.network": it needs allow, the only hosts that can be reached; allow: [] allows none`)))
	}
	if _, err := d.limit(); err != nil {
		faults = append(faults, err)
	}
	for _, t := range d.Sandbox.Hidden.Value {
		if !gitignore.Valid(t.Value) || strings.HasPrefix(t.Value, "!") {
			faults = append(faults, d.fault(t.Line, fmt.Errorf(`key "sandbox.hidden": %q is not a pattern of .gitignore that hides`, t.Value)))
		}
	}
	return errors.Join(faults...)
}

// limit returns the rules of the network.
func (d *document) limit() (network.Limit, error) {
	v := d.Sandbox.Network
	out := network.Limit{Allow: []network.Pattern{}}
	var faults []error
	parse := func(list []text, parse func(string) (network.Pattern, error), into *[]network.Pattern) {
		for _, t := range list {
			p, err := parse(t.Value)
			if err == nil && strings.HasPrefix(t.Value, "preset:") {
				err = errors.New("a preset depends on the settings of the user; write the hosts")
			}
			if err != nil {
				faults = append(faults, d.fault(max(t.Line, v.Line), fmt.Errorf(`key "sandbox.network": %w`, err)))
			}
			*into = append(*into, p)
		}
	}
	parse(v.Value.Allow, network.Parse, &out.Allow)
	parse(v.Value.Deny, network.ParseDeny, &out.Deny)
	for _, r := range networkRules(d) {
		out.Rule = r.String()
	}
	return out, errors.Join(faults...)
}

// The values of the key approvals, the strictest first.
var approvalWords = []string{"once", "session", "project"}

func (d *document) checkWords() error {
	var faults []error
	if v := d.Approvals; v.Line != 0 && approvalRank(v.Value) < 0 {
		faults = append(faults, d.fault(v.Line, fmt.Errorf(`key "approvals": %q is none of %s`, v.Value, strings.Join(approvalWords, ", "))))
	}
	if v := d.Sessions; v.Line != 0 {
		if _, err := parseDays(v.Value); err != nil {
			faults = append(faults, d.fault(v.Line, fmt.Errorf(`key "sessions": %w`, err)))
		}
	}
	return errors.Join(faults...)
}

// parseDays reads a number of days, such as 30d.
func parseDays(text string) (time.Duration, error) {
	var days int
	if n, err := fmt.Sscanf(text, "%dd", &days); err != nil || n != 1 || days < 1 || days > 36500 || fmt.Sprintf("%dd", days) != text {
		return 0, fmt.Errorf("%q is not a number of days such as 30d", text)
	}
	const day = 24 * time.Hour
	return time.Duration(days) * day, nil
}
