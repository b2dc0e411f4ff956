//go:build linux

package screen

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/lab/e2e/harness"
)

// newcomer returns a project without a provider, and the environment of a user who has set the addresses of two services: the tests own
// both servers, which accept one key.
func newcomer(t *testing.T) (p *harness.Project, environ []string) {
	t.Helper()
	p = harness.NewProject(t)
	p.Check(os.RemoveAll(p.Path(".aura")))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/models") {
			http.NotFound(w, r)
			return
		}
		if r.Header.Get("Authorization") != "Bearer right-key" {
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprint(w, `{"error":{"message":"wrong key","type":"invalid_request_error"}}`)
			return
		}
		fmt.Fprint(w, `{"object":"list","data":[{"id":"small","object":"model"},{"id":"large","object":"model"}]}`)
	}))
	t.Cleanup(server.Close)
	return p, []string{"AURA_DEMONSTRATION=", "OPENAI_BASE_URL=" + server.URL, "ANTHROPIC_BASE_URL=" + server.URL, "OLLAMA_HOST=127.0.0.1:1"}
}

// TestFirstStart sets up a provider in a terminal: a key that the service refuses, then one that it accepts, and a model. The next start
// asks nothing.
func TestFirstStart(t *testing.T) {
	t.Parallel()
	p, environ := newcomer(t)
	s := startScreen(p, p.Command(), 100, 30, environ...)
	s.shows(`aura needs a model`)
	s.shows(`4  OpenAI, with a key that you paste`)
	s.shows(`Choose \[q\]:`)
	s.send("4\r")
	s.shows(`Key \(not shown\):`)
	s.send("wrong-key\r")
	s.shows(`refuses the key`)
	s.hides(`wrong-key`)
	s.shows(`Choose \[q\]:$`)
	s.send("4\r")
	s.shows(`(?s)Key \(not shown\):.*Key \(not shown\):`)
	s.send("right-key\r")
	s.shows(`Model \[`)
	s.send("large\r")
	s.shows(`^large · `)
	file := filepath.Join(p.Home, ".aura/config/providers/openai.yaml")
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	text, err := os.ReadFile(file) //nolint:gosec // a file of the test
	if err != nil || !strings.Contains(string(text), "token: right-key") || !strings.Contains(string(text), "model: large") {
		t.Errorf("%s, %v", text, err)
	}
	s.send("\x04")
	if code := s.end(); code != 0 {
		t.Errorf("exit code %d, want 0", code)
	}
	again := startScreen(p, p.Command(), 100, 30, environ...)
	again.shows(`^large · `)
	again.send("\x04")
	if code := again.end(); code != 0 {
		t.Errorf("exit code %d, want 0", code)
	}
}

// TestFirstStartDemonstration chooses the demonstration, and quits.
func TestFirstStartDemonstration(t *testing.T) {
	t.Parallel()
	p, _ := newcomer(t)
	s := startScreen(p, p.Command("run", "hi"), 100, 30, "AURA_DEMONSTRATION=", "OLLAMA_HOST=127.0.0.1:1")
	s.shows(`Choose \[q\]:`)
	s.send("d\r")
	s.shows(`That was the demonstration`)
	if code := s.end(); code != 0 {
		t.Errorf("exit code %d, want 0", code)
	}
	s = startScreen(p, p.Command(), 100, 30, "AURA_DEMONSTRATION=", "OLLAMA_HOST=127.0.0.1:1")
	s.shows(`Choose \[q\]:`)
	s.send("q\r")
	s.shows(`set ANTHROPIC_API_KEY`)
	if code := s.end(); code != 2 {
		t.Errorf("exit code %d, want 2", code)
	}
}

// TestFirstStartOllama starts with a local server and nothing else: it is used without a question.
func TestFirstStartOllama(t *testing.T) {
	t.Parallel()
	p, _ := newcomer(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasSuffix(r.URL.Path, "/v1/models"):
			fmt.Fprint(w, `{"object":"list","data":[{"id":"local:8b","object":"model"}]}`)
		case strings.HasSuffix(r.URL.Path, "/v1/chat/completions"):
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprint(w, chunk(`{"role":"assistant","content":"From here."}`, "null")+chunk(`{}`, `"stop"`)+"data: [DONE]\n\n")
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(server.Close)
	s := startScreen(p, p.Command("Hello"), 100, 30, "AURA_DEMONSTRATION=", "OLLAMA_HOST="+server.URL)
	s.shows(`^From here\.`, `^local:8b · `)
	s.hides(`Choose \[`)
	s.send("\x04")
	if code := s.end(); code != 0 {
		t.Errorf("exit code %d, want 0", code)
	}
}
