package classify

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// statusOverloaded is not a registered status, but services use it.
const statusOverloaded = 529

// namedStatus maps services' names for errors to statuses. It is for errors without a status.
var namedStatus = map[string]int{
	"overloaded_error":      statusOverloaded,
	"api_error":             http.StatusInternalServerError,
	"server_error":          http.StatusInternalServerError,
	"internal_server_error": http.StatusInternalServerError,
	"internal":              http.StatusInternalServerError,
	"unavailable":           http.StatusServiceUnavailable,
	"unavailable_error":     http.StatusServiceUnavailable,
	"timeout_error":         http.StatusGatewayTimeout,
	"deadline_exceeded":     http.StatusGatewayTimeout,
	"rate_limit_error":      http.StatusTooManyRequests,
	"rate_limit_exceeded":   http.StatusTooManyRequests,
	"resource_exhausted":    http.StatusTooManyRequests,
	"insufficient_quota":    http.StatusTooManyRequests,
	"billing_error":         http.StatusPaymentRequired,
	"authentication_error":  http.StatusUnauthorized,
	"unauthenticated":       http.StatusUnauthorized,
	"permission_error":      http.StatusForbidden,
	"permission_denied":     http.StatusForbidden,
	"not_found_error":       http.StatusNotFound,
	"not_found":             http.StatusNotFound,
	"request_too_large":     http.StatusRequestEntityTooLarge,
	"invalid_request_error": http.StatusBadRequest,
	"invalid_argument":      http.StatusBadRequest,
}

// Names are compared as a whole with the code, the type, the status and the reasons of an error. Words are searched in its
// message. Both are in lower case.
var (
	contextNames = []string{"context_length_exceeded", "exceed_context_size_error", "context_window_exceeded", "model_context_window_exceeded"}
	contextWords = []string{
		"maximum context length", "context length", "context window", "context size", "context limit",
		"prompt is too long", "input is too long", "too many input tokens", "exceeds the maximum number of tokens",
		"reduce the length of the messages", "input token count", "too many tokens",
	}

	filterNames = []string{"content_filter", "content_policy_violation", "content_filter_error", "data_inspection_failed", "safety"}
	filterWords = []string{
		"content filtering policy", "content management policy", "content policy", "usage polic", "safety system",
		"requires moderation", "was flagged", "inappropriate content",
	}

	creditNames = []string{
		"insufficient_quota", "billing_hard_limit_reached", "billing_not_active", "billing_error", "insufficient_balance",
		"insufficient_credits", "credit_exhausted", "quota_exceeded", "payment_required",
	}
	creditWords = []string{
		"credit balance", "insufficient credit", "insufficient balance", "insufficient funds", "insufficient quota",
		"exceeded your current quota", "quota exceeded", "out of credits", "billing hard limit", "usage limit",
	}
	quotaWords = append([]string{"quota", "billing", "credit", "balance", "spend limit", "spending limit", "payment"}, creditWords...)
	rateNames  = []string{"rate_limit_exceeded"}
	rateWords  = []string{"rate limit reached", "per minute", "per min", "/ min"}

	modelNames = []string{"model_not_found", "model_not_available", "unknown_model", "invalid_model", "model_not_supported"}
	modelWords = []string{
		"model not found", "unknown model", "invalid model", "no such model", "not a valid model", "model does not exist",
		"model is not available", "model not loaded", "model is not loaded", "no model loaded", "no models loaded", "no endpoints found for",
		"try pulling it first", "is not found for api version", "does not have access to model", "unsupported model",
	}
	// modelNamed matches a message that contains the model's name in the middle.
	modelNamed = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile("model:? [`'\"]?[^ ]+ (does not exist|(is |was )?not (found|available|supported|loaded))")
	})

	// modelWord matches the word "model", but not an address that ends in /models.
	modelWord = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\bmodel\b`) })

	parseWords = []string{"error parsing tool call", "failed to parse tool call", "could not parse tool call"}

	authNames = []string{"invalid_api_key", "api_key_invalid", "authentication_error", "unauthenticated"}
	authWords = []string{"api key not valid", "invalid api key", "incorrect api key", "invalid x-api-key"}
)

func (f failure) is(names, words []string) bool { return f.named(names) || f.says(words) }

func (f failure) named(names []string) bool {
	return slices.ContainsFunc(append([]string{f.code, f.kind, f.state}, f.reasons...), func(name string) bool {
		return slices.Contains(names, strings.ToLower(name))
	})
}

func (f failure) says(words []string) bool {
	message := f.lower()
	return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(message, word) })
}

func (f failure) lower() string { return strings.ToLower(f.message) }
