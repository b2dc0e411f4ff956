package redact_test

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/base/redact"
)

const secret = "sk-l1ve/+x9=4242"

func TestString(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		secrets  []string
		in, want string
	}{
		"none known":       {nil, "text", "text"},
		"none there":       {[]string{secret}, "text", "text"},
		"alone":            {[]string{secret}, secret, "[redacted]"},
		"within":           {[]string{secret}, "a" + secret + "b", "a[redacted]b"},
		"twice":            {[]string{secret}, secret + secret, "[redacted][redacted]"},
		"short":            {[]string{"k"}, "check the token", "check the token"},
		"short, seven":     {[]string{"abc1234"}, "abc1234", "abc1234"},
		"eight":            {[]string{"abc12345"}, "abc12345", "[redacted]"},
		"with space":       {[]string{" " + secret + "\n"}, secret, "[redacted]"},
		"digits":           {[]string{"12345678901"}, "12345678901", "12345678901"},
		"placeholder":      {[]string{"password", "ChangeMe"}, "password changeme", "password changeme"},
		"path":             {[]string{"/run/secrets/token"}, "/run/secrets/token", "/run/secrets/token"},
		"path at home":     {[]string{"~/.ssh/id_rsa"}, "~/.ssh/id_rsa", "~/.ssh/id_rsa"},
		"slash at first":   {[]string{"/x9+k2jLq3Pw8"}, "/x9+k2jLq3Pw8", "[redacted]"},
		"one in another":   {[]string{"secret-one", "secret-one-and-two"}, "secret-one-and-two secret-one", "[redacted] [redacted]"},
		"base64":           {[]string{secret}, base64.StdEncoding.EncodeToString([]byte(secret)), "[redacted]=="},
		"base64 in a URL":  {[]string{"sk-?>?>?>?>"}, base64.RawURLEncoding.EncodeToString([]byte("sk-?>?>?>?>")), "[redacted]"},
		"query":            {[]string{secret}, "?key=" + url.QueryEscape(secret), "?key=[redacted]"},
		"path of a URL":    {[]string{secret}, "/" + url.PathEscape(secret), "/[redacted]"},
		"begins like it":   {[]string{"aaaaaaab"}, "aaaaaaaaab", "aa[redacted]"},
		"two that overlap": {[]string{"abcdefgh", "efghijkl"}, "abcdefghijkl", "[redacted]ijkl"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := redact.New(tt.secrets...)
			if got := r.String(tt.in); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			// The result must be the same for pieces of any length.
			for size := 1; size <= len(tt.in); size++ {
				s, got := r.Stream(), ""
				for piece := range slices.Chunk([]byte(tt.in), size) {
					got += s.Next(string(piece))
				}
				if got += s.End(); got != tt.want {
					t.Errorf("in pieces of %d bytes: got %q, want %q", size, got, tt.want)
				}
			}
		})
	}
}

func TestJSON(t *testing.T) {
	t.Parallel()
	r := redact.New(`quo"te\d12`, "plain-secret", "line\nbreak")
	for in, want := range map[string]string{
		`{"a":"x","b":[1,true]}`:           `{"a":"x","b":[1,true]}`,
		`{"a":"see plain-secret<"}`:        `{"a":"see [redacted]<"}`,
		`{"plain-secret": 1}`:              `{"[redacted]": 1}`,
		`["quo\"te\\d12","line\nbreak"]`:   `["[redacted]","[redacted]"]`,
		`["\u0070lain-secret"]`:            `["[redacted]"]`,
		`{"cut": "plain-secret`:            `{"cut": "[redacted]`,
		`not JSON`:                         `not JSON`,
		"{\"a\":\"1\"}\n{\"b\":\"2\\\\\"}": "{\"a\":\"1\"}\n{\"b\":\"2\\\\\"}",
	} {
		if got := string(r.JSON([]byte(in))); got != want {
			t.Errorf("%s becomes %s, want %s", in, got, want)
		}
	}
	var none *redact.Redactor
	if got := string(none.JSON([]byte(`"x"`))); got != `"x"` {
		t.Errorf("got %s", got)
	}
}

func TestKnown(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"ANTHROPIC_API_KEY": true, "GITHUB_TOKEN": true, "PASSWORD": true, "DEPLOY_KEY": true, "DB_PASS": true, "KEYBOARD": false,
		"PATH": false, "EDITOR": false, "PWD_LIKE": false, "PWD": false, "OLDPWD": false, "DB_PWD": true,
	} {
		if got := redact.SecretName(name); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
	got := redact.Environ([]string{
		"API_KEY=one-secret", "EDITOR=vi-editor", "MAX_TOKENS=a-number-of", "TOKEN_FILE=where-it-is", "DATABASE_URL=postgres://me:two-secret@db/x",
		"HOME_URL=https://example.com", "EMPTY_TOKEN=",
	})
	if want := []string{"one-secret", "two-secret", ""}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	headers := redact.Headers(map[string]string{"Authorization": "Bearer abc", "Accept": "application/json"})
	if want := []string{"Bearer abc", "abc"}; !slices.Equal(headers, want) {
		t.Errorf("got %q, want %q", headers, want)
	}
}

// TestCurrent changes the secrets while a text arrives.
func TestCurrent(t *testing.T) {
	t.Parallel()
	var none *redact.Current
	current := &redact.Current{}
	s := current.Stream()
	got := none.Stream().Next("x") + s.Next("first-secret ")
	current.Set(redact.New("first-secret"))
	got += s.Next("first-secret fir")
	hide := current.JSON
	current.Set(redact.New("next-secret"))
	got += s.Next("st-secret next-secret nex")
	if hidden := string(hide([]byte(`"next-secret"`))) + current.Error(errors.New("next-secret")).Error(); hidden != `"[redacted]"[redacted]` {
		t.Errorf("after the secrets changed: got %s", hidden)
	}
	current.Set(nil)
	if got += s.Next("t") + s.End(); got != "xfirst-secret [redacted] first-secret [redacted] next" {
		t.Errorf("got %q", got)
	}
}

// FuzzRedact checks that no secret is left in a text, whatever pieces the text arrives in, and that JSON stays valid.
func FuzzRedact(f *testing.F) {
	f.Add("a text with secret-1 and more", "secret-1", 4)
	f.Add("aaaaaaaaaab", "aaaaaaab", 9)
	f.Fuzz(func(t *testing.T, text, value string, cut int) {
		r := redact.NewWithMark("", value)
		if r == nil {
			return
		}
		marked := redact.NewWithMark("\x00", value)
		whole := marked.String(text)
		if strings.Contains(whole, strings.TrimSpace(value)) && !strings.Contains(value, "\x00") {
			t.Fatalf("%q is left in %q", value, whole)
		}
		s := marked.Stream()
		cut = max(0, min(cut, len(text)))
		if pieces := s.Next(text[:cut]) + s.Next(text[cut:]) + s.End(); pieces != whole {
			t.Fatalf("in pieces %q, as a whole %q", pieces, whole)
		}
		document, err := json.Marshal(map[string]string{text: text})
		if err != nil {
			t.Fatal(err)
		}
		if out := redact.New(value).JSON(document); !json.Valid(out) {
			t.Fatalf("%s is not JSON", out)
		}
	})
}

func BenchmarkString(b *testing.B) {
	text := strings.Repeat("a line of a tool's result, in which some keys are mentioned\n", 1000)
	r := redact.New(secret, "ghp_0123456789abcdef", "another-secret-1", "xoxb-123456-abcdef")
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		r.String(text)
	}
}

func TestError(t *testing.T) {
	t.Parallel()
	r := redact.New(secret)
	plain, cause := errors.New("plain"), errors.New("the key "+secret)
	if r.Error(nil) != nil || !errors.Is(r.Error(plain), plain) {
		t.Error("an error without secrets has changed")
	}
	if err := r.Error(cause); err.Error() != "the key [redacted]" || !errors.Is(err, cause) {
		t.Errorf("got %v", err)
	}
}
