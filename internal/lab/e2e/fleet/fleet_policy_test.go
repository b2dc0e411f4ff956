//go:build linux

package fleet

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/lab/e2e/harness"
)

// TestFleetPolicy checks that no task of a batch does what the policy of the worker's machine refuses, and that the status has the hash of that
// policy for each worker.
func TestFleetPolicy(t *testing.T) {
	t.Parallel()
	l := newFleetLab(t, fleetScript)
	bin, err := harness.MachineBin(harness.QuickBin)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(bin) })
	if err := harness.SetPolicy(bin, map[string][]byte{"policy.yaml": []byte("modes: [ask, none]\nproviders: [{type: script}]\nmodels: [scripted]\n")}); err != nil {
		t.Fatal(err)
	}
	l.bin = bin
	l.write("config/config/providers/other.yaml", "other: {type: ollama, url: 'http://127.0.0.1:1'}\n")
	l.run("fleet", "submit", l.write("wide.yaml", `batch: wide
tasks:
  - {id: mode, prompts: [x], provider: mine, mode: auto}
  - {id: provider, prompts: [x], provider: other}
  - {id: model, prompts: [x], provider: mine, model: another}
`))
	l.start(l.workArgs()...)
	l.run("fleet", "results", "wide", "--wait", "--json")
	got := l.results("wide")
	for id, rule := range map[string]string{"mode": "the mode auto: modes: ask, none (", "provider": "the provider ollama http://127.0.0.1:1", "model": "the model another: models: scripted ("} {
		if r := got[id]; r.Status != "failed" || !strings.Contains(r.Error, rule) || !strings.Contains(r.Error, "policy.yaml:") {
			t.Errorf("%s: %+v", id, r)
		}
	}
	var policy struct{ Hash string }
	if err := json.Unmarshal([]byte(l.run("policy", "show", "--json")), &policy); err != nil || len(policy.Hash) != 64 {
		t.Fatalf("%v: %+v", err, policy)
	}
	for {
		var now struct{ Workers []struct{ Policy string } }
		if err := json.Unmarshal([]byte(l.run("fleet", "status", "--json")), &now); err != nil || t.Context().Err() != nil {
			t.Fatal(err)
		}
		if len(now.Workers) == 1 && now.Workers[0].Policy == policy.Hash {
			break
		}
	}
	if out := l.run("fleet", "status"); !strings.Contains(out, policy.Hash[:12]) {
		t.Errorf("got %s", out)
	}
}
