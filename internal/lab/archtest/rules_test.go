package archtest_test

const module = "github.com/idelchi/aura"

// anything, as a row's only entry, marks a package that may import all of our other packages.
const anything = "*"

// rooms maps each package directory to those of our packages that its production files may import. An entry ending in "/..."
// covers a package and all packages below it. An exact key takes precedence over a key with a wildcard.
//
// internal/plugin/hookpoint is vocabulary: a row that allows any of our packages also allows internal/plugin/hookpoint without naming it. A
// package with an empty row imports none of our packages except internal/base/files, which complements package os, and the
// constants of internal/base/limit.
var rooms = map[string][]string{
	"cmd/aura":                            {"internal/cli"},
	"cmd/aura-plugin-host/internal/first": {"internal/base/stack"},
	"cmd/aura-plugin-host":                {"cmd/aura-plugin-host/internal/first", "shared/...", "internal/base/build", "internal/runtime/guest", "internal/golang/interp", "internal/plugin/manifest", "internal/system/sandbox", "internal/system/process", "sdk/..."},

	"cmd/aura-tool-host": {"internal/base/build", "internal/agent/toolhost"},

	"internal/cli": {
		"internal/runtime/aar", "internal/ui/acp", "internal/app", "internal/author/bisect", "internal/base/build", "internal/author/check", "internal/agent/command", "internal/base/condition", "internal/settings/config", "internal/agent/conversation/...", "internal/cli/doctor", "internal/author/explain", "internal/fleet/...", "internal/app/frontend", "internal/supply/install", "internal/agent/llm",
		"internal/plugin/manifest", "internal/agent/mcpimport", "internal/base/nearest", "internal/plugin/pipeline", "internal/base/plaintext", "internal/system/planted", "internal/author/plugincall", "internal/author/plugindev", "internal/author/plugintest", "internal/agent/policy", "internal/system/process", "internal/agent/prompt", "internal/runtime/python", "internal/author/recording", "internal/base/redact", "internal/settings/scaffold", "internal/settings/schema", "internal/system/sandbox", "internal/agent/session", "internal/base/telemetry",
		"internal/ui/inputhistory", "internal/settings/setup", "internal/system/shell", "internal/ui/terminal", "internal/agent/tool", "internal/agent/toolhost", "internal/ui/top", "internal/system/trust", "internal/ui/tui", "host", "sdk/...",
	},
	"internal/author/bisect": {
		"host", "internal/agent/conversation/...", "internal/agent/llm", "internal/plugin/pipeline", "internal/author/plugincall", "internal/author/recording", "internal/agent/todo", "internal/agent/tool", "sdk/...",
	},
	"internal/author/explain": {"internal/plugin/pipeline", "internal/agent/session"},
	"internal/ui/top":         {"host", "internal/base/files", "internal/base/plaintext", "internal/ui/terminal"},
	"internal/cli/doctor": {
		"internal/app", "internal/base/build", "internal/author/check", "internal/settings/config", "internal/supply/install", "internal/agent/llm", "internal/system/process", "internal/base/redact",
		"internal/system/sandbox", "internal/settings/setup", "internal/agent/toolhost", "sdk/...",
	},
	"internal/cli/gen":      {"internal/base/build", "internal/cli"},
	"internal/ui/terminal":  {"internal/agent/conversation/event", "internal/base/plaintext"},
	"internal/app/frontend": {"host", "internal/agent/command", "internal/agent/conversation/event", "internal/agent/llm", "internal/agent/session", "internal/settings/setup", "internal/agent/todo"},
	"internal/app/slash": {
		"host", "internal/agent/command", "internal/base/condition", "internal/settings/config", "internal/agent/conversation", "internal/author/explain", "internal/app/frontend", "internal/agent/llm", "internal/plugin/manifest", "internal/agent/mcp", "internal/agent/policy", "internal/agent/prompt",
		"internal/agent/session", "internal/settings/setup", "internal/agent/todo", "internal/agent/tokens", "sdk/...",
	},
	"internal/settings/setup": {
		"host", "hooks", "internal/runtime/aar", "internal/base/build", "internal/base/condition", "internal/settings/config", "internal/agent/conversation/...", "internal/agent/donetool", "internal/supply/install", "internal/agent/llm/...",
		"internal/plugin/manifest", "internal/runtime/native", "internal/runtime/native/gocmd", "internal/runtime/python", "internal/agent/mcp", "internal/base/nearest", "internal/plugin/pipeline", "internal/base/plaintext", "host/pluginstate", "internal/agent/policy", "internal/system/process", "internal/agent/prompt", "internal/base/redact",
		"internal/system/planted", "internal/system/sandbox",
		"internal/agent/readguard", "internal/system/shell", "internal/agent/skill", "internal/system/state", "internal/base/telemetry", "internal/agent/todo", "internal/agent/tool/...", "internal/agent/toolhost", "shared", "sdk/...",
	},
	"internal/agent/toolhost": {"internal/runtime/native/gocmd", "internal/system/process", "internal/system/sandbox", "internal/system/shell", "internal/agent/tool/..."},
	"internal/ui/tui": {
		"host", "internal/agent/command", "internal/settings/config", "internal/agent/conversation/event", "internal/ui/filefind", "internal/base/files", "internal/app/frontend", "internal/ui/inputhistory",
		"internal/base/keymap", "internal/ui/lineedit", "internal/agent/llm", "internal/base/nearest", "internal/base/plaintext", "internal/system/process", "internal/settings/setup", "internal/ui/terminal",
	},
	"internal/ui/acp": {
		"host", "internal/agent/command", "internal/agent/conversation/...", "internal/base/files", "internal/app/frontend", "internal/base/limit", "internal/agent/llm", "internal/base/plaintext",
		"internal/agent/prompt", "internal/agent/session", "internal/settings/setup", "internal/agent/todo", "sdk/...",
	},
	"internal/fleet":            {},
	"internal/fleet/batch":      {"internal/fleet", "internal/base/strictyaml"},
	"internal/fleet/queue":      {"internal/fleet"},
	"internal/fleet/server":     {"internal/fleet/queue"},
	"internal/fleet/placement":  {},
	"internal/fleet/workspace":  {"internal/fleet", "internal/system/gitcmd", "internal/base/gitignore", "internal/system/process"},
	"internal/fleet/worker":     {"internal/agent/conversation/event", "internal/fleet", "internal/fleet/queue", "internal/fleet/workspace", "internal/agent/llm", "internal/base/lock", "internal/system/process", "internal/agent/session", "internal/system/state", "sdk/..."},
	"internal/lab/fleetlab":     {"internal/fleet/..."},
	"internal/lab/fleetlab/run": {"internal/lab/fleetlab", "internal/lab"},
	"internal/base/keymap":      {"internal/base/nearest"},
	"internal/app":              {anything},
	"internal/lab/bench":        {anything},
	"internal/lab":              {},
	"internal/lab/soak":         {anything},
	"internal/lab/size":         {},
	"internal/lab/platform":     {},

	"internal/agent/conversation": {
		"internal/agent/command", "internal/agent/conversation/event", "internal/agent/donetool", "internal/agent/llm", "internal/plugin/pipeline", "internal/agent/session",
		"internal/base/telemetry", "internal/agent/todo", "internal/agent/tokens", "internal/agent/tool", "sdk/...",
	},
	"internal/agent/conversation/event": {"sdk/..."},
	"internal/settings/config":          {"hooks", "internal/base/condition", "internal/base/keymap", "internal/base/nearest", "internal/agent/policy", "internal/system/state", "internal/base/strictyaml"},
	"internal/base/build":               {"sdk/..."},
	"internal/agent/policy":             {"internal/system/statefile"},
	"internal/system/planted":           {"internal/base/files", "internal/system/gitconfig"},
	"internal/system/gitconfig":         {},
	"internal/agent/prompt":             {},
	"internal/agent/session":            {"internal/agent/llm", "internal/base/lock"},
	"internal/agent/command":            {"internal/base/nearest", "sdk/..."},
	"internal/agent/donetool":           {"internal/agent/tool"},
	"internal/runtime/aar":              {},
	"internal/runtime/python":           {"internal/plugin/manifest", "internal/system/process"},
	"internal/agent/skill":              {"internal/agent/tool"},
	"internal/agent/todo":               {"internal/agent/llm", "internal/agent/tool"},
	"internal/agent/tokens":             {},
	"internal/agent/tool":               {"internal/agent/llm", "internal/system/sandbox", "sdk/..."},
	"internal/agent/tool/builtin":       {"internal/base/gitignore", "internal/agent/readguard", "internal/system/process", "internal/agent/tool", "sdk/..."},
	"internal/agent/readguard":          {"internal/agent/tool", "sdk/..."},
	"internal/agent/llm":                {},
	"internal/agent/mcp":                {"internal/system/process", "internal/base/telemetry", "internal/agent/tool"},
	"internal/agent/llm/*":              {"internal/agent/llm/...", "internal/base/redact", "internal/base/strictyaml", "sdk/..."},
	"internal/plugin/pipeline":          {"sdk/..."},
	"internal/runtime/native": {
		"internal/golang/loader", "internal/base/lock", "internal/runtime/native/gocmd", "internal/plugin/pluginsource", "shared", "sdk/...",
	},
	"shared/exact":                       {},
	"shared/frame":                       {"shared/exact"},
	"internal/runtime/native/gocmd":      {"internal/system/process"},
	"internal/runtime/native/link":       {"shared/frame"},
	"internal/runtime/native/shim":       {"shared/exact", "shared/frame", "internal/runtime/native/link", "sdk/..."},
	"internal/runtime/guest":             {"shared/frame", "internal/plugin/pluginsource", "internal/system/process", "shared", "sdk/..."},
	"internal/runtime/guest/conformance": {"internal/runtime/guest", "shared", "sdk/..."},
	"internal/plugin/hookpoint":          {"internal/base/nearest", "sdk/..."},
	"internal/ui/filefind":               {"internal/base/gitignore", "internal/base/plaintext"},
	"internal/base/files":                {},
	"internal/system/gitcmd":             {"internal/system/process"},
	"internal/base/gitignore":            {},
	"internal/ui/inputhistory":           {"internal/base/lock"},
	"internal/base/limit":                {"sdk/..."},
	"internal/ui/lineedit":               {"internal/base/plaintext"},
	"internal/base/lock":                 {},
	"internal/system/statefile":          {"internal/base/lock"},
	"internal/base/nearest":              {},
	"internal/base/plaintext":            {},
	"internal/plugin/pluginsource":       {"sdk/..."},
	"internal/author/plugincall":         {"host", "internal/settings/config", "internal/plugin/manifest", "internal/base/nearest", "host/pluginstate", "internal/author/recording", "internal/base/redact", "internal/settings/setup", "internal/system/state", "internal/agent/tool", "shared", "sdk/..."},
	"internal/author/plugindev":          {"internal/author/check", "internal/plugin/manifest", "internal/author/recording"},
	"host/pluginstate":                   {"internal/base/lock", "shared", "sdk/..."},
	"internal/author/plugintest": {
		"host", "internal/settings/config", "internal/supply/install", "internal/author/plugincall", "internal/plugin/pluginsource", "internal/plugin/testfile",
		"internal/author/recording", "internal/settings/setup", "internal/agent/tool/...", "shared", "sdk/...",
	},
	"internal/plugin/testfile":  {"internal/base/nearest", "internal/base/strictyaml"},
	"internal/author/recording": {"host", "internal/base/lock", "internal/base/redact", "shared", "sdk/..."},
	"internal/base/redact":      {},
	"internal/system/state":     {},
	"internal/base/telemetry":   {"internal/base/redact"},
	"internal/system/trust":     {"internal/system/statefile"},
	"hooks":                     {"internal/agent/prompt", "internal/system/shell", "internal/base/telemetry", "internal/agent/tool", "sdk/..."},

	"host": {
		"internal/base/condition", "internal/base/lock", "internal/plugin/manifest", "internal/plugin/pluginsource", "internal/base/redact", "internal/system/sandbox", "internal/system/process", "internal/base/stack", "internal/base/telemetry", "shared/...", "sdk/...",
	},
	"shared":                        {"shared/wire", "shared/exact", "internal/system/sandbox", "internal/base/stack", "sdk/..."},
	"shared/client":                 {"shared", "shared/wire"},
	"shared/serve":                  {"shared", "shared/wire"},
	"shared/wire":                   {},
	"shared/wire/pb":                {},
	"internal/golang/interp":        {"internal/golang/box", "internal/golang/interp/symtab", "internal/golang/library", "internal/golang/loader", "internal/golang/lower", "internal/plugin/pluginsource", "internal/golang/repair", "internal/base/stack", "shared", "sdk/..."},
	"internal/golang/box":           {},
	"internal/base/stack":           {},
	"internal/golang/library":       {},
	"internal/golang/lower":         {"internal/golang/library"},
	"internal/golang/loader":        {"internal/golang/library", "internal/golang/lower", "internal/plugin/manifest", "internal/plugin/pluginsource", "sdk/..."},
	"internal/golang/interp/gen":    {},
	"internal/golang/interp/symtab": {},
	"internal/author/check":         {"internal/golang/library", "internal/golang/loader", "internal/plugin/manifest", "internal/runtime/native", "internal/base/nearest", "internal/plugin/pluginsource", "internal/base/strictyaml", "internal/agent/tool", "sdk/..."},
	"internal/golang/library/gen":   {},
	"internal/plugin/manifest":      {"internal/base/condition", "internal/plugin/pluginsource", "internal/base/strictyaml", "sdk/..."},
	"internal/supply/install":       {"internal/system/gitcmd", "internal/base/lock", "internal/plugin/manifest", "internal/runtime/native/gocmd", "internal/plugin/pluginsource", "internal/system/process", "internal/runtime/python", "sdk/..."},
	"internal/supply/install/gen":   {},
	"internal/base/condition":       {},
	"internal/golang/repair":        {},
	"internal/system/sandbox":       {"internal/base/files", "internal/system/gitconfig", "internal/system/process"},
	"internal/settings/scaffold":    {"internal/supply/install", "internal/plugin/manifest", "internal/settings/schema", "sdk/..."},
	"internal/settings/schema":      {"docs/schemas", "internal/settings/config", "internal/supply/install", "internal/agent/llm/script", "internal/plugin/manifest", "internal/plugin/testfile", "internal/base/strictyaml"},
	"docs/schemas":                  {},
	"internal/agent/mcpimport":      {},
	"internal/system/shell":         {"internal/system/process"},
	"internal/system/process":       {},
	"internal/base/strictyaml":      {},

	"sdk":         {"sdk/version"},
	"sdk/version": {},

	"internal/lab/archtest":  {},
	"internal/lab/testhelp":  {},
	"internal/lab/testcache": {},
	"internal/lab/testhost":  {"internal/lab/testcache"},
	"internal/lab/progen":    {},
	"internal/lab/testneed":  {},
	"internal/lab/docs":      {},
	"internal/lab/e2e":       {},
	"internal/lab/examples":  {},
	"tools/*":                {},

	"tools/release":                     {"tools/release/internal/license"},
	"tools/release/internal/license":    {},
	"tools/release/licenses":            {"tools/release/internal/license"},
	"tools/release/vulnerabilities":     {},
	"internal/fleet/placement/validate": {},
}

// reserved maps an import path, with all paths below it, to the only trees that may import it.
var reserved = map[string][]string{
	"github.com/traefik/yaegi":       {"internal/golang/interp"},
	"github.com/hashicorp/go-plugin": {"host", "shared/client"},
	module + "/internal/interp":      {"cmd/aura-plugin-host", "internal/lab/bench", "internal/golang/interp"},
	// Other packages know the queue, not what keeps it.
	"github.com/nats-io/nats-server": {"internal/fleet/server"},
	"github.com/nats-io/nats.go":     {"internal/fleet/queue"},
}

// standardOnly lists the trees whose production files import only the standard library.
var standardOnly = []string{"sdk"}
