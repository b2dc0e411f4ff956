package recording

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"reflect"
	"slices"

	"github.com/idelchi/aura/sdk"
)

// The names of the growing lists in a context.
const (
	listTurns    = "Turns"
	listTools    = "ToolHistory"
	listMessages = "Messages"
)

// entries numbers the entries of lists. Most entries of a list are those of the list before it, at the same place.
type entries struct {
	// numbers holds the numbers of long entries. There are count entries in all.
	numbers  map[[sha256.Size]byte]int
	count    int
	turns    column[sdk.Turn]
	tools    column[sdk.ToolCall]
	messages column[sdk.Message]
	// redacted holds the numbers of entries that secrets were removed from.
	redacted map[int]bool
	// fresh are the entries that are not written yet.
	fresh []json.RawMessage
}

// column is the newest list of one name, with the numbers of its entries.
type column[T any] struct {
	list    []T
	numbers []int
	// ranges are the numbers in their short form. redacted says that secrets were removed from one of the entries.
	ranges   ranges
	redacted bool
}

func newEntries() *entries {
	return &entries{numbers: make(map[[sha256.Size]byte]int), redacted: make(map[int]bool)}
}

// columnOf returns the numbers of a list's entries. It reports whether secrets were removed from one of them.
func columnOf[T any](e *entries, c *column[T], list []T, hide hider) (out ranges, redacted bool, err error) {
	// A list only grows at its end, so its beginning needs no comparison.
	grown := len(c.list) > 0 && len(list) >= len(c.list) && &list[0] == &c.list[0]
	next := column[T]{list: list, numbers: c.numbers[:0:0], ranges: ranges{}}
	if grown {
		next.numbers, next.ranges, next.redacted = c.numbers, slices.Clone(c.ranges), c.redacted
	}
	for i := len(next.numbers); i < len(list); i++ {
		var n int
		if i < len(c.list) && reflect.DeepEqual(&list[i], &c.list[i]) {
			n = c.numbers[i]
		} else if n, err = e.number(&list[i], hide); err != nil {
			return nil, false, err
		}
		next.numbers = append(next.numbers, n)
		next.ranges.add(n)
		next.redacted = next.redacted || e.redacted[n]
	}
	*c = next
	return next.ranges, next.redacted, nil
}

// number returns the number of an entry, which is a pointer: a new number if the content is new.
func (e *entries) number(entry any, hide hider) (int, error) {
	raw, redacted, err := hide.exact(entry)
	if err != nil {
		return 0, err
	}
	n := e.numberOf(raw)
	if redacted {
		e.redacted[n] = true
	}
	return n, nil
}

// short is the size of an entry in bytes up to which the entry is written again if it occurs again. The entries of a list then have
// numbers in sequence, which take no space.
const short = 256

// numberOf returns the number of an entry in its encoded form. An entry that is new gets one.
func (e *entries) numberOf(raw json.RawMessage) int {
	if len(raw) <= short {
		return e.add(raw)
	}
	key := sha256.Sum256(raw)
	n, ok := e.numbers[key]
	if !ok {
		n = e.add(raw)
		e.numbers[key] = n
	}
	return n
}

// add gives an entry the next number.
func (e *entries) add(raw json.RawMessage) int {
	e.fresh = append(e.fresh, bytes.Clone(raw))
	e.count++
	return e.count - 1
}

// known continues the numbers of an earlier run.
func (e *entries) known(earlier []json.RawMessage) {
	for n, raw := range earlier {
		if len(raw) > short {
			e.numbers[sha256.Sum256(raw)] = n
		}
	}
	e.count = len(earlier)
}

// strip takes the lists out of a context, which it does not change, and returns their numbers and a pointer to the rest.
func (e *entries) strip(context any, hide hider) (stripped any, lists map[string]ranges, redacted bool, err error) {
	v := reflect.New(reflect.TypeOf(context))
	v.Elem().Set(reflect.ValueOf(context))
	stripped, lists = v.Interface(), make(map[string]ranges)
	addColumn := func(name string, numbers ranges, hidden bool, failed error) {
		if lists[name], redacted = numbers, redacted || hidden; failed != nil {
			err = failed
		}
	}
	base, ok := stripped.(*sdk.Context)
	if f := v.Elem().FieldByName("Context"); !ok && f.IsValid() {
		base, ok = reflect.TypeAssert[*sdk.Context](f.Addr())
	}
	if ok && base.Turns != nil {
		numbers, hidden, failed := columnOf(e, &e.turns, base.Turns, hide)
		addColumn(listTurns, numbers, hidden, failed)
		base.Turns = nil
	}
	if ok && base.ToolHistory != nil {
		numbers, hidden, failed := columnOf(e, &e.tools, base.ToolHistory, hide)
		addColumn(listTools, numbers, hidden, failed)
		base.ToolHistory = nil
	}
	if c, ok := stripped.(*sdk.TransformContext); ok && c.Messages != nil {
		numbers, hidden, failed := columnOf(e, &e.messages, c.Messages, hide)
		addColumn(listMessages, numbers, hidden, failed)
		c.Messages = nil
	}
	return stripped, lists, redacted, err
}
