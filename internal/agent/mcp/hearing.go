package mcp

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/idelchi/aura/internal/base/limit"
)

// hearing hands on what a server reports while it works: how far a call is, and its log. It never blocks the connection.
type hearing struct {
	mu sync.Mutex
	// calls holds the calls in progress by their tokens. next numbers the tokens.
	calls map[string]*followed
	next  int
	// logged holds the messages that wait for Options.Log. dropped counts those that found it full.
	logged  chan logLine
	dropped int
}

type logLine struct{ level, text string }

func newHearing() *hearing {
	return &hearing{calls: map[string]*followed{}, logged: make(chan logLine, limit.MCPLogLines)}
}

// followed is a call whose progress is shown. latest holds at most one text: a newer one replaces it.
type followed struct{ latest chan string }

// follow begins to show the progress of a call. status receives at most one text per interval, and none after stop has returned. The token
// identifies the call for the server.
func (h *hearing) follow(status func(text string), interval time.Duration) (token string, stop func()) {
	f := &followed{latest: make(chan string, 1)}
	h.mu.Lock()
	h.next++
	token = strconv.Itoa(h.next)
	h.calls[token] = f
	h.mu.Unlock()
	end, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case text := <-f.latest:
				status(text)
			case <-end:
				select {
				case text := <-f.latest:
					status(text)
				default:
				}
				return
			}
			timer := time.NewTimer(interval)
			select {
			case <-timer.C:
			case <-end:
			}
			timer.Stop()
		}
	}()
	return token, func() {
		h.mu.Lock()
		delete(h.calls, token)
		h.mu.Unlock()
		close(end)
		<-ended
	}
}

// heard takes a notification. It never blocks.
func (h *hearing) heard(method string, params json.RawMessage) {
	if method == methodProgress {
		h.progress(params)
		return
	}
	var m struct {
		Level  string `json:"level"`
		Logger string `json:"logger"`
		Data   any    `json:"data"`
	}
	if json.Unmarshal(params, &m) != nil {
		return
	}
	text, ok := m.Data.(string)
	if !ok {
		// What was decoded can be encoded.
		raw, _ := json.Marshal(m.Data)
		text = string(raw)
	}
	if m.Logger != "" {
		text = m.Logger + ": " + text
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.dropped > 0 {
		text = fmt.Sprintf("(%d messages are left out) %s", h.dropped, text)
	}
	select {
	case h.logged <- logLine{m.Level, text}:
		h.dropped = 0
	default:
		h.dropped++
	}
}

// progress replaces the text that is shown for a call. Reports about calls that have ended are dropped.
func (h *hearing) progress(params json.RawMessage) {
	var m struct {
		Token    any     `json:"progressToken"`
		Progress float64 `json:"progress"`
		Total    float64 `json:"total"`
		Message  string  `json:"message"`
	}
	if json.Unmarshal(params, &m) != nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	f := h.calls[fmt.Sprint(m.Token)]
	if f == nil {
		return
	}
	select {
	case <-f.latest:
	default:
	}
	f.latest <- describeProgress(m.Progress, m.Total, m.Message)
}

// describeProgress returns one line about how far a call is.
func describeProgress(done, total float64, message string) string {
	text := number(done)
	if total > 0 {
		text = fmt.Sprintf("%s of %s (%d%%)", number(done), number(total), int(math.Round(100*min(max(done/total, 0), 1))))
	}
	if message = strings.Join(strings.Fields(message), " "); message != "" {
		text += ": " + message
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}

func number(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

// log passes the messages of the server's log to Options.Log until the link has ended.
func (l *link) log(server string, to func(server, level, text string)) {
	for {
		select {
		case line := <-l.hearing.logged:
			if to != nil {
				to(server, line.level, line.text)
			}
		case <-l.gone:
			return
		}
	}
}
