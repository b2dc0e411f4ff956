package archtest_test

const module = "github.com/idelchi/aura"

// anything, as a row's only entry, marks a package that may import all of our other packages.
const anything = "*"

// rooms maps each package directory to those of our packages that its production files may import. An entry ending in "/..."
// covers a package and all packages below it. An exact key takes precedence over a key with a wildcard.
//
// internal/hookpoint is vocabulary: a row that allows any of our packages also allows internal/hookpoint without naming it. A
// package with an empty row imports none of our packages except internal/files, which complements package os, and the
// constants of internal/limit.
var rooms = map[string][]string{
	"cmd/aura":                            {"internal/cli"},
	"cmd/aura-plugin-host/internal/first": {"internal/stack"},
	"cmd/aura-plugin-host":                {"cmd/aura-plugin-host/internal/first", "shared/...", "internal/build", "internal/guest", "internal/interp", "internal/manifest", "internal/sandbox", "internal/process", "sdk/..."},

	"cmd/aura-tool-host": {"internal/build", "internal/toolhost"},

	"internal/cli": {
		"internal/aar", "internal/acp", "internal/app", "internal/bisect", "internal/build", "internal/check", "internal/command", "internal/condition", "internal/config", "internal/conversation/...", "internal/doctor", "internal/explain", "internal/fleet/...", "internal/frontend", "internal/install", "internal/llm",
		"internal/manifest", "internal/mcpimport", "internal/nearest", "internal/pipeline", "internal/plaintext", "internal/planted", "internal/plugincall", "internal/plugindev", "internal/plugintest", "internal/policy", "internal/process", "internal/prompt", "internal/python", "internal/recording", "internal/redact", "internal/scaffold", "internal/schema", "internal/sandbox", "internal/session", "internal/telemetry",
		"internal/inputhistory", "internal/setup", "internal/shell", "internal/terminal", "internal/tool", "internal/toolhost", "internal/top", "internal/trust", "internal/tui", "host", "sdk/...",
	},
	"internal/bisect": {
		"host", "internal/conversation/...", "internal/llm", "internal/pipeline", "internal/plugincall", "internal/recording", "internal/todo", "internal/tool", "sdk/...",
	},
	"internal/explain": {"internal/pipeline", "internal/session"},
	"internal/top":     {"host", "internal/files", "internal/plaintext", "internal/terminal"},
	"internal/doctor": {
		"internal/app", "internal/build", "internal/check", "internal/config", "internal/install", "internal/llm", "internal/process", "internal/redact",
		"internal/sandbox", "internal/setup", "internal/toolhost", "sdk/...",
	},
	"internal/cli/gen":  {"internal/build", "internal/cli"},
	"internal/terminal": {"internal/conversation/event", "internal/plaintext"},
	"internal/frontend": {"host", "internal/command", "internal/conversation/event", "internal/llm", "internal/session", "internal/setup", "internal/todo"},
	"internal/slash": {
		"host", "internal/command", "internal/condition", "internal/config", "internal/conversation", "internal/explain", "internal/frontend", "internal/llm", "internal/manifest", "internal/mcp", "internal/policy", "internal/prompt",
		"internal/session", "internal/setup", "internal/todo", "internal/tokens", "sdk/...",
	},
	"internal/setup": {
		"host", "hooks", "internal/aar", "internal/build", "internal/condition", "internal/config", "internal/conversation/...", "internal/donetool", "internal/install", "internal/llm/...",
		"internal/manifest", "internal/native", "internal/native/gocmd", "internal/python", "internal/mcp", "internal/nearest", "internal/pipeline", "internal/plaintext", "internal/pluginstate", "internal/policy", "internal/process", "internal/prompt", "internal/redact",
		"internal/planted", "internal/sandbox",
		"internal/readguard", "internal/shell", "internal/skill", "internal/state", "internal/telemetry", "internal/todo", "internal/tool/...", "internal/toolhost", "shared", "sdk/...",
	},
	"internal/toolhost": {"internal/native/gocmd", "internal/process", "internal/sandbox", "internal/shell", "internal/tool/..."},
	"internal/tui": {
		"host", "internal/command", "internal/config", "internal/conversation/event", "internal/filefind", "internal/files", "internal/frontend", "internal/inputhistory",
		"internal/keymap", "internal/lineedit", "internal/llm", "internal/nearest", "internal/plaintext", "internal/process", "internal/setup", "internal/terminal",
	},
	"internal/acp": {
		"host", "internal/command", "internal/conversation/...", "internal/files", "internal/frontend", "internal/limit", "internal/llm", "internal/plaintext",
		"internal/prompt", "internal/session", "internal/setup", "internal/todo", "sdk/...",
	},
	"internal/fleet":           {},
	"internal/fleet/batch":     {"internal/fleet", "internal/strictyaml"},
	"internal/fleet/queue":     {"internal/fleet"},
	"internal/fleet/server":    {"internal/fleet/queue"},
	"internal/fleet/placement": {},
	"internal/fleet/workspace": {"internal/fleet", "internal/gitcmd", "internal/gitignore", "internal/process"},
	"internal/fleet/worker":    {"internal/conversation/event", "internal/fleet", "internal/fleet/queue", "internal/fleet/workspace", "internal/llm", "internal/lock", "internal/process", "internal/session", "internal/state", "sdk/..."},
	"internal/fleetlab":        {"internal/fleet/..."},
	"internal/fleetlab/run":    {"internal/fleetlab", "internal/lab"},
	"internal/keymap":          {"internal/nearest"},
	"internal/app":             {anything},
	"internal/bench":           {anything},
	"internal/lab":             {},
	"internal/soak":            {anything},
	"internal/size":            {},
	"internal/platform":        {},

	"internal/conversation": {
		"internal/command", "internal/conversation/event", "internal/donetool", "internal/llm", "internal/pipeline", "internal/session",
		"internal/telemetry", "internal/todo", "internal/tokens", "internal/tool", "sdk/...",
	},
	"internal/conversation/event": {"sdk/..."},
	"internal/config":             {"hooks", "internal/condition", "internal/keymap", "internal/nearest", "internal/policy", "internal/state", "internal/strictyaml"},
	"internal/build":              {"sdk/..."},
	"internal/policy":             {"internal/statefile"},
	"internal/planted":            {"internal/files", "internal/gitconfig"},
	"internal/gitconfig":          {},
	"internal/prompt":             {},
	"internal/session":            {"internal/llm", "internal/lock"},
	"internal/command":            {"internal/nearest", "sdk/..."},
	"internal/donetool":           {"internal/tool"},
	"internal/aar":                {},
	"internal/python":             {"internal/manifest", "internal/process"},
	"internal/skill":              {"internal/tool"},
	"internal/todo":               {"internal/llm", "internal/tool"},
	"internal/tokens":             {},
	"internal/tool":               {"internal/llm", "internal/sandbox", "sdk/..."},
	"internal/tool/builtin":       {"internal/gitignore", "internal/readguard", "internal/process", "internal/tool", "sdk/..."},
	"internal/readguard":          {"internal/tool", "sdk/..."},
	"internal/llm":                {},
	"internal/mcp":                {"internal/process", "internal/telemetry", "internal/tool"},
	"internal/llm/*":              {"internal/llm/...", "internal/redact", "internal/strictyaml", "sdk/..."},
	"internal/pipeline":           {"sdk/..."},
	"internal/native": {
		"internal/loader", "internal/lock", "internal/native/gocmd", "internal/pluginsource", "shared", "sdk/...",
	},
	"internal/native/exact":      {},
	"internal/native/frame":      {"internal/native/exact"},
	"internal/native/gocmd":      {"internal/process"},
	"internal/native/link":       {"internal/native/frame"},
	"internal/native/shim":       {"internal/native/exact", "internal/native/frame", "internal/native/link", "sdk/..."},
	"internal/guest":             {"internal/native/frame", "internal/pluginsource", "internal/process", "shared", "sdk/..."},
	"internal/guest/conformance": {"internal/guest", "shared", "sdk/..."},
	"internal/hookpoint":         {"internal/nearest", "sdk/..."},
	"internal/filefind":          {"internal/gitignore", "internal/plaintext"},
	"internal/files":             {},
	"internal/gitcmd":            {"internal/process"},
	"internal/gitignore":         {},
	"internal/inputhistory":      {"internal/lock"},
	"internal/limit":             {"sdk/..."},
	"internal/lineedit":          {"internal/plaintext"},
	"internal/lock":              {},
	"internal/statefile":         {"internal/lock"},
	"internal/nearest":           {},
	"internal/plaintext":         {},
	"internal/pluginsource":      {"sdk/..."},
	"internal/plugincall":        {"host", "internal/config", "internal/manifest", "internal/nearest", "internal/pluginstate", "internal/recording", "internal/redact", "internal/setup", "internal/state", "internal/tool", "shared", "sdk/..."},
	"internal/plugindev":         {"internal/check", "internal/manifest", "internal/recording"},
	"internal/pluginstate":       {"internal/lock", "shared", "sdk/..."},
	"internal/plugintest": {
		"host", "internal/config", "internal/install", "internal/plugincall", "internal/pluginsource", "internal/plugintest/testfile",
		"internal/recording", "internal/setup", "internal/tool/...", "shared", "sdk/...",
	},
	"internal/plugintest/testfile": {"internal/nearest", "internal/strictyaml"},
	"internal/recording":           {"host", "internal/lock", "internal/redact", "shared", "sdk/..."},
	"internal/redact":              {},
	"internal/state":               {},
	"internal/telemetry":           {"internal/redact"},
	"internal/trust":               {"internal/statefile"},
	"hooks":                        {"internal/prompt", "internal/shell", "internal/telemetry", "internal/tool", "sdk/..."},

	"host": {
		"internal/condition", "internal/lock", "internal/manifest", "internal/pluginsource", "internal/redact", "internal/sandbox", "internal/process", "internal/stack", "internal/telemetry", "shared/...", "sdk/...",
	},
	"shared":                 {"shared/wire", "internal/native/exact", "internal/sandbox", "internal/stack", "sdk/..."},
	"shared/client":          {"shared", "shared/wire"},
	"shared/serve":           {"shared", "shared/wire"},
	"shared/wire":            {},
	"shared/wire/pb":         {},
	"internal/interp":        {"internal/box", "internal/interp/symtab", "internal/library", "internal/loader", "internal/lower", "internal/pluginsource", "internal/repair", "internal/stack", "shared", "sdk/..."},
	"internal/box":           {},
	"internal/stack":         {},
	"internal/library":       {},
	"internal/lower":         {"internal/library"},
	"internal/loader":        {"internal/library", "internal/lower", "internal/manifest", "internal/pluginsource", "sdk/..."},
	"internal/interp/gen":    {},
	"internal/interp/symtab": {},
	"internal/check":         {"internal/library", "internal/loader", "internal/manifest", "internal/native", "internal/nearest", "internal/pluginsource", "internal/strictyaml", "internal/tool", "sdk/..."},
	"internal/library/gen":   {},
	"internal/manifest":      {"internal/condition", "internal/pluginsource", "internal/strictyaml", "sdk/..."},
	"internal/install":       {"internal/gitcmd", "internal/lock", "internal/manifest", "internal/native/gocmd", "internal/pluginsource", "internal/process", "internal/python", "sdk/..."},
	"internal/install/gen":   {},
	"internal/condition":     {},
	"internal/repair":        {},
	"internal/sandbox":       {"internal/files", "internal/gitconfig", "internal/process"},
	"internal/scaffold":      {"internal/install", "internal/manifest", "internal/schema", "sdk/..."},
	"internal/schema":        {"docs/schemas", "internal/config", "internal/install", "internal/llm/script", "internal/manifest", "internal/plugintest/testfile", "internal/strictyaml"},
	"docs/schemas":           {},
	"internal/mcpimport":     {},
	"internal/shell":         {"internal/process"},
	"internal/process":       {},
	"internal/strictyaml":    {},

	"sdk":         {"sdk/version"},
	"sdk/version": {},

	"internal/archtest":  {},
	"internal/testhelp":  {},
	"internal/testcache": {},
	"internal/testhost":  {"internal/testcache"},
	"internal/progen":    {},
	"internal/testneed":  {},
	"internal/docs":      {},
	"internal/e2e":       {},
	"internal/examples":  {},
	"tools/*":            {},

	"tools/release":                     {"tools/release/internal/license"},
	"tools/release/internal/license":    {},
	"tools/release/licenses":            {"tools/release/internal/license"},
	"tools/release/vulnerabilities":     {},
	"internal/fleet/placement/validate": {},
}

// reserved maps an import path, with all paths below it, to the only trees that may import it.
var reserved = map[string][]string{
	"github.com/traefik/yaegi":       {"internal/interp"},
	"github.com/hashicorp/go-plugin": {"host", "shared/client"},
	module + "/internal/interp":      {"cmd/aura-plugin-host", "internal/bench", "internal/interp"},
	// Other packages know the queue, not what keeps it.
	"github.com/nats-io/nats-server": {"internal/fleet/server"},
	"github.com/nats-io/nats.go":     {"internal/fleet/queue"},
}

// standardOnly lists the trees whose production files import only the standard library.
var standardOnly = []string{"sdk"}
