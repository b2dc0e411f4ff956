package web

import (
	"crypto/sha256"
	"encoding/json"
	"net/http"
	"slices"
	"time"
)

// streamType is what our script accepts when it asks for changes.
const streamType = "application/x-ndjson"

const (
	// liveInterval is how often a stream looks for changes.
	liveInterval = 250 * time.Millisecond
	// silence is after how long a stream says that nothing changed, so that the client knows that it is alive.
	silence = 5 * time.Second
)

// change is a part of a line of a stream: what changed in a box since the last line. Order has the ids of all its items if they are others or in
// another order.
type change struct {
	Box   string   `json:"box"`
	Order []string `json:"order,omitzero"`
	Items []item   `json:"items"`
}

// sent is what a client has of a box.
type sent struct {
	items []item
	order []string
	sums  map[string][sha256.Size]byte
}

// stream writes the changes of a page as JSON lines until the client goes. It looks again only when the client has accepted the last line, so
// that a client that does not read costs nothing: it misses steps, never the newest state.
func (s *site) stream(w http.ResponseWriter, r *http.Request, page pageFunc) {
	select {
	case s.streams <- struct{}{}:
		defer func() { <-s.streams }()
	default:
		refuse(w, http.StatusServiceUnavailable, "too many pages are open; close some of them")
		return
	}
	w.Header().Set("Content-Type", streamType)
	out := http.NewResponseController(w)
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false) // the HTML is about as long as without; no browser takes a stream for a page
	known := map[string]*sent{}
	written := time.Time{}
	for {
		v, err := page(r)
		if err != nil || v.status != http.StatusOK {
			return // the page shows why when it is loaded again
		}
		list := changes(v.boxes, known)
		if len(list) > 0 || time.Since(written) > silence {
			if out.SetWriteDeadline(time.Now().Add(writeTime)) != nil || encoder.Encode(list) != nil || out.Flush() != nil {
				return
			}
			written = time.Now()
		}
		if !wait(r, liveInterval) {
			return
		}
	}
}

// wait waits, and returns false if the client or the server is gone.
func wait(r *http.Request, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-r.Context().Done():
		return false
	}
}

// changes returns what is different in the boxes since the last call, and notes what they hold now.
func changes(boxes []box, known map[string]*sent) []change {
	list := []change{}
	for _, b := range boxes {
		before, seen := known[b.ID]
		if !seen {
			before = &sent{sums: map[string][sha256.Size]byte{}}
			known[b.ID] = before
		}
		if c, changed := before.change(b); changed || !seen {
			list = append(list, c)
		}
	}
	return list
}

// change returns what is different in a box.
func (s *sent) change(b box) (c change, changed bool) {
	c = change{Box: b.ID, Items: []item{}}
	if len(b.Items) > 0 && len(b.Items) == len(s.items) && &b.Items[0] == &s.items[0] {
		return c, false // the same items, which are never changed
	}
	order := make([]string, len(b.Items))
	for i, one := range b.Items {
		order[i] = one.ID
		if sum, ok := s.sums[one.ID]; !ok || sum != one.sum {
			s.sums[one.ID] = one.sum
			c.Items = append(c.Items, one)
		}
	}
	if s.order == nil || !slices.Equal(s.order, order) {
		c.Order = order
		for _, id := range s.order {
			if !slices.Contains(order, id) {
				delete(s.sums, id)
			}
		}
	}
	s.items, s.order = b.Items, order
	return c, len(c.Items) > 0 || c.Order != nil
}
