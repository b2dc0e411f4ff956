package config_test

import (
	"crypto/ed25519"
	"crypto/rand"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"

	"github.com/idelchi/aura/internal/supply/signature"
)

// keyLine returns a line of a list of allowed signers with a new key.
func keyLine(t *testing.T, name string) string {
	t.Helper()
	public, _, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	key, err := ssh.NewPublicKey(public)
	if err != nil {
		t.Fatal(err)
	}
	return name + " " + string(ssh.MarshalAuthorizedKey(key))
}

// TestSigning checks which rule holds for a source, and whose keys count in the project's home.
func TestSigning(t *testing.T) {
	t.Parallel()
	const source = "https://git.example.com/team/plugin"
	mine, theirs := keyLine(t, "mine"), keyLine(t, "theirs")
	for name, row := range map[string]struct {
		user, project string
		want          signature.Rule
		signers       string
	}{
		"nothing":                      {"", "", signature.Preferred, "mine theirs"},
		"a word":                       {"off", "", signature.Off, "mine theirs"},
		"the longest pattern":          {`{"*": required, "https://git.example.com/team/*": "off"}`, "", signature.Off, "mine theirs"},
		"no pattern matches":           {`{"https://other.example.com/*": required}`, "", signature.Preferred, "mine theirs"},
		"the case of hosts":            {`{"https://GIT.example.com/*": required}`, "", signature.Required, "mine"},
		"the project is stricter":      {"off", "required", signature.Required, "mine theirs"},
		"the project cannot permit":    {"required", "off", signature.Required, "mine"},
		"a dot is no pattern":          {`{"https://git?example.com/*": required, "https://git.example.co./*": required}`, "", signature.Preferred, "mine theirs"},
		"the project alone requires":   {"", "required", signature.Required, "mine theirs"},
		"the project's longer pattern": {`{"*": required}`, `{"https://git.example.com/*": "off"}`, signature.Required, "mine"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := files{user + "allowed_signers": mine, project + "allowed_signers": theirs}
			if row.user != "" {
				f[user+"features/plugins.yaml"] = "plugins: {signed: " + row.user + "}"
			}
			if row.project != "" {
				f[project+"features/plugins.yaml"] = "plugins: {signed: " + row.project + "}"
			}
			c := f.load(t)
			got := c.Signing(filepath.Join(c.Workdir, ".aura"), source)
			var signers []string
			for _, s := range got.Allowed {
				signers = append(signers, s.Principals)
			}
			if got.Rule != row.want || strings.Join(signers, " ") != row.signers {
				t.Errorf("%s by %s, want %s by %s", got.Rule, signers, row.want, row.signers)
			}
		})
	}
	checkRefused(t, map[string]refused{
		"another word": {files{user + "features/plugins.yaml": "plugins: {signed: always}"}, []string{"features/plugins.yaml", `"always" is not a value of signed`}},
		"a list":       {files{user + "features/plugins.yaml": "plugins: {signed: [off]}"}, []string{"neither a word nor words by patterns"}},
		"twice":        {files{user + "features/plugins.yaml": `plugins: {signed: {"a": "off", "a": required}}`}, []string{"duplicate key"}},
		"no pattern":   {files{user + "features/plugins.yaml": `plugins: {signed: {"": required}}`}, []string{"a pattern of sources is empty"}},
		"in an agent":  {files{project + "agents/x.md": "---\nname: x\nfeatures: {plugins: {signed: required}}\n---\n"}, []string{"set it in the features/plugins.yaml of a home"}},
		"a bad list":   {files{user + "allowed_signers": "mine"}, []string{"reading the allowed signers", "allowed_signers:1: a line is"}},
	})
}
