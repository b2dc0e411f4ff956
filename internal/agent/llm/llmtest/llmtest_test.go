package llmtest_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/agent/llm/llmtest"
)

// service describes how to send requests to a server without a provider.
type service struct {
	start  func(testing.TB, ...llmtest.Reply) *llmtest.Server
	path   string
	header map[string]string
}

// post sends a body and returns the status and the body of the response.
func (s service) post(t *testing.T, url, body string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+s.path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	for name, value := range s.header {
		req.Header.Set(name, value)
	}
	response, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(text)
}

// accepts checks that the server answers all bodies.
func (s service) accepts(t *testing.T, bodies map[string]string) {
	t.Helper()
	for name, body := range bodies {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if status, text := s.post(t, s.start(t, llmtest.Text("Hello")).URL, body); status != http.StatusOK || !strings.Contains(text, "data: ") {
				t.Errorf("got %d %s", status, text)
			}
		})
	}
}

// rejection is a body and a part of the expected error message.
type rejection struct{ body, says string }

func (s service) rejects(t *testing.T, rows map[string]rejection) {
	t.Helper()
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := s.start(t, llmtest.Text("Hello"))
			server.Tolerate()
			status, text := s.post(t, server.URL, row.body)
			if status != http.StatusBadRequest || len(server.Rejections()) != 1 || !strings.Contains(server.Rejections()[0], row.says) {
				t.Errorf("got %d %s, want a refusal that says %q", status, text, row.says)
			}
		})
	}
}

func openAI() service {
	return service{llmtest.NewOpenAI, "/chat/completions", map[string]string{"Authorization": "Bearer " + llmtest.Token}}
}

func anthropic() service {
	return service{llmtest.NewAnthropic, "/v1/messages", map[string]string{"X-Api-Key": llmtest.Token, "Anthropic-Version": "2023-06-01"}}
}

func google() service {
	return service{llmtest.NewGoogle, "/v1beta/models/gemini-3-pro:streamGenerateContent", map[string]string{"X-Goog-Api-Key": llmtest.Token}}
}

func TestTokens(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]service{"openai": openAI(), "anthropic": anthropic(), "google": google()} {
		for _, token := range []string{"", "Bearer wrong"} {
			server := s.start(t)
			server.Tolerate()
			for header, value := range s.header {
				if strings.Contains(value, llmtest.Token) {
					s.header[header] = token
				}
			}
			if status, text := s.post(t, server.URL, `{}`); status != http.StatusUnauthorized {
				t.Errorf("%s with %q: got %d %s", name, token, status, text)
			}
		}
	}
}

func TestUnexpected(t *testing.T) {
	t.Parallel()
	server := llmtest.NewOpenAI(t)
	server.Tolerate()
	if status, _ := openAI().post(t, server.URL, `{"model":"m","stream":true,"messages":[{"role":"user","content":"hi"}]}`); status != http.StatusBadRequest {
		t.Errorf("got %d", status)
	}
	if got := server.Rejections(); len(got) != 1 || !strings.Contains(got[0], "unexpected") {
		t.Errorf("got %q", got)
	}
	server.Add(llmtest.Text("Hello"))
	if status, _ := openAI().post(t, server.URL, `{"model":"m","stream":true,"messages":[{"role":"user","content":"hi"}]}`); status != http.StatusOK {
		t.Errorf("got %d", status)
	}
	nowhere := openAI()
	nowhere.path = "/elsewhere"
	if status, _ := nowhere.post(t, server.URL, `{}`); status != http.StatusNotFound {
		t.Errorf("got %d", status)
	}
	if got := server.Requests()[1].Lines(); len(got) != 1 || got[0] != "user: hi" {
		t.Errorf("got %q", got)
	}
}
