package web

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/internal/base/limit"
)

// Pages keeps the texts of pages that a session fetched. The zero value is ready for use, and nil keeps none. Several goroutines may use it.
type Pages struct {
	mu    sync.Mutex
	texts map[string]string
	// order holds the addresses, the oldest first. size is the size of all texts.
	order []string
	size  int
}

// Tool returns a tool that fetches each page once and shows a part of it.
func (p *Pages) Tool(t tool.Tool) tool.Tool { return paged{t, p} }

type paged struct {
	tool.Tool
	pages *Pages
}

// Unwrap returns the tool itself.
func (t paged) Unwrap() tool.Tool { return t.Tool }

// Execute returns the part of the page from offset on.
func (t paged) Execute(ctx context.Context, call tool.Call) (string, error) {
	key, _ := call.Args["url"].(string)
	if address, err := Address(key); err == nil {
		key = address.String()
	}
	fresh, _ := call.Args["fresh"].(bool)
	offset := number(call.Args["offset"])
	if text, ok := t.pages.find(key); ok && !fresh {
		return part(text, offset)
	}
	given := false
	if attach := call.Attach; attach != nil {
		call.Attach = func(name string, data []byte) (string, error) {
			given = true
			return attach(name, data)
		}
	}
	text, err := t.Tool.Execute(ctx, call)
	if err != nil {
		shown, _ := part(text, 0)
		return shown, err
	}
	if !given {
		t.pages.store(key, text)
	}
	return part(text, offset)
}

// number returns an integer argument, which has one of the types of JSON.
func number(v any) int {
	switch v := v.(type) {
	case int:
		return v
	case float64:
		return int(v)
	default:
		return 0
	}
}

// part returns a part of a text, and says where to go on.
func part(text string, offset int) (string, error) {
	if offset > 0 && offset >= len(text) {
		return "", fmt.Errorf("the page has no offset %d; it has %d bytes", offset, len(text))
	}
	for offset > 0 && !utf8.RuneStart(text[offset]) {
		offset--
	}
	rest := text[offset:]
	if len(rest) <= limit.PagePart {
		return rest, nil
	}
	end := limit.PagePart
	if line := strings.LastIndexByte(rest[:end], '\n'); line > limit.PagePart/2 {
		end = line + 1
	}
	for !utf8.RuneStart(rest[end]) {
		end--
	}
	return fmt.Sprintf("%s\n[... %d of %d bytes; go on with offset %d ...]", rest[:end], offset+end, len(text), offset+end), nil
}

func (p *Pages) find(key string) (string, bool) {
	if p == nil {
		return "", false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	text, ok := p.texts[key]
	return text, ok
}

func (p *Pages) store(key, text string) {
	if p == nil || len(text) > limit.PageBytes {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.texts == nil {
		p.texts = map[string]string{}
	}
	if old, ok := p.texts[key]; ok {
		p.size += len(text) - len(old)
		p.texts[key] = text
	} else {
		p.texts[key], p.order, p.size = text, append(p.order, key), p.size+len(text)
	}
	for len(p.order) > limit.Pages || p.size > limit.PageBytes {
		p.size -= len(p.texts[p.order[0]])
		delete(p.texts, p.order[0])
		p.order = p.order[1:]
	}
}
