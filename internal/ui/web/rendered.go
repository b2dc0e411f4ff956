package web

import (
	"crypto/sha256"
	"sync"
)

// keptPages is how many pages are kept.
const keptPages = 16

// rendered keeps the boxes of pages that show a file which may not have changed. It may be used from any goroutine.
type rendered struct {
	mu   sync.Mutex
	kept map[string]keptPage
}

// keptPage is a page as it was for a version of its file.
type keptPage struct {
	version string
	boxes   []box
}

// get returns the boxes of a page for a version of its file.
func (r *rendered) get(key, version string) ([]box, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	page, ok := r.kept[key]
	return page.boxes, ok && page.version == version
}

// put keeps the boxes of a page. If there are too many pages, all others are forgotten.
func (r *rendered) put(key, version string, boxes []box) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, known := r.kept[key]; r.kept == nil || !known && len(r.kept) >= keptPages {
		r.kept = map[string]keptPage{}
	}
	r.kept[key] = keptPage{version, boxes}
}

// maxDrawn is how many rows of a list are kept.
const maxDrawn = 4096

// drawnRows keeps the items of a list by their ids. K is all that an item depends on. It may be used from any goroutine.
type drawnRows[K comparable] struct {
	mu   sync.Mutex
	kept map[string]drawnRow[K]
}

type drawnRow[K comparable] struct {
	of K
	item
}

// drawn returns an item for each key. It draws only those whose key has changed.
func drawn[K comparable](rows *drawnRows[K], keys []K, id func(K) string, draw func(int) (ready, error)) ([]item, error) {
	rows.mu.Lock()
	defer rows.mu.Unlock()
	if len(rows.kept) > maxDrawn || rows.kept == nil {
		rows.kept = map[string]drawnRow[K]{}
	}
	out := make([]item, 0, len(keys))
	for i, key := range keys {
		name := id(key)
		row, known := rows.kept[name]
		if !known || row.of != key {
			html, err := draw(i)
			if err != nil {
				return nil, err
			}
			row = drawnRow[K]{key, newItem(name, html)}
			rows.kept[name] = row
		}
		out = append(out, row.item)
	}
	return out, nil
}

// newItem returns an item with the sum by which streams recognize it.
func newItem(id string, html ready) item {
	return item{ID: id, HTML: html, sum: sha256.Sum256([]byte(html))}
}
