package machinepolicy

import (
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
)

// auditContent is the value of the key audit in one file.
type auditContent struct {
	File      string `yaml:"file"`
	Syslog    bool   `yaml:"syslog"`
	OTLP      string `yaml:"otlp"`
	OnFailure string `yaml:"on_failure"`
}

// Destination is a kind of destination of the audit.
type Destination string

// The kinds of destinations.
const (
	ToFile   Destination = "file"
	ToSyslog Destination = "syslog"
	ToOTLP   Destination = "otlp"
)

// OnFailure is what happens while the destination cannot be written to.
type OnFailure string

// Buffer keeps records up to a bound. Stop ends the session.
const (
	Buffer OnFailure = "buffer"
	Stop   OnFailure = "stop"
)

// Audit is where records of the audit go.
type Audit struct {
	To Destination
	// Address is the absolute path of the file, or the URL of the collector; empty for syslog.
	Address   string
	OnFailure OnFailure
	Rule      Rule
}

// Audit returns where records of the audit go. ok is false if the policy asks for none.
func (p *Policy) Audit() (a Audit, ok bool) {
	for _, d := range p.all() {
		next, set := d.audit()
		if !set {
			continue
		}
		if !ok || next.OnFailure == Stop {
			a = next
		}
		ok = true
	}
	return a, ok
}

// audit returns the value of a document that was checked.
func (d *document) audit() (Audit, bool) {
	v := d.Audit.Value
	if d.Audit.Line == 0 {
		return Audit{}, false
	}
	a := Audit{OnFailure: OnFailure(v.OnFailure), Rule: d.rule("audit", d.Audit.Line, "")}
	if a.OnFailure == "" {
		a.OnFailure = Buffer
	}
	switch {
	case v.File != "":
		a.To, a.Address = ToFile, v.File
	case v.Syslog:
		a.To = ToSyslog
	default:
		a.To, a.Address = ToOTLP, v.OTLP
	}
	a.Rule.Text = string(a.To)
	if a.Address != "" {
		a.Rule.Text += " " + a.Address
	}
	return a, true
}

func (d *document) checkAudit() error {
	v, line := d.Audit.Value, d.Audit.Line
	if line == 0 {
		return nil
	}
	var given int
	for _, set := range []bool{v.File != "", v.Syslog, v.OTLP != ""} {
		if set {
			given++
		}
	}
	switch {
	case given != 1:
		return d.fault(line, errors.New(`key "audit": name one destination: file, syslog: true or otlp`))
	case v.File != "" && !filepath.IsAbs(v.File):
		return d.fault(line, fmt.Errorf(`key "audit.file": %q is not an absolute path`, v.File))
	case v.OTLP != "" && !webAddress(v.OTLP):
		return d.fault(line, fmt.Errorf(`key "audit.otlp": %q is not an http or https address`, v.OTLP))
	case v.OnFailure != "" && v.OnFailure != string(Buffer) && v.OnFailure != string(Stop):
		return d.fault(line, fmt.Errorf(`key "audit.on_failure": %q is neither buffer nor stop`, v.OnFailure))
	}
	return nil
}

func webAddress(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" && u.User == nil
}

// Remote is where a newer policy is fetched from, and the key that signs it.
type Remote struct {
	URL string
	// Key is an SSH public key, as in the file of a public key.
	Key  string
	Rule Rule
}

// Remote returns where a newer policy is fetched from. ok is false if the policy names no address.
func (p *Policy) Remote() (r Remote, ok bool) {
	for _, d := range p.all() {
		if d.URL.Line != 0 {
			return Remote{d.URL.Value, d.Key.Value, d.rule("url", d.URL.Line, d.URL.Value)}, true
		}
	}
	return Remote{}, false
}

func (d *document) checkRemote() error {
	switch {
	case d.URL.Line == 0 && d.Key.Line == 0:
		return nil
	case d.URL.Line == 0 || d.Key.Line == 0 || d.Key.Value == "":
		return d.fault(max(d.URL.Line, d.Key.Line), errors.New(`a policy that is fetched needs url and key: the address, and the public key that signs the policy`))
	case !webAddress(d.URL.Value):
		return d.fault(d.URL.Line, fmt.Errorf(`key "url": %q is not an http or https address`, d.URL.Value))
	}
	return nil
}
