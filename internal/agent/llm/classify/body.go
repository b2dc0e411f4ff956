package classify

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"time"
	"unicode/utf8"
)

// longest is the maximum length of a service's message, in bytes.
const longest = 1000

// failure holds the details of an error that a body contains.
type failure struct {
	message string
	// code, kind and state are the service's own names for the error.
	code, kind, state string
	reasons           []string
	// perMinute is set if the exceeded quota is per minute and so recovers by itself.
	perMinute  bool
	retryDelay time.Duration
}

// HasError reports whether a body is JSON that describes an error.
func HasError(body []byte) bool {
	_, ok := parseJSON(body)
	return ok
}

// parse parses any body. A body that is not JSON becomes the message, unless it is an HTML page.
func parse(body []byte) failure {
	f, ok := parseJSON(body)
	if text := string(bytes.TrimSpace(body)); !ok && !strings.HasPrefix(text, "<") {
		f.message = text
	}
	f.message = shorten(f.message)
	return f
}

// parseJSON accepts {"error": {…}}, {"error": "…"}, an array of either, and the fields of an error at the top level.
func parseJSON(body []byte) (failure, bool) {
	body = bytes.TrimSpace(body)
	var list []json.RawMessage
	if json.Unmarshal(body, &list) == nil && len(list) > 0 {
		body = list[0]
	}
	var top struct {
		Error  json.RawMessage `json:"error"`
		Object string          `json:"object"`
		Detail json.RawMessage `json:"detail"`
		fields
	}
	if !object(body, &top) {
		return failure{}, false
	}
	inner := fields{}
	switch {
	case object(top.Error, &inner):
		return inner.failure(), true
	case given(top.Error):
		return failure{message: text(top.Error)}, true
	case given(top.Detail):
		return failure{message: text(top.Detail)}, true
	case top.Object == "error", top.Type == "error", top.Message != "" && given(top.Code):
		return top.failure(), true
	default:
		return failure{}, false
	}
}

// fields holds the fields that services use to describe errors. No service uses all of them.
type fields struct {
	Message  string          `json:"message"`
	Type     string          `json:"type"`
	Status   string          `json:"status"`
	Code     json.RawMessage `json:"code"`
	Metadata struct {
		Raw     json.RawMessage `json:"raw"`
		Reasons []string        `json:"reasons"`
	} `json:"metadata"`
	Details []struct {
		Reason     string `json:"reason"`
		RetryDelay string `json:"retryDelay"`
		Violations []struct {
			QuotaID string `json:"quotaId"`
		} `json:"violations"`
	} `json:"details"`
}

func (d fields) failure() failure {
	f := failure{message: d.Message, kind: d.Type, state: d.Status, reasons: d.Metadata.Reasons}
	if given(d.Code) {
		f.code = text(d.Code)
	}
	if given(d.Metadata.Raw) {
		f.message = strings.TrimPrefix(f.message+": "+text(d.Metadata.Raw), ": ")
	}
	for _, detail := range d.Details {
		f.reasons = append(f.reasons, detail.Reason)
		if delay, err := time.ParseDuration(detail.RetryDelay); err == nil && delay > 0 {
			f.retryDelay = delay
		}
		for _, v := range detail.Violations {
			f.perMinute = f.perMinute || strings.Contains(v.QuotaID, "PerMinute")
		}
	}
	return f
}

// object decodes a JSON object as far as possible. A field of an unexpected type does not prevent decoding the others.
func object(raw []byte, into any) bool {
	err := json.Unmarshal(raw, into)
	_, mistyped := errors.AsType[*json.UnmarshalTypeError](err)
	return bytes.HasPrefix(raw, []byte("{")) && (err == nil || mistyped)
}

func given(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }

// text returns the value of a JSON string, and any other JSON unchanged.
func text(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

// shorten limits s to longest bytes. It never splits a rune.
func shorten(s string) string {
	if len(s) <= longest {
		return s
	}
	cut := longest
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}
