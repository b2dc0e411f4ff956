package web

import "sync"

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
