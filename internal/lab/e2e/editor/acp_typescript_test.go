//go:build linux

package editor

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/lab/e2e/harness"
	"github.com/idelchi/aura/internal/lab/testneed"
)

// acpTurns is how many prompts the long conversations of clients have.
const acpTurns = 200

// approvedTurns gives the project a model that makes one call in each turn that needs an approval, and then waits in a tool.
func approvedTurns(p *harness.Project, turns int) {
	p.T.Helper()
	var b strings.Builder
	for i := range turns {
		fmt.Fprintf(&b, "  - {tool_calls: [{name: Bash, arguments: {command: echo %d >>made}}]}\n  - {text: Done %d.}\n", i, i)
	}
	b.WriteString("  - {text: Waiting., tool_calls: [{name: Bash, arguments: {command: sleep 1000}}]}\n")
	plays(p, b.String())
	p.Write(".aura/config/features/compaction.yaml", "compaction: {max_tokens: 100000000}\n") // a summary would take a turn of the script
	p.Write(".aura/config/features/tools.yaml", "tools: {policy: {confirm: [\"Bash:echo*\"]}}\n")
	p.Write(".aura/config/modes/careful.md", "---\nname: careful\ndescription: Asks first\n---\nBe careful.\n")
}

// TestACPTypeScript drives aura with the official TypeScript library: forms, notices, 200 turns with approvals in each answer, a second
// prompt, cancelling, two sessions, modes, options, reload, the health of plugins, kill -9, list, load and resume.
func TestACPTypeScript(t *testing.T) {
	t.Parallel()
	node := testneed.Program(t, "node")
	client, err := filepath.Abs("../testdata/acp/typescript")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(client, "node_modules/@agentclientprotocol/sdk")); err != nil {
		testneed.Missing(t, testneed.ACPClient, "npm ci in internal/lab/e2e/testdata/acp/typescript installs it: "+err.Error())
	}
	p := harness.NewProject(t)
	approvedTurns(p, acpTurns)
	cmd := exec.Command(node, filepath.Join(client, "client.mjs"), filepath.Join(p.Bin, "aura"), p.Dir, fmt.Sprint(acpTurns))
	cmd.Dir = p.Dir
	for _, variable := range p.Command().Env {
		if !strings.HasPrefix(variable, "AURA_TRUST=") {
			cmd.Env = append(cmd.Env, variable)
		}
	}
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s\n%s", err, out.Bytes(), errs.Bytes())
	}
	p.NoProcess()
	want := `{"what":"initialized","value":[1,"aura",true]}
{"what":"forms","value":1}
{"what":"options","value":["mode","model","think"]}
{"what":"modes","value":["ask","edit","auto","plan","careful","none"]}
{"what":"stops","value":{"end_turn":200}}
{"what":"asked","value":true}
{"what":"kinds","value":["agent_message_chunk","available_commands_update","config_option_update","notice","session_info_update","tool_call","tool_call_update","usage_update"]}
{"what":"second prompt","value":-32600}
{"what":"beside","value":"end_turn"}
{"what":"cancelled","value":"cancelled"}
{"what":"thinking","value":"low"}
{"what":"reload","value":"end_turn"}
{"what":"plugins","value":["witness"]}
{"what":"states","value":true}
{"what":"unknown","value":-32601}
{"what":"exit","value":"SIGKILL"}
{"what":"initialized","value":[1,"aura",true]}
{"what":"listed","value":true}
{"what":"replayed","value":201}
{"what":"resumed","value":"end_turn"}
{"what":"exit","value":0}
`
	if out.String() != want {
		t.Errorf("the client printed\n%s\nwant\n%s\n%s", out.Bytes(), want, errs.Bytes())
	}
	if made := bytes.Count(p.Read("made"), []byte("\n")); made != acpTurns/2 {
		t.Errorf("%d calls ran, want those of %d turns", made, acpTurns/2)
	}
}
