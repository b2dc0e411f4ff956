package network

import (
	"errors"
	"fmt"
	"strings"
)

// Setting is what a setting says about the network: on, off, or rules. The zero value is off.
type Setting struct {
	// On allows every host, and the ports of this machine.
	On bool
	// Rules decide about each host; nil if the setting is on or off.
	Rules *Rules
}

// The words for a setting without rules.
const (
	wordOn  = "on"
	wordOff = "off"
)

// ParseSetting reads a setting in one line: on, off, or hosts separated by commas, which are allowed and no others.
func ParseSetting(text string) (Setting, error) {
	switch text {
	case wordOn:
		return Setting{On: true}, nil
	case wordOff:
		return Setting{}, nil
	case "":
		return Setting{}, errors.New("it is empty; write on, off, or hosts separated by commas")
	}
	r := Rules{}
	for part := range strings.SplitSeq(text, ",") {
		p, err := Parse(strings.TrimSpace(part))
		if err != nil {
			return Setting{}, fmt.Errorf("%w; on and off are the other values", err)
		}
		r.Allow = append(r.Allow, p)
	}
	return Setting{Rules: &r}, nil
}

// ParseDeny reads a pattern of a list of hosts to refuse. It cannot be a preset, because that may stand for no host.
func ParseDeny(s string) (Pattern, error) {
	p, err := Parse(s)
	if err == nil && p.preset != "" {
		return Pattern{}, fmt.Errorf("%q is a preset, and the hosts of one depend on the machine; write the hosts to refuse", s)
	}
	return p, err
}

// String returns the setting in words.
func (s Setting) String() string {
	switch {
	case s.On:
		return wordOn
	case s.Rules == nil:
		return wordOff
	}
	words := []string{"allow " + listed(s.Rules.Allow)}
	if len(s.Rules.Deny) > 0 {
		words = append(words, "deny "+listed(s.Rules.Deny))
	}
	if s.Rules.Ask {
		words = append(words, "ask about others")
	}
	return strings.Join(words, "; ")
}
