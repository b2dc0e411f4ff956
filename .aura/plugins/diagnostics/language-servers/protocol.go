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
		if !ok || count == maxHeaders {
			return nil, fmt.Errorf("it sent %.60q in the place of a message", text)
		}
		if strings.EqualFold(name, "Content-Length") {
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

// diagnostics returns the diagnostics of a version of a file. before is what was published before that version was sent.
func (c *client) diagnostics(ctx context.Context, path string, version int, before publication) ([]diagnostic, error) {
	if c.pulls {
		return c.pull(ctx, path)
	}
	return c.awaitNews(ctx, path, version, before)
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

// awaitNews waits until the server publishes diagnostics by itself. A server that has nothing new to say may be silent; one that does not
// answer an unknown request hangs.
func (c *client) awaitNews(ctx context.Context, path string, version int, before publication) ([]diagnostic, error) {
	alive := c.send("$/aura/alive", nil)
	var settled <-chan time.Time
	for {
		now, news := c.current(path)
		if now.number > before.number && (!now.hasVersion || now.version >= version) && settled == nil {
			settled = time.After(settling)
		}
		select {
		case <-news:
		case <-settled:
			now, _ = c.current(path)
			return now.diagnostics, nil
		case <-c.gone:
			return nil, c.failure
		case <-ctx.Done():
			select {
			case <-alive:
				return c.publication(path).diagnostics, nil
			default:
				return nil, ctx.Err()
			}
		}
	}
}
