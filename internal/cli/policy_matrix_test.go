package cli

import (
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/idelchi/aura/internal/settings/schema"
	"github.com/idelchi/aura/internal/system/machinepolicy"
)

// treated says how the policy of the machine treats each setting: the keys that bound it, or why it cannot widen a policy. A setting is a key of
// a file of a home (KIND:PATH), a persistent flag of the root with its variable (flag:NAME), or another variable (variable:NAME).
var treated = []struct{ by, settings string }{
	{"plugins.unsafe", "features:plugins.unsafe flag:unsafe-plugins"},
	{"plugins.native", "features:plugins.native plugin:runtime"},
	{"sources signers plugins.forbidden", "features:plugins.dir features:plugins.signed.*"},
	{"plugins.required", "features:plugins.exclude features:plugins.include flag:without-plugins plugin:disabled plugin:on_failure plugin:opt_in flag:safe"},
	{"hooks", "hooks:event hooks:command hooks:protocol hooks:inherit hooks:disabled agents:hooks.enabled agents:hooks.disabled modes:hooks.enabled modes:hooks.disabled"},
	{"sandbox.required", "hooks:sandbox mcp:sandbox features:sandbox.enabled features:sandbox.required features:sandbox.unix_sockets features:screen.status tasks:pre tasks:post"},
	{"mcp", "mcp:type mcp:command mcp:args mcp:url mcp:env.* mcp:disabled features:acp.client_mcp"},
	{"providers", "providers:type providers:url providers:file variable:AURA_DEMONSTRATION flag:provider"},
	{"providers models", "agents:model.provider agents:model.name agents:fallback commands:model providers:model features:compaction.agent flag:model"},
	{"models", "providers:models.include providers:models.exclude"},
	{"sandbox.network", "features:sandbox.network.allow features:sandbox.network.deny features:sandbox.network.ask features:tools.search.searxng plugin:network flag:network"},
	{"sandbox.hidden", "features:sandbox.hidden"},
	{"modes", "agents:mode modes:name tasks:mode features:tools.mode flag:mode"},
	{"approvals", `
		agents:tools.policy.auto agents:tools.policy.confirm agents:tools.policy.deny agents:tools.policy.default.edit agents:tools.policy.default.run
		modes:tools.policy.auto modes:tools.policy.confirm modes:tools.policy.deny modes:tools.policy.default.edit modes:tools.policy.default.run
		tasks:tools.policy.auto tasks:tools.policy.confirm tasks:tools.policy.deny tasks:tools.policy.default.edit tasks:tools.policy.default.run
		features:tools.policy.auto features:tools.policy.confirm features:tools.policy.deny features:tools.policy.default.edit features:tools.policy.default.run`},
	{"record", "features:record.enabled"},

	{"cannot widen: it names or describes something, or says when it is used", `
		agents:name agents:description agents:hide agents:default agents:subagent agents:inherit modes:description modes:hide modes:inherit prompts:name
		commands:name commands:description commands:hints commands:argument-hint skills:name skills:description skills:license skills:compatibility skills:metadata.*
		hooks:description hooks:matcher hooks:files hooks:calls hooks:depends hooks:silent mcp:condition mcp:deferred plugin:name plugin:description plugin:condition plugin:once
		tasks:description tasks:disabled tasks:inherit tools:description tools:usage tools:examples tools:condition tools:disabled tools:parallel`},
	{"cannot widen: a prompt, a command of the session, or an agent, and what these do is bounded", `
		agents:system tasks:commands tasks:agent tasks:vars.* features:compaction.prompt features:instructions.enabled
		flag:agent flag:system flag:set flag:without-instructions flag:auto flag:continue flag:resume`},
	{"cannot widen: it says which of the permitted tools and plugins are used, and how", `
		agents:tools.enabled agents:tools.disabled modes:tools.enabled modes:tools.disabled tasks:tools.enabled tasks:tools.disabled commands:allowed-tools skills:allowed-tools
		features:tools.enabled features:tools.disabled features:tools.opt_in features:plugins.commands.* features:plugins.config.global features:plugins.config.local.*
		tools:override plugin:override plugin:config plugin:toolchains plugin:env flag:include-tools flag:exclude-tools`},
	{"cannot widen: a limit, a size or a time", `
		hooks:timeout mcp:timeout plugin:timeout plugin:limits.memory tasks:timeout providers:timeout providers:idle_timeout providers:retry.base_delay providers:retry.max_attempts
		providers:retry.max_delay features:compaction.keep_last_messages features:compaction.max_tokens features:compaction.threshold features:plugins.timeouts.*
		features:tools.bash.timeout features:tools.bash.truncation.head_lines features:tools.bash.truncation.max_lines features:tools.bash.truncation.max_output_bytes
		features:tools.bash.truncation.tail_lines features:tools.max_steps features:tools.result.max_tokens features:tools.subagents features:tools.timeout features:tools.token_budget
		flag:max-steps flag:token-budget`},
	{"cannot widen: what a permitted service is asked, or costs, and how it knows the user", `
		agents:model.context agents:model.family agents:model.capabilities agents:model.parameter_count agents:model.think agents:model.generation.frequency_penalty
		agents:model.generation.max_output_tokens agents:model.generation.presence_penalty agents:model.generation.seed agents:model.generation.stop agents:model.generation.temperature
		agents:model.generation.top_k agents:model.generation.top_p providers:prices.*.cache_read providers:prices.*.cache_write providers:prices.*.input providers:prices.*.output
		providers:prices.*.search providers:token providers:record features:tools.search.provider flag:think`},
	{"cannot widen: what a permitted server is sent, and how it knows the user", `
		mcp:headers.* mcp:auth.client_id mcp:auth.client_metadata mcp:auth.client_secret mcp:auth.redirect_port mcp:auth.scopes`},
	{"cannot widen: no rule is about directories and variables, and sandbox.hidden holds in all of them", `
		features:sandbox.extra.ro features:sandbox.extra.rw features:sandbox.restrictions.ro features:sandbox.restrictions.rw features:sandbox.env features:sandbox.caches
		hooks:extra.ro hooks:extra.rw mcp:extra.ro mcp:extra.rw tasks:env.* tasks:env_file tasks:workdir`},
	{"cannot widen: it asks for more care of a call", "features:tools.bash.read_only features:tools.read_before.delete features:tools.read_before.write"},
	{"cannot widen: it decides whether files of a directory count, and what they say is bounded", "features:trust flag:trust"},
	{"cannot widen: it says where files are, and what they say is bounded", "flag:config flag:home flag:workdir flag:env-file"},
	{"cannot widen: it can only refuse plugins", "features:plugins.verify"},
	{"cannot widen: the screen, and the programs of its user that no model and no plugin starts", `
		features:screen.keys.* features:screen.notify features:screen.notify_after features:screen.theme flag:debug`},
	{"cannot widen: the editor saves a file, and aura reads it", "features:acp.client_files"},
	{"cannot widen: it leads to a queue, and the policy of the worker's machine bounds the tasks", `
		variable:AURA_FLEET_SERVER variable:AURA_FLEET_USER variable:AURA_FLEET_TOKEN variable:AURA_FLEET_KEY variable:AURA_FLEET_PIN`},
	{"cannot widen: aura sets it for processes that it starts", `
		variable:AURA_PYTHON variable:AURA_NATIVE variable:AURA_CALL variable:AURA_BASH variable:AURA_MCP variable:AURA_DATA_DIR variable:AURA_DOCTOR variable:AURA_SANDBOX
		variable:AURA_SHELL variable:AURA_FLEET variable:AURA_INSTALL variable:AURA_PLUGIN_HOST`},
	{"cannot widen: what somebody else wrote about plugins, which sources, signers and plugins.* bound", "index:* lock:*"},
	{"cannot widen: the policy itself", "policy:*"},
	{"cannot widen: answers and tests, which run under the same policy", "script:* test:*"},
}

// withoutSetting are the keys of a policy that bound no setting, with what they bound.
var withoutSetting = map[string]string{
	"version": "the program", "plugins.python": "files of plugins", "telemetry": "OTEL_EXPORTER_*, which are no settings of aura", "sessions": "files that aura writes",
	"audit": "what aura does", "url": "the policy", "key": "the policy",
}

// TestPolicyTreatsSettings fails for a setting of which the table does not say how the policy of the machine treats it.
func TestPolicyTreatsSettings(t *testing.T) {
	t.Parallel()
	bounding := map[string]bool{}
	for _, key := range machinepolicy.Table {
		bounding[key.Name] = false
	}
	rows := map[string]int{}
	for _, row := range treated {
		if reason, free := strings.CutPrefix(row.by, "cannot widen: "); !free || reason == "" {
			for key := range strings.FieldsSeq(row.by) {
				if _, known := bounding[key]; !known {
					t.Errorf("a policy has no key %q", key)
				}
				bounding[key] = true
			}
		}
		for setting := range strings.FieldsSeq(row.settings) {
			rows[setting]++
		}
	}
	existing := settings(t)
	for _, setting := range existing {
		if rows[setting] == 0 {
			t.Errorf("%s: which key of a policy of the machine bounds it, or why can it not widen one? Give it a row", setting)
		}
	}
	for setting, n := range rows {
		if n > 1 || !slices.Contains(existing, setting) {
			t.Errorf("%s has %d rows, and exists: %t", setting, n, slices.Contains(existing, setting))
		}
	}
	for key, bounds := range bounding {
		if _, none := withoutSetting[key]; bounds == none {
			t.Errorf("the key %s of a policy bounds a setting: %t, but is listed as one that bounds none: %t", key, bounds, none)
		}
	}
}

// settings returns all settings, sorted.
func settings(t *testing.T) []string {
	t.Helper()
	out := map[string]bool{}
	for _, k := range schema.Kinds() {
		text, err := k.Text()
		if err != nil {
			t.Fatal(err)
		}
		var content any
		if err := json.Unmarshal(text, &content); err != nil {
			t.Fatal(err)
		}
		for _, path := range leaves(content) {
			out[settingOf(k.Name, path)] = true
		}
	}
	testRoot().PersistentFlags().VisitAll(func(f *pflag.Flag) { out["flag:"+f.Name] = true })
	for _, name := range ownVariables(t) {
		if flag := strings.ToLower(strings.ReplaceAll(strings.TrimPrefix(name, "AURA_"), "_", "-")); !out["flag:"+flag] {
			out["variable:"+name] = true
		}
	}
	if len(out) < 200 {
		t.Errorf("only %d settings are found", len(out))
	}
	return slices.Sorted(maps.Keys(out))
}

// settingOf returns the name of a key. Agents, modes and tasks have features and servers like those of files of their own. Of a file that only aura
// or an author of plugins writes, all keys are one.
func settingOf(kind, path string) string {
	path = strings.TrimPrefix(strings.TrimPrefix(path, "*"), ".")
	switch _, feature, features := strings.Cut("."+path, ".features."); {
	case slices.Contains([]string{"index", "lock", "policy", "script", "test"}, kind):
		return kind + ":*"
	case features:
		return "features:" + feature
	case kind == "sandbox":
		return "features:" + path
	case kind == "agents" && strings.HasPrefix(path, "mcp.*."):
		return "mcp:" + strings.TrimPrefix(path, "mcp.*.")
	}
	return kind + ":" + path
}

// leaves returns the paths of the keys in a schema that hold no further keys.
func leaves(schema any) []string {
	content, _ := schema.(map[string]any)
	below := map[string]any{}
	if properties, ok := content["properties"].(map[string]any); ok {
		maps.Copy(below, properties)
	}
	if rest, ok := content["additionalProperties"].(map[string]any); ok {
		below["*"] = rest
	}
	var out []string
	if items, ok := content["items"].(map[string]any); ok {
		out = leaves(items)
	}
	for name, inner := range below {
		for _, path := range leaves(inner) {
			out = append(out, strings.TrimSuffix(name+"."+path, "."))
		}
	}
	if len(out) == 0 {
		return []string{""}
	}
	return out
}

var ownVariable = regexp.MustCompile(`"(AURA_[A-Z][A-Z_]*[A-Z])=?"`)

// ownVariables returns the variables that the source of the programs names. Names of streams of a queue are none.
func ownVariables(t *testing.T) []string {
	t.Helper()
	found := map[string]bool{}
	root := os.DirFS(filepath.Join("..", ".."))
	for _, dir := range []string{"cmd", "host", "internal"} {
		err := fs.WalkDir(root, dir, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case path == "internal/lab" || d.Name() == "testdata":
				return fs.SkipDir
			case filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") || path == "internal/fleet/queue/connect.go":
				return nil
			}
			text, err := fs.ReadFile(root, path)
			for _, m := range ownVariable.FindAllStringSubmatch(string(text), -1) {
				found[m[1]] = true
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return slices.Sorted(maps.Keys(found))
}
