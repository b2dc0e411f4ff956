package network

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// The limits of DNS, in bytes.
const (
	maxName  = 253
	maxLabel = 63
)

// Localhost is the name of this machine.
const Localhost = "localhost"

// Name returns a host name as DNS compares it: lower case, punycode, without the dot at its end. It refuses what is not a host name,
// and addresses in every notation.
func Name(s string) (string, error) {
	name, err := canonical(s)
	if err != nil {
		return "", fmt.Errorf("%q is not a host name: %w", shortened(s), err)
	}
	return name, nil
}

func canonical(s string) (string, error) {
	// A letter of a name in Unicode takes at most four bytes.
	if len(s) > 4*(maxName+1) {
		return "", fmt.Errorf("it has more than %d bytes", maxName)
	}
	if !utf8.ValidString(s) {
		return "", errors.New("it is not valid UTF-8")
	}
	name := strings.TrimSuffix(s, ".")
	if name == "" {
		return "", errors.New("it is empty")
	}
	if foreign(name) {
		var err error
		if name, err = idna.Lookup.ToASCII(name); err != nil {
			return "", errors.New("its international form is not valid")
		}
		name = strings.TrimSuffix(name, ".")
	}
	name = strings.ToLower(name)
	if len(name) > maxName {
		return "", fmt.Errorf("it has more than %d bytes", maxName)
	}
	last := ""
	for label := range strings.SplitSeq(name, ".") {
		if err := checkLabel(label); err != nil {
			return "", err
		}
		last = label
	}
	if numeric(last) {
		return "", errors.New("it ends in a number, as an address does; write an address as four decimal numbers, or in brackets for IPv6")
	}
	return name, nil
}

// foreign reports whether a name has letters outside of ASCII, or a label that stands for such letters.
func foreign(name string) bool {
	for i := range len(name) {
		if name[i] >= 0x80 {
			return true
		}
	}
	for label := range strings.SplitSeq(name, ".") {
		if len(label) >= 4 && strings.EqualFold(label[:4], "xn--") {
			return true
		}
	}
	return false
}

// checkLabel checks a part of a name between dots. Names of hosts on the internet have underscores, although RFC 1123 allows none.
func checkLabel(label string) error {
	switch {
	case label == "":
		return errors.New("a part between its dots is empty")
	case len(label) > maxLabel:
		return fmt.Errorf("a part between its dots has more than %d bytes", maxLabel)
	case label[0] == '-' || label[len(label)-1] == '-':
		return errors.New("a part between its dots begins or ends with a hyphen")
	}
	for i := range len(label) {
		switch c := label[i]; {
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9', c == '-', c == '_':
		default:
			return fmt.Errorf("it has the character %q", rune(c))
		}
	}
	return nil
}

// numeric reports whether programs read a name with this last label as an address: 1, 0177, 0x7f.
func numeric(label string) bool {
	digits := "0123456789"
	if rest, ok := strings.CutPrefix(label, "0x"); ok {
		label, digits = rest, digits+"abcdef"
	}
	return strings.Trim(label, digits) == ""
}

// shortened returns the beginning of a long text.
func shortened(s string) string {
	const most = 80
	if len(s) <= most {
		return s
	}
	return s[:most] + "…"
}
