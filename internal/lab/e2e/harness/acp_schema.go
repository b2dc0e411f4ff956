//go:build linux

package harness

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// protocol returns the definitions of the published schema by method: the parameters and the results.
var protocol = sync.OnceValues(func() (defs map[string]*jsonschema.Schema, err error) {
	const file = "../testdata/acp/schema.json"
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var document struct {
		Defs map[string]struct {
			Method string `json:"x-method"`
		} `json:"$defs"`
	}
	if err := json.Unmarshal(raw, &document); err != nil {
		return nil, err
	}
	whole, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("acp.json", whole); err != nil {
		return nil, err
	}
	defs = map[string]*jsonschema.Schema{}
	for name, def := range document.Defs {
		key := ""
		switch {
		case name == "Error":
			key = "error"
		case def.Method == "":
			continue
		case strings.HasSuffix(name, "Response"):
			key = "result of " + def.Method
		default:
			key = "params of " + def.Method
		}
		if defs[key], err = c.Compile("acp.json#/$defs/" + name); err != nil {
			return nil, err
		}
	}
	return defs, nil
})

// Wire checks the messages between a client and aura.
type Wire struct {
	t    *testing.T
	defs map[string]*jsonschema.Schema

	mu sync.Mutex
	// asked holds the methods of the requests that are not answered, by direction and id.
	asked map[string]string
	// count counts the messages by what was checked.
	count map[string]int
}

// NewWire returns a checker of the messages of one connection.
func NewWire(t *testing.T) *Wire {
	t.Helper()
	defs, err := protocol()
	if err != nil {
		t.Fatal(err)
	}
	return &Wire{t: t, defs: defs, asked: map[string]string{}, count: map[string]int{}}
}

// Counted returns how often a part of a message was checked.
func (w *Wire) Counted(key string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.count[key]
}

// Expect notes a request of a client that is not checked itself.
func (w *Wire) Expect(line string) {
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
	}
	if len(line) < 1<<20 && json.Unmarshal([]byte(line), &m) == nil && m.Method != "" && m.ID != nil {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.asked["client"+string(m.ID)] = m.Method
	}
}

// check checks one line. from is who sent it.
func (w *Wire) check(from string, line []byte) {
	var m struct {
		JSONRPC string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Method  string          `json:"method"`
		Params  json.RawMessage `json:"params"`
		Result  json.RawMessage `json:"result"`
		Error   json.RawMessage `json:"error"`
	}
	if err := json.Unmarshal(line, &m); err != nil || m.JSONRPC != "2.0" {
		w.t.Errorf("%s sent what is no message: %q (%v)", from, line, err)
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	other := map[string]string{"aura": "client", "client": "aura"}[from]
	switch {
	case m.Method != "":
		if m.ID != nil {
			w.asked[from+string(m.ID)] = m.Method
		}
		w.valid(from, "params of "+m.Method, m.Params, line)
	case m.Error != nil:
		delete(w.asked, other+string(m.ID))
		w.valid(from, "error", m.Error, line)
	default:
		method, known := w.asked[other+string(m.ID)]
		if !known {
			w.t.Errorf("%s answered what nobody asked: %s", from, line)
		}
		delete(w.asked, other+string(m.ID))
		w.valid(from, "result of "+method, m.Result, line)
	}
}

// valid validates a part of a message. Methods that begin with an underscore are not part of the protocol.
func (w *Wire) valid(from, key string, part, line []byte) {
	w.count[key]++
	def, ok := w.defs[key]
	if !ok {
		if !strings.Contains(key, " of _") {
			w.t.Errorf("%s: the schema has no %s: %s", from, key, line)
		}
		return
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(part))
	if err == nil {
		err = def.Validate(value)
	}
	if err != nil {
		w.t.Errorf("%s sent invalid %s: %v\n%s", from, key, err, line)
	}
}

// lineChecker calls check with each complete line that is written to it.
type lineChecker struct {
	from string
	wire *Wire
	rest []byte
}

func (l *lineChecker) add(p []byte) {
	l.rest = append(l.rest, p...)
	for {
		line, rest, found := bytes.Cut(l.rest, []byte("\n"))
		if !found {
			return
		}
		l.wire.check(l.from, line)
		l.rest = bytes.Clone(rest)
	}
}

// Receiving checks what aura writes.
func (w *Wire) Receiving(r io.Reader) io.Reader {
	return &checkedReader{r, lineChecker{from: "aura", wire: w}}
}

func (w *Wire) sending(to io.Writer) io.Writer {
	return &checkedWriter{to, lineChecker{from: "client", wire: w}}
}

type checkedReader struct {
	io.Reader
	lines lineChecker
}

func (c *checkedReader) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.lines.add(p[:n])
	return n, err
}

type checkedWriter struct {
	io.Writer
	lines lineChecker
}

func (c *checkedWriter) Write(p []byte) (int, error) {
	c.lines.add(p)
	return c.Writer.Write(p)
}
