//go:build linux

package sandbox

import (
	"bytes"
	"encoding/base64"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/lab/e2e/harness"
)

// secretTalk has the secret in everything that a model can send: text that is streamed in pieces, arguments of tools, the
// output of a tool, and an error.
const secretTalk = `turns:
  - text: "I found SECRET and ENCODED in it."
    thinking: "It is SECRET."
    tool_calls: [{name: Bash, arguments: {command: "printf 'SECR''ET\n'; echo SECRET"}}]
  - error: {type: auth, message: "the key SECRET is wrong"}
`

// TestSecrets lets a secret pass through everything that aura keeps and shows. As a control, the same run without a variable
// that marks the value as a secret leaves the value everywhere.
func TestSecrets(t *testing.T) {
	t.Parallel()
	const secret = "s3cr3t-0f-the-h0use"
	for name, row := range map[string]struct {
		variable string
		hidden   bool
	}{
		"a secret":     {"HOUSE_TOKEN", true},
		"no secret":    {"HOUSE_COLOUR", false},
		"an env file":  {"", true},
		"short secret": {"HOUSE_TOKEN", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			value := secret
			if name == "short secret" {
				value = "h0use"
			}
			p := harness.NewProject(t)
			fill := strings.NewReplacer("SECRET", value, "SECR''ET", value[:3]+"''"+value[3:], "ENCODED", base64.StdEncoding.EncodeToString([]byte(value)))
			p.Write(".aura/config/talk.yaml", fill.Replace(secretTalk))
			p.Plugin("talker", "description: Talks\n", `package talker

import (
	"context"
	"fmt"
	"os"

	"github.com/idelchi/aura/sdk"
)

func BeforeChat(_ context.Context, _ sdk.BeforeChatContext) (sdk.Result, error) {
	fmt.Print("`+value[:4]+`")
	fmt.Fprintln(os.Stdout, "`+value[4:]+`")
	return sdk.Result{Notice: "`+value+`"}, nil
}
`)
			if row.variable == "" {
				p.Write("secrets.env", "HOUSE_PASSWORD="+value+"\n")
			}
			for _, args := range [][]string{{"run", "--json", "say " + value}, {"run", "/verbose", "say " + value, "/export talk.md", "/export talk.json"}} {
				cmd := p.Command(args...)
				if row.variable != "" {
					cmd.Env = append(cmd.Env, row.variable+"="+value)
				}
				var out bytes.Buffer
				cmd.Stdout, cmd.Stderr = &out, &out
				_ = cmd.Run() // the run ends with the model's error
				if got := bytes.Contains(out.Bytes(), []byte(value)); got == row.hidden {
					t.Errorf("aura %q shows it: %v\n%s", args, got, out.Bytes())
				}
			}
			for file, text := range kept(p) {
				encoded := bytes.Contains(text, []byte(base64.RawStdEncoding.EncodeToString([]byte(value))))
				if got := bytes.Contains(text, []byte(value)); row.hidden && (got || encoded) {
					t.Errorf("%s holds it:\n%s", file, text)
				} else if !row.hidden && !got {
					t.Errorf("%s has lost it:\n%s", file, text)
				}
			}
		})
	}
}

// kept returns the files that aura wrote about a conversation: the journal, the log of the plugin, and the exports.
func kept(p *harness.Project) map[string][]byte {
	p.T.Helper()
	out := map[string][]byte{}
	p.Check(p.Walk(func(path string, d fs.DirEntry, err error) error {
		name := filepath.Base(path)
		if err != nil || filepath.Ext(name) != ".jsonl" && name != "talker.log" && !strings.HasPrefix(name, "talk.m") && !strings.HasPrefix(name, "talk.j") {
			return err
		}
		out[name], err = os.ReadFile(path)
		return err
	}))
	for _, want := range []string{"talker.log", "talk.md", "talk.json"} {
		if len(out[want]) == 0 {
			p.T.Errorf("there is no %s", want)
		}
	}
	return out
}
