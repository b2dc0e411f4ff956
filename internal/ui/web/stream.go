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

// change is a line of a stream: what changed in a box since the last line, and the order of all its items.
type change struct {
	Box   string   `json:"box"`
	Order []string `json:"order"`
	Items []item   `json:"items"`
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
	known := map[string][sha256.Size]byte{}
	orders := map[string][]string{}
	written := time.Time{}
	for {
		v, err := page(r)
		if err != nil || v.status != http.StatusOK {
			return // the page shows why when it is loaded again
		}
		list := changes(v.boxes, known, orders)
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
func changes(boxes []box, known map[string][sha256.Size]byte, orders map[string][]string) []change {
	list := []change{}
	for _, b := range boxes {
		c := change{Box: b.ID, Order: []string{}, Items: []item{}}
		for _, i := range b.Items {
			c.Order = append(c.Order, i.ID)
			key := b.ID + "\x00" + i.ID
			if sum := sha256.Sum256([]byte(i.HTML)); known[key] != sum {
				known[key] = sum
				c.Items = append(c.Items, i)
			}
		}
		before, seen := orders[b.ID]
		for _, id := range before {
			if !slices.Contains(c.Order, id) {
				delete(known, b.ID+"\x00"+id)
			}
		}
		if !seen || len(c.Items) > 0 || !slices.Equal(before, c.Order) {
			list = append(list, c)
		}
		orders[b.ID] = c.Order
	}
	return list
}
