package telemetry

// schemaURL names the version of the semantic conventions that the gen_ai names below are taken from. The conventions for
// generative AI still change: a new version changes this file only.
const schemaURL = "https://opentelemetry.io/schemas/1.38.0"

// scope is the name of the instrumentation.
const scope = "github.com/idelchi/aura"

// The operations of the conventions. A span's name is its operation, followed by the agent, the model or the tool.
const (
	opAgent = "invoke_agent"
	opChat  = "chat"
	opTool  = "execute_tool"
	// opPlugin is aura's own.
	opPlugin = "plugin"
)

// The attributes of the conventions.
const (
	keyOperation    = "gen_ai.operation.name"
	keyProvider     = "gen_ai.provider.name"
	keyConversation = "gen_ai.conversation.id"
	keyAgent        = "gen_ai.agent.name"
	keyModel        = "gen_ai.request.model"
	keyStop         = "gen_ai.response.finish_reasons"
	keyTokensIn     = "gen_ai.usage.input_tokens"
	keyTokensOut    = "gen_ai.usage.output_tokens"
	keyTokenType    = "gen_ai.token.type"
	keyTool         = "gen_ai.tool.name"
	keyToolCall     = "gen_ai.tool.call.id"
	keyError        = "error.type"
	// The content. It is exported only if the user asks for it.
	keyInput     = "gen_ai.input.messages"
	keyOutput    = "gen_ai.output.messages"
	keyArguments = "gen_ai.tool.call.arguments"
	keyResult    = "gen_ai.tool.call.result"
)

// The attributes of plugin calls, which are aura's own.
const (
	keyPlugin    = "aura.plugin.name"
	keyPoint     = "aura.plugin.point"
	keyOutcome   = "aura.plugin.outcome"
	keyWait      = "aura.plugin.wait_ms"
	keyRun       = "aura.plugin.run_ms"
	keyProcess   = "aura.plugin.process"
	keyRestarted = "aura.plugin.restarted"
)

// The metrics. The first two are those of the conventions. Durations are in seconds.
const (
	metricTokens    = "gen_ai.client.token.usage"
	metricDuration  = "gen_ai.client.operation.duration"
	metricCalls     = "aura.plugin.calls"
	metricCallTime  = "aura.plugin.call.duration"
	metricCallWait  = "aura.plugin.call.wait"
	metricsRestarts = "aura.plugin.restarts"
)
