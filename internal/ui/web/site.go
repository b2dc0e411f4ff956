package web

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"
)

// site answers the requests of the user.
type site struct {
	reader *reader
	fleet  *fleetReader
	// throughput is that of the last reading of the fleet.
	throughput map[string][]sample
	// streams has a place for each open stream.
	streams chan struct{}
	// pages keeps what was made of files that do not change, and of readings. sessionRows and pluginRows keep the rows of lists.
	pages       rendered
	sessionRows drawnRows[sessionModel]
	pluginRows  drawnRows[pluginKey]
	mux         *http.ServeMux
	// control is what pages may do; nil for nothing. asking is held while the user is asked, and until it is done.
	control *Control
	asking  sync.Mutex
}

// pageFunc makes a page of what is known now. It returns errNotFound if there is no such page.
type pageFunc func(*http.Request) (view, error)

// errNotFound reports that there is no such page.
var errNotFound = errors.New("there is no such page")

// newSite returns the pages. What they ask of a fleet ends with ctx; the caller must call the function then.
func newSite(ctx context.Context, source Source, control *Control) (pages http.Handler, end func()) {
	s := &site{
		fleet:  &fleetReader{ctx: ctx, open: source.Fleet},
		reader: &reader{source: source}, control: control, streams: make(chan struct{}, maxStreams), mux: http.NewServeMux(),
	}
	for pattern, page := range map[string]pageFunc{
		"/sessions": s.sessionsPage, "/sessions/{id}": s.sessionPage, "/plugins": s.pluginsPage, "/plugins/{id}": s.pluginPage,
		"/recordings": s.recordingsPage, "/recordings/{id}": s.recordedPage, "/recordings/{id}/{n}": s.recordedCallPage,
		"/fleet": s.fleetPage, "/fleet/{batch}": s.batchPage, "/fleet/{batch}/{task}": s.taskPage,
		"/network": s.networkPage, "/network/{id}": s.connectionsPage,
	} {
		s.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) { s.show(w, r, page) })
	}
	if control != nil {
		s.mux.HandleFunc("POST "+controlPath, s.controls)
	}
	s.mux.HandleFunc("/{$}", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/sessions", http.StatusSeeOther) })
	s.mux.HandleFunc(plainPath+"/", func(w http.ResponseWriter, r *http.Request) {
		http.StripPrefix(plainPath, s.mux).ServeHTTP(plainWriter{w}, r)
	})
	s.mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { failure(http.StatusNotFound, errNotFound).write(w) })
	return s.mux, s.fleet.close
}

// show answers with a page, or with its changes.
func (s *site) show(w http.ResponseWriter, r *http.Request, page pageFunc) {
	if strings.Contains(r.Header.Get("Accept"), streamType) {
		s.stream(w, r, page)
		return
	}
	v, err := page(r)
	switch {
	case errors.Is(err, errNotFound):
		v = failure(http.StatusNotFound, err)
	case errors.Is(err, errUnanswered):
		w.Header().Set("Retry-After", "2")
		v = failure(http.StatusServiceUnavailable, err)
	case err != nil:
		v = failure(http.StatusInternalServerError, s.reader.source.Secrets.Error(err))
	}
	// Reading a journal for the first time may have taken a while.
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writeTime))
	v.write(w)
}

// plainWriter leads from a page for a browser without scripts to other such pages.
type plainWriter struct{ http.ResponseWriter }

// Write implements http.ResponseWriter. A page is written at once. A quotation mark within a text is escaped, so that only addresses match.
func (w plainWriter) Write(page []byte) (int, error) {
	_, err := plainAddresses.WriteString(w.ResponseWriter, string(page))
	return len(page), err
}

// Unwrap is for http.ResponseController.
func (w plainWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

var plainAddresses = strings.NewReplacer(
	`href="/assets/`, `href="/assets/`, `href="/`, `href="`+plainPath+`/`, `action="/`, `action="`+plainPath+`/`,
)

// failureModel is the data of the page about an error.
type failureModel struct{ Text string }

func failure(status int, err error) view {
	return view{status: status, layout: layout{Title: "aura: " + http.StatusText(status)}, page: "failure", model: cleaned(nil, &failureModel{err.Error()})}
}
