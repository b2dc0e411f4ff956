package audit

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/idelchi/aura/internal/base/build"
)

// maxAnswer is how much of an answer is read, in bytes.
const maxAnswer = 64 << 10

// collector takes log records by OTLP over HTTP, encoded as JSON.
type collector struct {
	address string
	client  *http.Client
}

// newCollector returns the collector at an address. An address without a path is that of all signals.
func newCollector(address string) (*collector, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("%q is not the http or https address of a collector", address)
	}
	if strings.Trim(u.Path, "/") == "" {
		u.Path = "/v1/logs"
	}
	// The environment names no proxy: the user could choose one that takes the lines and keeps them.
	return &collector{address: u.String(), client: &http.Client{
		Transport:     &http.Transport{DisableKeepAlives: false, MaxIdleConns: 1},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

// The part of OTLP that is used.
type (
	value struct {
		StringValue string `json:"stringValue"`
	}
	attribute struct {
		Key   string `json:"key"`
		Value value  `json:"value"`
	}
	logRecord struct {
		Time       string      `json:"timeUnixNano"`
		Severity   int         `json:"severityNumber"`
		Word       string      `json:"severityText"`
		Event      string      `json:"eventName"`
		Body       value       `json:"body"`
		Attributes []attribute `json:"attributes"`
	}
)

// record returns the record of a line. Its body is the line.
func record(text []byte) (logRecord, error) {
	var line Line
	if err := json.Unmarshal(text, &line); err != nil {
		return logRecord{}, err
	}
	r := logRecord{
		Time: strconv.FormatInt(line.At.UnixNano(), 10), Severity: 9, Word: "INFO", Event: "aura.audit." + string(line.Kind), //nolint:mnd // INFO
		Body: value{string(bytes.TrimSuffix(text, []byte{'\n'}))},
	}
	for _, a := range []attribute{
		{"aura.audit.kind", value{string(line.Kind)}},
		{"aura.audit.action", value{line.Action}},
		{"aura.audit.name", value{line.Name}},
		{"session.id", value{line.Session}},
		{"user.name", value{line.User}},
		{"user.id", value{line.UID}},
	} {
		if a.Value.StringValue != "" {
			r.Attributes = append(r.Attributes, a)
		}
	}
	return r, nil
}

func (c *collector) write(ctx context.Context, lines [][]byte) (int, error) {
	records := make([]logRecord, len(lines))
	for i, line := range lines {
		var err error
		if records[i], err = record(line); err != nil {
			return 0, err
		}
	}
	body, err := json.Marshal(map[string]any{"resourceLogs": []any{map[string]any{
		"resource":  map[string]any{"attributes": []attribute{{"service.name", value{"aura"}}, {"service.version", value{build.Version}}}},
		"scopeLogs": []any{map[string]any{"scope": map[string]any{"name": "aura.audit"}, "logRecords": records}},
	}}})
	if err != nil {
		return 0, err
	}
	if err := c.post(ctx, body); err != nil {
		return 0, fmt.Errorf("sending to the collector: %w", err)
	}
	return len(lines), nil
}

// post sends a request. The collector takes all of it or none.
func (c *collector) post(ctx context.Context, body []byte) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.address, bytes.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	answer, err := c.client.Do(r)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	if err != nil {
		return err
	}
	if answer.StatusCode < http.StatusOK || answer.StatusCode >= http.StatusMultipleChoices {
		return fmt.Errorf("POST %s: %s", c.address, answer.Status)
	}
	var partly struct {
		PartialSuccess struct {
			Rejected json.RawMessage `json:"rejectedLogRecords"`
			Message  string          `json:"errorMessage"`
		} `json:"partialSuccess"`
	}
	if json.Unmarshal(text, &partly) == nil {
		if n := strings.Trim(string(partly.PartialSuccess.Rejected), `"`); n != "" && n != "0" && n != "null" {
			return errors.New("the collector refused records: " + partly.PartialSuccess.Message)
		}
	}
	return nil
}
