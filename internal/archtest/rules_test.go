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

	"cmd/aura-tool-host": {"internal/base/build", "internal/toolhost"},

	"internal/cli": {
		"internal/runtime/aar", "internal/acp", "internal/app", "internal/bisect", "internal/base/build", "internal/check", "internal/command", "internal/base/condition", "internal/config", "internal/conversation/...", "internal/doctor", "internal/explain", "internal/fleet/...", "internal/frontend", "internal/supply/install", "internal/llm",
		"internal/plugin/manifest", "internal/mcpimport", "internal/base/nearest", "internal/plugin/pipeline", "internal/base/plaintext", "internal/system/planted", "internal/plugincall", "internal/plugindev", "internal/plugintest", "internal/policy", "internal/system/process", "internal/prompt", "internal/runtime/python", "internal/recording", "internal/base/redact", "internal/scaffold", "internal/schema", "internal/system/sandbox", "internal/session", "internal/base/telemetry",
		"internal/inputhistory", "internal/setup", "internal/system/shell", "internal/terminal", "internal/tool", "internal/toolhost", "internal/top", "internal/system/trust", "internal/tui", "host", "sdk/...",
	},
	"internal/bisect": {
		"host", "internal/conversation/...", "internal/llm", "internal/plugin/pipeline", "internal/plugincall", "internal/recording", "internal/todo", "internal/tool", "sdk/...",
	},
	"internal/explain": {"internal/plugin/pipeline", "internal/session"},
	"internal/top":     {"host", "internal/base/files", "internal/base/plaintext", "internal/terminal"},
	"internal/doctor": {
		"internal/app", "internal/base/build", "internal/check", "internal/config", "internal/supply/install", "internal/llm", "internal/system/process", "internal/base/redact",
		"internal/system/sandbox", "internal/setup", "internal/toolhost", "sdk/...",
	},
	"internal/cli/gen":  {"internal/base/build", "internal/cli"},
	"internal/terminal": {"internal/conversation/event", "internal/base/plaintext"},
	"internal/frontend": {"host", "internal/command", "internal/conversation/event", "internal/llm", "internal/session", "internal/setup", "internal/todo"},
	"internal/slash": {
		"host", "internal/command", "internal/base/condition", "internal/config", "internal/conversation", "internal/explain", "internal/frontend", "internal/llm", "internal/plugin/manifest", "internal/mcp", "internal/policy", "internal/prompt",
		"internal/session", "internal/setup", "internal/todo", "internal/tokens", "sdk/...",
	},
	"internal/setup": {
		"host", "hooks", "internal/runtime/aar", "internal/base/build", "internal/base/condition", "internal/config", "internal/conversation/...", "internal/donetool", "internal/supply/install", "internal/llm/...",
		"internal/plugin/manifest", "internal/runtime/native", "internal/runtime/native/gocmd", "internal/runtime/python", "internal/mcp", "internal/base/nearest", "internal/plugin/pipeline", "internal/base/plaintext", "host/pluginstate", "internal/policy", "internal/system/process", "internal/prompt", "internal/base/redact",
		"internal/system/planted", "internal/system/sandbox",
		"internal/readguard", "internal/system/shell", "internal/skill", "internal/system/state", "internal/base/telemetry", "internal/todo", "internal/tool/...", "internal/toolhost", "shared", "sdk/...",
	},
	"internal/toolhost": {"internal/runtime/native/gocmd", "internal/system/process", "internal/system/sandbox", "internal/system/shell", "internal/tool/..."},
	"internal/tui": {
		"host", "internal/command", "internal/config", "internal/conversation/event", "internal/filefind", "internal/base/files", "internal/frontend", "internal/inputhistory",
		"internal/base/keymap", "internal/lineedit", "internal/llm", "internal/base/nearest", "internal/base/plaintext", "internal/system/process", "internal/setup", "internal/terminal",
	},
	"internal/acp": {
		"host", "internal/command", "internal/conversation/...", "internal/base/files", "internal/frontend", "internal/base/limit", "internal/llm", "internal/base/plaintext",
		"internal/prompt", "internal/session", "internal/setup", "internal/todo", "sdk/...",
	},
	"internal/fleet":           {},
	"internal/fleet/batch":     {"internal/fleet", "internal/base/strictyaml"},
	"internal/fleet/queue":     {"internal/fleet"},
	"internal/fleet/server":    {"internal/fleet/queue"},
	"internal/fleet/placement": {},
	"internal/fleet/workspace": {"internal/fleet", "internal/system/gitcmd", "internal/base/gitignore", "internal/system/process"},
	"internal/fleet/worker":    {"internal/conversation/event", "internal/fleet", "internal/fleet/queue", "internal/fleet/workspace", "internal/llm", "internal/base/lock", "internal/system/process", "internal/session", "internal/system/state", "sdk/..."},
	"internal/fleetlab":        {"internal/fleet/..."},
	"internal/fleetlab/run":    {"internal/fleetlab", "internal/lab"},
	"internal/base/keymap":     {"internal/base/nearest"},
	"internal/app":             {anything},
	"internal/bench":           {anything},
	"internal/lab":             {},
	"internal/soak":            {anything},
	"internal/size":            {},
	"internal/platform":        {},

	"internal/conversation": {
		"internal/command", "internal/conversation/event", "internal/donetool", "internal/llm", "internal/plugin/pipeline", "internal/session",
		"internal/base/telemetry", "internal/todo", "internal/tokens", "internal/tool", "sdk/...",
	},
	"internal/conversation/event": {"sdk/..."},
	"internal/config":             {"hooks", "internal/base/condition", "internal/base/keymap", "internal/base/nearest", "internal/policy", "internal/system/state", "internal/base/strictyaml"},
	"internal/base/build":         {"sdk/..."},
	"internal/policy":             {"internal/system/statefile"},
	"internal/system/planted":     {"internal/base/files", "internal/system/gitconfig"},
	"internal/system/gitconfig":   {},
	"internal/prompt":             {},
	"internal/session":            {"internal/llm", "internal/base/lock"},
	"internal/command":            {"internal/base/nearest", "sdk/..."},
	"internal/donetool":           {"internal/tool"},
	"internal/runtime/aar":        {},
	"internal/runtime/python":     {"internal/plugin/manifest", "internal/system/process"},
	"internal/skill":              {"internal/tool"},
	"internal/todo":               {"internal/llm", "internal/tool"},
	"internal/tokens":             {},
	"internal/tool":               {"internal/llm", "internal/system/sandbox", "sdk/..."},
	"internal/tool/builtin":       {"internal/base/gitignore", "internal/readguard", "internal/system/process", "internal/tool", "sdk/..."},
	"internal/readguard":          {"internal/tool", "sdk/..."},
	"internal/llm":                {},
	"internal/mcp":                {"internal/system/process", "internal/base/telemetry", "internal/tool"},
	"internal/llm/*":              {"internal/llm/...", "internal/base/redact", "internal/base/strictyaml", "sdk/..."},
	"internal/plugin/pipeline":    {"sdk/..."},
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
	"internal/filefind":                  {"internal/base/gitignore", "internal/base/plaintext"},
	"internal/base/files":                {},
	"internal/system/gitcmd":             {"internal/system/process"},
	"internal/base/gitignore":            {},
	"internal/inputhistory":              {"internal/base/lock"},
	"internal/base/limit":                {"sdk/..."},
	"internal/lineedit":                  {"internal/base/plaintext"},
	"internal/base/lock":                 {},
	"internal/system/statefile":          {"internal/base/lock"},
	"internal/base/nearest":              {},
	"internal/base/plaintext":            {},
	"internal/plugin/pluginsource":       {"sdk/..."},
	"internal/plugincall":                {"host", "internal/config", "internal/plugin/manifest", "internal/base/nearest", "host/pluginstate", "internal/recording", "internal/base/redact", "internal/setup", "internal/system/state", "internal/tool", "shared", "sdk/..."},
	"internal/plugindev":                 {"internal/check", "internal/plugin/manifest", "internal/recording"},
	"host/pluginstate":                   {"internal/base/lock", "shared", "sdk/..."},
	"internal/plugintest": {
		"host", "internal/config", "internal/supply/install", "internal/plugincall", "internal/plugin/pluginsource", "internal/plugin/testfile",
		"internal/recording", "internal/setup", "internal/tool/...", "shared", "sdk/...",
	},
	"internal/plugin/testfile": {"internal/base/nearest", "internal/base/strictyaml"},
	"internal/recording":       {"host", "internal/base/lock", "internal/base/redact", "shared", "sdk/..."},
	"internal/base/redact":     {},
	"internal/system/state":    {},
	"internal/base/telemetry":  {"internal/base/redact"},
	"internal/system/trust":    {"internal/system/statefile"},
	"hooks":                    {"internal/prompt", "internal/system/shell", "internal/base/telemetry", "internal/tool", "sdk/..."},

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
	"internal/check":                {"internal/golang/library", "internal/golang/loader", "internal/plugin/manifest", "internal/runtime/native", "internal/base/nearest", "internal/plugin/pluginsource", "internal/base/strictyaml", "internal/tool", "sdk/..."},
	"internal/golang/library/gen":   {},
	"internal/plugin/manifest":      {"internal/base/condition", "internal/plugin/pluginsource", "internal/base/strictyaml", "sdk/..."},
	"internal/supply/install":       {"internal/system/gitcmd", "internal/base/lock", "internal/plugin/manifest", "internal/runtime/native/gocmd", "internal/plugin/pluginsource", "internal/system/process", "internal/runtime/python", "sdk/..."},
	"internal/supply/install/gen":   {},
	"internal/base/condition":       {},
	"internal/golang/repair":        {},
	"internal/system/sandbox":       {"internal/base/files", "internal/system/gitconfig", "internal/system/process"},
	"internal/scaffold":             {"internal/supply/install", "internal/plugin/manifest", "internal/schema", "sdk/..."},
	"internal/schema":               {"docs/schemas", "internal/config", "internal/supply/install", "internal/llm/script", "internal/plugin/manifest", "internal/plugin/testfile", "internal/base/strictyaml"},
	"docs/schemas":                  {},
	"internal/mcpimport":            {},
	"internal/system/shell":         {"internal/system/process"},
	"internal/system/process":       {},
	"internal/base/strictyaml":      {},

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
	"github.com/traefik/yaegi":       {"internal/golang/interp"},
	"github.com/hashicorp/go-plugin": {"host", "shared/client"},
	module + "/internal/interp":      {"cmd/aura-plugin-host", "internal/bench", "internal/golang/interp"},
	// Other packages know the queue, not what keeps it.
	"github.com/nats-io/nats-server": {"internal/fleet/server"},
	"github.com/nats-io/nats.go":     {"internal/fleet/queue"},
}

// standardOnly lists the trees whose production files import only the standard library.
var standardOnly = []string{"sdk"}
