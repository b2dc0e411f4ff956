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
	// prompt, context, decision and goOn are answers of single events.
	prompt   *string
	context  string
	decision string
	goOn     bool
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

// The answers that only some events have.
const (
	keyPrompt   = "prompt"
	keyContext  = "context"
	keyDecision = "decision"
	keyContinue = "continue"
)

// The values of the answer "decision".
const (
	decisionAllow = "allow"
	decisionDeny  = "deny"
)

// trimmed returns standard output without blanks around it. Some programs write a byte order mark before their output.
func trimmed(stdout []byte) []byte {
	return bytes.TrimSpace(bytes.TrimPrefix(bytes.TrimSpace(stdout), []byte("\ufeff")))
}

// readAnswer parses standard output. Output that is not an object with at least one known key is a plain message.
func readAnswer(stdout []byte, at moment) answer {
	text := trimmed(stdout)
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
	for _, key := range a.keys(at) {
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
		asText.wrong = a.almost(at, fields)
		return asText
	}
	if len(fields) > 0 {
		var names []string
		for _, key := range a.keys(at) {
			names = append(names, key.name)
		}
		slices.Sort(names)
		a.note = "its answer has unknown keys: " + list(slices.Sorted(maps.Keys(fields))) + "; known: " + known(names)
	}
	switch a.decision {
	case "", decisionAllow:
	case decisionDeny:
		a.deny = true
	default:
		asText.wrong = &AnswerError{Key: keyDecision, Want: `"allow" or "deny"`}
		return asText
	}
	return a
}

// answerKey is a key of an answer and the target of its value.
type answerKey struct {
	name string
	into any
}

// keys returns the keys that an event knows. deny is first, because it applies even if the other values are invalid.
func (a *answer) keys(at moment) []answerKey {
	own := map[string]any{keyPrompt: &a.prompt, keyContext: &a.context, keyDecision: &a.decision, keyContinue: &a.goOn}
	out := []answerKey{{"deny", &a.deny}, {"message", &a.message}, {"reason", &a.reason}}
	for _, name := range at.keys {
		out = append(out, answerKey{name, own[name]})
	}
	return out
}

// almost finds a known key in the wrong case. It is called for an object without known keys in the correct case.
func (a *answer) almost(at moment, fields map[string]json.RawMessage) *AnswerError {
	for _, key := range a.keys(at) {
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
