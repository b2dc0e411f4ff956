package archtest_test

const module = "github.com/idelchi/aura"

// districts are the parts of aura, from top to bottom. A package imports packages of districts in lower rows, and packages of its own
// district as the table inside says. The districts of one row do not import each other. ARCHITECTURE.md has the same rows.
var districts = [][]string{
	{"cmd"},
	{"internal/cli"},
	{"internal/ui"},
	{"internal/app"},
	{"internal/author"},
	{"internal/settings"},
	{"internal/fleet", "hooks"},
	{"internal/agent"},
	{"internal/supply"},
	{"internal/runtime"},
	{"internal/golang", "host"},
	{"shared"},
	{"internal/plugin"},
	{"internal/system"},
	{"internal/base"},
	{"sdk", "docs/schemas"},
}

// outside are the trees that may import everything and that nothing else imports: tests and measurements, and what builds aura.
var outside = []string{"internal/lab", "tools"}

// inside says which packages of its own district a package may import, by their paths in the district; "." is the district's own
// directory. A package that has no entry imports none.
var inside = map[string]map[string][]string{
	"cmd": {
		"aura-plugin-host": {"aura-plugin-host/internal/first"},
	},
	"internal/cli": {
		".":   {"doctor"},
		"gen": {"."},
	},
	"internal/ui": {
		"top": {"terminal"},
		"tui": {"filefind", "inputhistory", "lineedit", "relay", "terminal"},
		"web": {"terminal", "top"},
	},
	"internal/app": {
		".":       {"frontend", "gate", "inspect", "migrate", "slash"},
		"gate":    {"frontend", "migrate"},
		"inspect": {"gate"},
		"slash":   {"frontend"},
	},
	"internal/author": {
		"bisect":     {"plugincall", "recording"},
		"plugincall": {"recording"},
		"plugindev":  {"check", "recording"},
		"plugintest": {"plugincall", "recording"},
	},
	"internal/settings": {
		"scaffold": {"schema"},
		"schema":   {"config"},
		"setup":    {"config"},
	},
	"internal/fleet": {
		"batch":     {"."},
		"queue":     {"."},
		"server":    {"queue"},
		"worker":    {".", "queue", "workspace"},
		"workspace": {"."},
	},
	"internal/agent": {
		"agentimport":   {"foreign", "mcpimport"},
		"foreign":       {"llm"},
		"background":    {"tool"},
		"conversation":  {"conversation/event", "donetool", "llm", "todo", "tokens", "tool"},
		"donetool":      {"tool"},
		"llm/anthropic": {"llm", "llm/backend", "llm/catalog", "llm/classify", "llm/dialogue", "llm/rest"},
		"llm/backend":   {"llm", "llm/catalog", "llm/dialogue", "llm/rest", "llm/transport"},
		"llm/catalog":   {"llm"},
		"llm/classify":  {"llm"},
		"llm/dialogue":  {"llm"},
		"llm/google":    {"llm", "llm/backend", "llm/catalog", "llm/classify", "llm/dialogue", "llm/rest"},
		"llm/llmtest":   {"llm"},
		"llm/openai":    {"llm", "llm/backend", "llm/catalog", "llm/classify", "llm/dialogue", "llm/rest"},
		"llm/rest":      {"llm", "llm/classify", "llm/transport"},
		"llm/retry":     {"llm"},
		"llm/script":    {"llm"},
		"llm/transport": {"llm", "llm/classify"},
		"mcp":           {"mcpauth", "tool"},
		"mcpauth":       {},
		"readguard":     {"tool"},
		"session":       {"llm"},
		"skill":         {"tool"},
		"todo":          {"llm", "tool"},
		"tool":          {"llm"},
		"tool/builtin":  {"readguard", "tool", "web"},
		"toolhost":      {"tool", "tool/builtin", "web"},
		"web":           {"tool"},
	},
	"internal/supply": {
		"index":   {"signature"},
		"install": {"signature"},
		"sources": {"index", "install", "signature"},
	},
	"internal/runtime": {
		"guest/conformance": {"guest"},
		"native":            {"native/gocmd"},
		"native/shim":       {"native/link"},
	},
	"internal/golang": {
		"interp/gen": {"library"}, "library/gen": {"library"},
		"interp": {"box", "core", "interp/symtab", "library", "loader", "lower"},
		"loader": {"library", "lower"},
		"lower":  {"library"},
	},
	"shared": {
		".":      {"exact", "wire"},
		"client": {".", "wire"},
		"frame":  {"exact"},
		"serve":  {".", "wire"},
	},
	"internal/plugin": {
		"manifest":     {"pluginsource", "portable"},
		"pipeline":     {"hookpoint"},
		"pluginsource": {"hookpoint"},
		"testfile":     {"hookpoint"},
	},
	"internal/system": {
		"browser":       {"process"},
		"clipboard":     {"process"},
		"gitcmd":        {"process"},
		"hidden":        {"dirwatch", "gitindex"},
		"planted":       {"dirwatch", "gitconfig", "gitindex"},
		"netgate":       {"network"},
		"presets":       {"gitconfig", "network", "process"},
		"machinepolicy": {"hidden", "network", "signedpolicy"},
		"signedpolicy":  {"state", "statefile"},
		"sandbox":       {"gitconfig", "hidden", "netgate", "network", "process"},
		"shell":         {"process"},
		"trust":         {"audit", "statefile"},
	},
	"internal/base": {
		"gitignore": {"files"},
		"keymap":    {"nearest"},
		"limit":     {"files"},
		"lock":      {"files"},
		"telemetry": {"limit", "redact"},
	},
	"sdk": {
		".": {"version"},
	},
}

// reserved maps an import path, with all paths below it, to the only trees that may import it.
var reserved = map[string][]string{
	"github.com/traefik/yaegi":         {"internal/golang/interp"},
	"github.com/hashicorp/go-plugin":   {"host", "shared/client"},
	module + "/internal/golang/interp": {"cmd/aura-plugin-host", "internal/lab/bench", "internal/golang/interp"},
	// Other packages know the queue, not what keeps it.
	"github.com/nats-io/nats-server": {"internal/fleet/server"},
	"github.com/nats-io/nats.go":     {"internal/fleet/queue"},
}

// standardOnly lists the trees whose production files import only the standard library.
var standardOnly = []string{"sdk"}
