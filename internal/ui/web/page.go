package web

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"html/template"
	"net/http"
)

//go:embed pages
var pageFiles embed.FS

// templates are the pages and their parts. html/template escapes every value for the place where it stands.
var templates = template.Must(template.New("").ParseFS(pageFiles, "pages/*.html"))

// layout is what every page shows around its own part.
type layout struct {
	Title string
	// Section is the address of the page's section in the navigation.
	Section string
	Body    ready
	// Live is set if the page has a stream of changes.
	Live bool
}

// view is a page before it is written: what does not change while it is open, and boxes whose items do.
type view struct {
	status int
	layout layout
	// page is the name of the template, and model its data besides the boxes.
	page  string
	model any
	boxes []box
}

// box is an element of a page whose items change. Each item is one element with the id of the item.
type box struct {
	ID    string
	Items []item
}

type item struct {
	ID   string `json:"id"`
	HTML ready  `json:"html"`
	sum  [sha256.Size]byte
}

// pageModel is the data of the template of a page.
type pageModel struct {
	M     any
	Boxes map[string][]item
}

// render executes a template.
func render(name string, data any) (ready, error) {
	var out bytes.Buffer
	if err := templates.ExecuteTemplate(&out, name, data); err != nil {
		return "", err
	}
	return ready(out.String()), nil //nolint:gosec // html/template escaped every value
}

// write writes the whole page.
func (v view) write(w http.ResponseWriter) {
	m := pageModel{M: v.model, Boxes: map[string][]item{}}
	for _, b := range v.boxes {
		m.Boxes[b.ID] = b.Items
	}
	body, err := render(v.page, m)
	if err != nil {
		refuse(w, http.StatusInternalServerError, "the page cannot be shown; this is a defect of aura")
		return
	}
	v.layout.Body, v.layout.Live = body, len(v.boxes) > 0
	writePage(w, v.status, "layout", v.layout)
}

func writePage(w http.ResponseWriter, status int, name string, data layout) {
	page, err := render(name, data)
	if err != nil {
		refuse(w, http.StatusInternalServerError, "the page cannot be shown; this is a defect of aura")
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	// A client that has gone does not need the answer.
	_, _ = w.Write([]byte(page))
}

// items renders an item for each row.
func items[T any](name string, rows []T, id func(T) string) ([]item, error) {
	out := make([]item, 0, len(rows))
	for _, row := range rows {
		html, err := render(name, row)
		if err != nil {
			return nil, err
		}
		out = append(out, newItem(id(row), html))
	}
	return out, nil
}
