package signature

import (
	"encoding/base64"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"
)

// MaxSigners is how many lines of a list are read.
const MaxSigners = 10_000

// Signer is a line of a list: a key, whose it is, and for what it counts.
type Signer struct {
	// Principals is the first field as written, such as a mail address.
	Principals string
	// Fingerprint is that of the key, as ssh-keygen prints it.
	Fingerprint string
	// File and Line are the place of the line.
	File string
	Line int

	key ssh.PublicKey
	// namespaces are patterns; an empty list stands for every namespace. after and before are zero where the line has no such bound.
	namespaces    []string
	after, before time.Time
}

// ParseAllowed reads a list of allowed signers. An error names the file and the line: a line that is skipped could be the one that ends the
// validity of a key.
func ParseAllowed(file string, text []byte) ([]Signer, error) {
	var list []Signer
	for i, line := range strings.Split(strings.TrimPrefix(string(text), "\ufeff"), "\n") {
		line = strings.Trim(line, " \t\r")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		s, err := parseSigner(line)
		if err == nil && len(list) == MaxSigners {
			err = fmt.Errorf("the list has more than the limit of %d signers", MaxSigners)
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, i+1, err)
		}
		s.File, s.Line = file, i+1
		list = append(list, s)
	}
	return list, nil
}

var errFields = errors.New("a line is: PRINCIPALS [OPTIONS] KEYTYPE KEY [COMMENT]")

func parseSigner(line string) (Signer, error) {
	var s Signer
	var err error
	if s.Principals, line, err = field(line); err != nil {
		return s, err
	}
	s.Principals = strings.Trim(s.Principals, `"`)
	if s.Principals == "" {
		return s, errFields
	}
	next, rest, err := field(line)
	if err != nil {
		return s, err
	}
	if !isKeyType(next) {
		if err := s.options(next); err != nil {
			return s, err
		}
		if next, rest, err = field(rest); err != nil {
			return s, err
		}
	}
	blob, _, err := field(rest)
	if err != nil || !isKeyType(next) || blob == "" {
		return s, errFields
	}
	raw, err := base64.StdEncoding.DecodeString(blob)
	if err != nil {
		return s, fmt.Errorf("the key is not base64: %w", err)
	}
	if s.key, err = ssh.ParsePublicKey(raw); err != nil {
		return s, fmt.Errorf("reading the key: %w", err)
	}
	if s.key.Type() != next {
		return s, fmt.Errorf("the key is of type %s, not %s", s.key.Type(), next)
	}
	s.Fingerprint = ssh.FingerprintSHA256(s.key)
	return s, checkKey(s.key)
}

// isKeyType reports whether a field is the type of a key. Options have other names.
func isKeyType(f string) bool {
	return strings.HasPrefix(f, "ssh-") || strings.HasPrefix(f, "ecdsa-") || strings.HasPrefix(f, "sk-")
}

// field cuts the first field off a line. Blanks within quotes belong to the field, which keeps its quotes.
func field(line string) (first, rest string, err error) {
	quoted := false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\\' && quoted && i+1 < len(line) && line[i+1] == '"':
			i++
		case c == '"':
			quoted = !quoted
		case (c == ' ' || c == '\t') && !quoted:
			return line[:i], strings.TrimLeft(line[i:], " \t"), nil
		}
	}
	if quoted {
		return "", "", errors.New("a quote is not closed")
	}
	return line, "", nil
}

// options reads the options of a line: NAME="VALUE" or NAME, separated by commas.
func (s *Signer) options(list string) error {
	seen := map[string]bool{}
	for list != "" {
		name, value, rest, err := option(list)
		if err != nil {
			return err
		}
		if seen[name] {
			return fmt.Errorf("the option %s is there twice", name)
		}
		seen[name], list = true, rest
		switch name {
		case "namespaces":
			s.namespaces = strings.Split(value, ",")
			err = checkPatterns(s.namespaces)
		case "valid-after":
			s.after, err = parseTime(value)
		case "valid-before":
			s.before, err = parseTime(value)
		case "cert-authority":
			err = errors.New("cert-authority: aura verifies signatures by keys, not by certificates; list the keys of the signers")
		default:
			err = fmt.Errorf("unknown option %q; there are namespaces, valid-after and valid-before", name)
		}
		if err != nil {
			return err
		}
	}
	if !s.after.IsZero() && !s.before.IsZero() && !s.before.After(s.after) {
		return errors.New("valid-before is not after valid-after")
	}
	return nil
}

func option(list string) (name, value, rest string, err error) {
	end := strings.IndexAny(list, "=,")
	if end < 0 || list[end] == ',' {
		name, rest, _ = strings.Cut(list, ",")
		return strings.ToLower(name), "", rest, nil
	}
	name, list = strings.ToLower(list[:end]), list[end+1:]
	if !strings.HasPrefix(list, `"`) {
		return "", "", "", fmt.Errorf("the value of %s needs quotes", name)
	}
	var b strings.Builder
	for i := 1; i < len(list); i++ {
		switch {
		case list[i] == '\\' && i+1 < len(list) && list[i+1] == '"':
			i++
			b.WriteByte('"')
		case list[i] == '"':
			after := list[i+1:]
			if after != "" && !strings.HasPrefix(after, ",") {
				return "", "", "", fmt.Errorf("a comma is missing after %s", name)
			}
			return name, b.String(), strings.TrimPrefix(after, ","), nil
		default:
			b.WriteByte(list[i])
		}
	}
	return "", "", "", fmt.Errorf("the quote of %s is not closed", name)
}

func checkPatterns(patterns []string) error {
	for _, p := range patterns {
		if _, err := path.Match(p, ""); err != nil || p == "" {
			return fmt.Errorf("%q is not a pattern of namespaces", p)
		}
	}
	return nil
}

// parseTime reads a time as ssh-keygen does: YYYYMMDD, YYYYMMDDHHMM or YYYYMMDDHHMMSS, in the local time zone unless a Z follows.
func parseTime(text string) (time.Time, error) {
	digits, zone := text, time.Local
	if z := strings.TrimRight(text, "Zz"); len(z) == len(text)-1 {
		digits, zone = z, time.UTC
	}
	for _, layout := range []string{"20060102", "200601021504", "20060102150405"} {
		if len(digits) == len(layout) {
			if t, err := time.ParseInLocation(layout, digits, zone); err == nil {
				return t, nil
			}
		}
	}
	return time.Time{}, fmt.Errorf("%q is not a time; write YYYYMMDD or YYYYMMDDHHMMSS, with a Z for UTC", text)
}

// holds reports whether the line lets the key sign for a namespace.
func (s Signer) holds(namespace string) bool {
	return len(s.namespaces) == 0 || slices.ContainsFunc(s.namespaces, func(p string) bool {
		ok, err := path.Match(p, namespace)
		return err == nil && ok
	})
}

// validity returns an error if the key does not count at a time. What names the time.
func (s Signer) validity(at time.Time, what string) error {
	const shown = "2006-01-02 15:04:05 MST"
	switch {
	case !s.after.IsZero() && at.Before(s.after):
		return fmt.Errorf("%w: the key counts from %s, and %s is %s", ErrNotYetValid, s.after.UTC().Format(shown), what, at.UTC().Format(shown))
	case !s.before.IsZero() && !at.Before(s.before):
		return fmt.Errorf("%w: the key counted until %s, and %s is %s", ErrExpired, s.before.UTC().Format(shown), what, at.UTC().Format(shown))
	}
	return nil
}
