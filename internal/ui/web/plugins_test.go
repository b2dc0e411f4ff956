package web_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/idelchi/aura/host"
)

// TestSilentSessions checks that a page of a plugin does not say that there is no such plugin while a session does not answer in time, and that
// the list says what may be missing.
func TestSilentSessions(t *testing.T) {
	t.Parallel()
	for silent, want := range map[int]struct {
		status int
		says   string
	}{0: {http.StatusNotFound, "no running session has this plugin"}, 2: {http.StatusServiceUnavailable, "load this page again"}} {
		w := serve(t, false, func(w *world) {
			w.silent, w.statuses = silent, []host.Status{{PluginHealth: host.PluginHealth{Name: "other"}}}
		})
		for _, path := range []string{"/plugins/0123456789abcdef", "/plain/plugins/0123456789abcdef"} {
			answer, page := w.do(request{path: path})
			if answer.StatusCode != want.status || !strings.Contains(page, want.says) || (answer.Header.Get("Retry-After") != "") != (silent > 0) {
				t.Errorf("%s with %d silent sessions: %d %v: %s", path, silent, answer.StatusCode, answer.Header, page)
			}
		}
		if _, list := w.do(request{path: "/plugins"}); strings.Contains(list, "2 sessions did not answer in time") != (silent > 0) || !strings.Contains(list, "other") {
			t.Errorf("the list with %d silent sessions: %s", silent, list)
		}
	}
}
