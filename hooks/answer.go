package hooks

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// answer is what a hook says on its standard output when it succeeds.
type answer struct {
	message string
	deny    bool
	reason  string
	// note says what is wrong with the answer; empty if nothing is.
	note string
	// wrong is a value of the wrong type, for which the hook counts as failed; nil if there is none.
	wrong *AnswerError
}

// AnswerError is a value of the wrong type in an answer, or a key in the wrong case. What the hook meant is unknown, so it does not
// block the call.
type AnswerError struct {
	// Key is that of the value, and Want is what it must be.
	Key, Want string
	// Meant is the key that was probably meant; empty if the key is right.
	Meant string
}

func (e *AnswerError) Error() string {
	if e.Meant != "" {
		return fmt.Sprintf("reading its answer: unknown key %q; did you mean %q?", e.Key, e.Meant)
	}
	return fmt.Sprintf("reading its answer: %q is not %s", e.Key, e.Want)
}

// The bounds of what a note repeats of an answer.
const (
	maxNamed   = 5
	maxNameLen = 40
)

// readAnswer understands standard output. Whatever is not an object with at least one of our keys is a plain message.
func readAnswer(stdout []byte) answer {
	text := bytes.TrimSpace(stdout)
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
			// A hook that denies a call in so many words means it, whatever else is wrong with its answer.
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

// answerKey is a key of an answer and what it sets.
type answerKey struct {
	name string
	into any
}

// keys begin with deny, which counts also if the others are not what they should be.
func (a *answer) keys() []answerKey {
	return []answerKey{{"deny", &a.deny}, {"message", &a.message}, {"reason", &a.reason}}
}

// almost finds a key of ours in the wrong case, in an object that has none in the right one.
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

// list names the first few.
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
