package language_servers

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"
)

const (
	// maxBody is the size of the largest message of a server, in bytes, maxHeaders how many lines stand before it.
	maxBody    = 16 << 20
	maxHeaders = 20
	// cancelled is the error of a server that wants to be asked again, since something changed meanwhile.
	cancelled = -32802
)

// diagnostic is what a server says about a place in a file. Lines and characters count from 0.
type diagnostic struct {
	Range struct {
		Start struct {
			Line      int `json:"line"`
			Character int `json:"character"`
		} `json:"start"`
	} `json:"range"`
	Severity int    `json:"severity"`
	Code     any    `json:"code"`
	Source   string `json:"source"`
	Message  string `json:"message"`

	path string
}

// code returns the code of a diagnostic, which is a number or a text.
func (d diagnostic) code() string {
	switch code := d.Code.(type) {
	case string:
		return code
	case float64:
		return strconv.FormatFloat(code, 'f', -1, 64)
	default:
		return ""
	}
}

// belongingTo returns the diagnostics of a file. One without a severity is an error.
func belongingTo(path string, list []diagnostic) []diagnostic {
	var out []diagnostic
	for _, d := range list {
		d.path = path
		if d.Severity < 1 || d.Severity > len(severities) {
			d.Severity = 1
		}
		out = append(out, d)
	}
	return out
}

// readMessage reads the body of a message.
func readMessage(from *bufio.Reader) ([]byte, error) {
	size := -1
	for count := 0; ; count++ {
		line, err := from.ReadSlice('\n')
		if err != nil {
			if errors.Is(err, io.EOF) && len(line) == 0 {
				return nil, io.EOF
			}
			return nil, fmt.Errorf("it sent no message: %w", err)
		}
		text := strings.TrimRight(string(line), "\r\n")
		if text == "" {
			break
		}
		name, value, ok := strings.Cut(text, ":")
		switch {
		case !ok || count == maxHeaders || !strings.HasPrefix(strings.ToLower(name), "content-"):
			return nil, fmt.Errorf("it sent %.60q in the place of a message", text)
		case strings.EqualFold(name, "Content-Length"):
			if size, err = strconv.Atoi(strings.TrimSpace(value)); err != nil || size < 0 {
				return nil, fmt.Errorf("it sent a message of the length %.60q", value)
			}
		}
	}
	if size < 0 {
		return nil, errors.New("it sent a message without a length")
	}
	if size > maxBody {
		return nil, fmt.Errorf("it sent a message of %d bytes, and %d is the limit", size, maxBody)
	}
	body := make([]byte, size)
	_, err := io.ReadFull(from, body)
	return body, err
}

// initialize says what the client can do and waits for the server's answer.
func (c *client) initialize(ctx context.Context) error {
	raw, err := c.await(ctx, c.send("initialize", map[string]any{
		"processId": os.Getpid(), "rootUri": uriOf(c.root), "rootPath": c.root, "workspaceFolders": c.folders(),
		"initializationOptions": c.language.options,
		"capabilities": map[string]any{
			"workspace": map[string]any{
				"configuration": true, "workspaceFolders": true, "didChangeWatchedFiles": map[string]any{"dynamicRegistration": true},
			},
			"textDocument": map[string]any{
				"synchronization":    map[string]any{"didSave": true},
				"publishDiagnostics": map[string]any{"versionSupport": true},
				"diagnostic":         map[string]any{"dynamicRegistration": false},
			},
			"window": map[string]any{"workDoneProgress": true},
		},
	}))
	if err != nil {
		return err
	}
	var told struct {
		Capabilities struct {
			Pulls json.RawMessage `json:"diagnosticProvider"`
		} `json:"capabilities"`
	}
	if err := json.Unmarshal(raw, &told); err != nil {
		return fmt.Errorf("it answered to initialize with what cannot be read: %w", err)
	}
	pulls := string(told.Capabilities.Pulls)
	c.pulls = pulls != "" && pulls != "null" && pulls != "false"
	c.notify("initialized", map[string]any{})
	return nil
}

// question is a file that a server is asked about. before is what it had published when the version was sent. again is set if it had that version
// already.
type question struct {
	path    string
	version int
	before  publication
	again   bool
}

// diagnostics returns the diagnostics of files.
func (c *client) diagnostics(ctx context.Context, asked []question) ([]diagnostic, error) {
	var found []diagnostic
	probe := &probe{arrived: c.send("$/aura/alive", nil)}
	for _, q := range asked {
		list, err := c.answerTo(ctx, q, probe)
		if err != nil {
			return nil, err
		}
		found = append(found, list...)
	}
	return found, nil
}

func (c *client) answerTo(ctx context.Context, q question, p *probe) ([]diagnostic, error) {
	switch {
	case c.pulls:
		return c.pull(ctx, q.path)
	case q.again && q.before.number > 0:
		return q.before.diagnostics, nil
	default:
		return c.awaitNews(ctx, q, p)
	}
}

// probe is a request that no server knows. One that does not refuse it hangs.
type probe struct {
	arrived chan answer
	alive   bool
}

func (p *probe) answered() bool {
	select {
	case <-p.arrived:
		p.alive = true
	default:
	}
	return p.alive
}

// pull asks for the diagnostics of a file.
func (c *client) pull(ctx context.Context, path string) ([]diagnostic, error) {
	for {
		raw, err := c.await(ctx, c.send("textDocument/diagnostic", map[string]any{"textDocument": map[string]any{"uri": uriOf(path)}}))
		var no *refusal
		if errors.As(err, &no) && no.code == cancelled {
			continue
		}
		if err != nil {
			return nil, err
		}
		var report struct {
			Items []diagnostic `json:"items"`
		}
		if err := json.Unmarshal(raw, &report); err != nil {
			return nil, fmt.Errorf("it sent diagnostics that cannot be read: %w", err)
		}
		return belongingTo(path, report.Items), nil
	}
}

// awaitNews waits until the server publishes diagnostics by itself. A server that has nothing new to say may be silent.
func (c *client) awaitNews(ctx context.Context, q question, p *probe) ([]diagnostic, error) {
	var settled <-chan time.Time
	for {
		now, news := c.current(q.path)
		if now.number > q.before.number && (!now.hasVersion || now.version >= q.version) && settled == nil {
			settled = time.After(settling)
		}
		select {
		case <-news:
		case <-settled:
			return c.publication(q.path).diagnostics, nil
		case <-c.gone:
			return nil, c.failure
		case <-ctx.Done():
			if p.answered() {
				return c.publication(q.path).diagnostics, nil
			}
			return nil, ctx.Err()
		}
	}
}
