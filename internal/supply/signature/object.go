package signature

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// MaxObject is the size of the largest commit or tag that is verified, in bytes.
const MaxObject = 1 << 20

// Kind is the kind of a git object that can be signed.
type Kind string

// The kinds.
const (
	Commit Kind = "commit"
	Tag    Kind = "tag"
)

// object is a git object, split into what was signed and the signature.
type object struct {
	payload, armored []byte
	// when is the time that the committer or tagger claims.
	when time.Time
	// name is the name of a tag.
	name string
}

var (
	sshBegin = []byte("-----BEGIN SSH SIGNATURE-----")
	begins   = [][]byte{
		sshBegin, []byte("-----BEGIN PGP SIGNATURE-----"), []byte("-----BEGIN PGP MESSAGE-----"), []byte("-----BEGIN SIGNED MESSAGE-----"),
	}
)

// split reads an object, whose bytes are those that git hashes, without the header that holds the kind and the size.
func split(kind Kind, raw []byte) (object, error) {
	if len(raw) > MaxObject {
		return object{}, fmt.Errorf("the %s has more than the limit of %d bytes", kind, MaxObject)
	}
	if kind == Tag {
		return splitTag(raw)
	}
	return splitCommit(raw)
}

// splitCommit takes the signature out of the headers. Git removes the signatures of both hash functions from what is signed.
func splitCommit(raw []byte) (object, error) {
	var o object
	headers, message, found := bytes.Cut(raw, []byte("\n\n"))
	if !found {
		headers, message = bytes.TrimSuffix(raw, []byte("\n")), nil
	}
	signatures, inSignature, skipped := 0, false, false
	for line := range bytes.SplitAfterSeq(append(bytes.Clone(headers), '\n'), []byte("\n")) {
		name, value, _ := strings.Cut(strings.TrimSuffix(string(line), "\n"), " ")
		switch {
		case len(line) == 0:
			continue
		case line[0] == ' ': // the line continues the header above
			if inSignature {
				o.armored = append(o.armored, line[1:]...)
			}
		case name == "gpgsig":
			signatures++
			inSignature, skipped = true, true
			o.armored = append(o.armored, value+"\n"...)
		default:
			inSignature, skipped = false, name == "gpgsig-sha256"
		}
		if !skipped {
			o.payload = append(o.payload, line...)
		}
		if name == "committer" && line[0] != ' ' {
			var err error
			if o.when, err = identityTime(value); err != nil {
				return o, err
			}
		}
	}
	if signatures > 1 {
		return o, errors.New("the commit has more than one signature")
	}
	if found {
		o.payload = append(append(o.payload, '\n'), message...)
	}
	return o, nil
}

// splitTag takes the signature off the end of the message: from the last line that begins a signature.
func splitTag(raw []byte) (object, error) {
	o := object{payload: raw}
	for at := 0; at < len(raw); {
		for _, begin := range begins {
			if bytes.HasPrefix(raw[at:], begin) {
				o.payload, o.armored = raw[:at], raw[at:]
			}
		}
		end := bytes.IndexByte(raw[at:], '\n')
		if end < 0 {
			break
		}
		at += end + 1
	}
	headers, _, _ := bytes.Cut(o.payload, []byte("\n\n"))
	for line := range strings.SplitSeq(string(headers), "\n") {
		name, value, _ := strings.Cut(line, " ")
		var err error
		switch name {
		case "tag":
			o.name = value
		case "tagger":
			o.when, err = identityTime(value)
		}
		if err != nil {
			return o, err
		}
	}
	return o, nil
}

// identityTime reads the time behind a name and an address.
func identityTime(identity string) (time.Time, error) {
	_, behind, found := strings.Cut(identity[strings.LastIndexByte(identity, '<')+1:], "> ")
	seconds, _, _ := strings.Cut(behind, " ")
	n, err := strconv.ParseInt(seconds, 10, 64)
	if !found || err != nil || n < 0 || n > 1<<40 {
		return time.Time{}, fmt.Errorf("%.100q has no time that can be read", identity)
	}
	return time.Unix(n, 0), nil
}
