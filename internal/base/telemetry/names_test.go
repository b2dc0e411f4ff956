package telemetry

import (
	"testing"

	"go.opentelemetry.io/otel/attribute"
	semconv "go.opentelemetry.io/otel/semconv/v1.38.0"
	"go.opentelemetry.io/otel/semconv/v1.38.0/genaiconv"
)

// TestPublishedNames holds the table against the published conventions of its version.
func TestPublishedNames(t *testing.T) {
	t.Parallel()
	if schemaURL != semconv.SchemaURL {
		t.Errorf("got %s, want %s", schemaURL, semconv.SchemaURL)
	}
	for ours, published := range map[string]attribute.Key{
		keyOperation:    semconv.GenAIOperationNameKey,
		keyProvider:     semconv.GenAIProviderNameKey,
		keyConversation: semconv.GenAIConversationIDKey,
		keyAgent:        semconv.GenAIAgentNameKey,
		keyModel:        semconv.GenAIRequestModelKey,
		keyStop:         semconv.GenAIResponseFinishReasonsKey,
		keyTokensIn:     semconv.GenAIUsageInputTokensKey,
		keyTokensOut:    semconv.GenAIUsageOutputTokensKey,
		keyTokenType:    semconv.GenAITokenTypeKey,
		keyTool:         semconv.GenAIToolNameKey,
		keyToolCall:     semconv.GenAIToolCallIDKey,
		keyError:        semconv.ErrorTypeKey,
		keyInput:        semconv.GenAIInputMessagesKey,
		keyOutput:       semconv.GenAIOutputMessagesKey,
		keyArguments:    semconv.GenAIToolCallArgumentsKey,
		keyResult:       semconv.GenAIToolCallResultKey,
	} {
		if ours != string(published) {
			t.Errorf("got %s, want %s", ours, published)
		}
	}
	for ours, published := range map[string]attribute.KeyValue{
		opAgent: semconv.GenAIOperationNameInvokeAgent,
		opChat:  semconv.GenAIOperationNameChat,
		opTool:  semconv.GenAIOperationNameExecuteTool,
	} {
		if ours != published.Value.AsString() {
			t.Errorf("got %s, want %s", ours, published.Value.AsString())
		}
	}
	for ours, published := range map[string]string{
		metricTokens:   genaiconv.ClientTokenUsage{}.Name(),
		metricDuration: genaiconv.ClientOperationDuration{}.Name(),
	} {
		if ours != published {
			t.Errorf("got %s, want %s", ours, published)
		}
	}
}
