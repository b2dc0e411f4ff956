package hooks

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// answer is the parsed standard output of a hook that succeeded.
type answer struct {
	message string
	deny    bool
	reason  string
	// note describes a problem with the answer. It is empty if there is none.
	note string
	// wrong is set for a value of the wrong type. The hook then counts as failed.
	wrong *AnswerError
}

// AnswerError reports a value of the wrong type in an answer, or a key in the wrong case. The hook's intention is unknown, so
// the error does not block the call.
type AnswerError struct {
	// Key is the key of the value. Want describes the required type.
	Key, Want string
	// Meant is the key that was probably intended. It is empty if the key is correct.
	Meant string
}

func (e *AnswerError) Error() string {
	if e.Meant != "" {
		return fmt.Sprintf("reading its answer: unknown key %q; did you mean %q?", e.Key, e.Meant)
	}
	return fmt.Sprintf("reading its answer: %q is not %s", e.Key, e.Want)
}

// The limits of what a note quotes from an answer.
const (
	maxNamed   = 5
	maxNameLen = 40
)

// readAnswer parses standard output. Output that is not an object with at least one known key is a plain message.
func readAnswer(stdout []byte) answer {
	// Some programs write a byte order mark before their output.
	text := bytes.TrimSpace(bytes.TrimPrefix(bytes.TrimSpace(stdout), []byte("\ufeff")))
	asText := answer{message: string(text)}
	if len(text) == 0 || text[0] != '{' {
		return asText
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil {
		asText.note = "this was read as plain text, since it is not valid JSON: " + err.Error()
		return asText
	}
	var a answer
	ours := 0
	for _, key := range a.keys() {
		value, ok := fields[key.name]
		if !ok {
			continue
		}
		ours++
		delete(fields, key.name)
		if err := json.Unmarshal(value, key.into); err != nil {
			// An explicit deny is respected, whatever else is wrong with the answer.
			if asText.deny = a.deny; asText.deny {
				asText.note = fmt.Sprintf("this was read as plain text, since %q is not %s", key.name, wanted(key.into))
			} else {
				asText.wrong = &AnswerError{Key: key.name, Want: wanted(key.into)}
			}
			return asText
		}
	}
	if ours == 0 && len(fields) > 0 {
		asText.wrong = a.almost(fields)
		return asText
	}
	if len(fields) > 0 {
		a.note = "its answer has unknown keys: " + list(slices.Sorted(maps.Keys(fields))) + "; known: deny, message, reason"
	}
	return a
}

// answerKey is a key of an answer and the target of its value.
type answerKey struct {
	name string
	into any
}

// keys returns the known keys. deny is first, because it applies even if the other values are invalid.
func (a *answer) keys() []answerKey {
	return []answerKey{{"deny", &a.deny}, {"message", &a.message}, {"reason", &a.reason}}
}

// almost finds a known key in the wrong case. It is called for an object without known keys in the correct case.
func (a *answer) almost(fields map[string]json.RawMessage) *AnswerError {
	for _, key := range a.keys() {
		for _, name := range slices.Sorted(maps.Keys(fields)) {
			if strings.EqualFold(name, key.name) {
				return &AnswerError{Key: name, Meant: key.name}
			}
		}
	}
	return nil
}

func wanted(into any) string {
	if _, ok := into.(*bool); ok {
		return "true or false"
	}
	return "a text"
}

// list joins the first few names.
func list(names []string) string {
	more := ""
	if len(names) > maxNamed {
		more = fmt.Sprintf(" and %d more", len(names)-maxNamed)
		names = names[:maxNamed]
	}
	short := make([]string, len(names))
	for i, name := range names {
		if r := []rune(name); len(r) > maxNameLen {
			name = string(r[:maxNameLen]) + "…"
		}
		short[i] = name
	}
	return strings.Join(short, ", ") + more
}
