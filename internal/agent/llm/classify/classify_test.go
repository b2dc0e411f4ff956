package classify_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/idelchi/aura/internal/agent/llm/classify"
	"github.com/idelchi/aura/sdk"
)

func TestResponse(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		status int
		body   string
		want   string
	}{
		"rate limit":                 {429, `{"error":{"message":"Rate limit reached for m on tokens per min","type":"tokens","code":"rate_limit_exceeded"}}`, sdk.ErrorTypeRateLimit},
		"rate limit, Anthropic":      {429, `{"type":"error","error":{"type":"rate_limit_error","message":"Number of requests has exceeded your limit"}}`, sdk.ErrorTypeRateLimit},
		"rate limit, empty":          {429, ``, sdk.ErrorTypeRateLimit},
		"rate limit despite words":   {429, `{"error":{"message":"Rate limit reached; add a payment method","code":"rate_limit_exceeded"}}`, sdk.ErrorTypeRateLimit},
		"quota per minute":           {429, `{"error":{"code":429,"message":"You exceeded your current quota","status":"RESOURCE_EXHAUSTED","details":[{"violations":[{"quotaId":"GenerateRequestsPerMinutePerProject"}]},{"retryDelay":"7s"}]}}`, sdk.ErrorTypeRateLimit},
		"tokens per minute":          {429, `{"error":{"message":"Request too large: tokens per min, reduce the length of the messages","code":"rate_limit_exceeded"}}`, sdk.ErrorTypeRateLimit},
		"quota":                      {429, `{"error":{"message":"You exceeded your current quota, please check your plan","type":"insufficient_quota","code":"insufficient_quota"}}`, sdk.ErrorTypeCreditExhausted},
		"quota in words":             {429, `quota exceeded`, sdk.ErrorTypeCreditExhausted},
		"billing in words":           {429, `{"error":{"message":"check your billing details"}}`, sdk.ErrorTypeCreditExhausted},
		"payment required":           {402, `{"error":{"message":"Insufficient credits","code":402}}`, sdk.ErrorTypeCreditExhausted},
		"low balance":                {400, `{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the API"}}`, sdk.ErrorTypeCreditExhausted},
		"unauthorized":               {401, `{"error":{"message":"Incorrect API key provided","code":"invalid_api_key"}}`, sdk.ErrorTypeAuth},
		"forbidden":                  {403, `{"error":{"message":"Country not supported"}}`, sdk.ErrorTypeAuth},
		"forbidden, no body":         {403, ``, sdk.ErrorTypeAuth},
		"bad key as bad request":     {400, `{"error":{"code":400,"message":"API key not valid.","status":"INVALID_ARGUMENT","details":[{"reason":"API_KEY_INVALID"}]}}`, sdk.ErrorTypeAuth},
		"unknown model":              {404, `{"error":{"message":"The model x does not exist","code":"model_not_found"}}`, sdk.ErrorTypeModelUnavailable},
		"unknown model, Anthropic":   {404, `{"type":"error","error":{"type":"not_found_error","message":"model: claude-0"}}`, sdk.ErrorTypeModelUnavailable},
		"unknown model, Ollama":      {404, `{"error":"model \"x\" not found, try pulling it first"}`, sdk.ErrorTypeModelUnavailable},
		"unknown model, Google":      {404, `{"error":{"code":404,"message":"models/x is not found for API version v1beta","status":"NOT_FOUND"}}`, sdk.ErrorTypeModelUnavailable},
		"unknown model, OpenRouter":  {400, `{"error":{"message":"x/y is not a valid model ID","code":400}}`, sdk.ErrorTypeModelUnavailable},
		"no access to model":         {403, `{"error":{"message":"Project p does not have access to model m","code":"model_not_found"}}`, sdk.ErrorTypeModelUnavailable},
		"unknown model, bad request": {400, `{"error":{"message":"The model 'm-9' does not exist or you do not have access to it","type":"invalid_request_error"}}`, sdk.ErrorTypeModelUnavailable},
		"unsupported model":          {400, `{"error":{"message":"Model m/9:latest is not supported"}}`, sdk.ErrorTypeModelUnavailable},
		"tools not supported":        {400, `{"error":{"message":"This model does not support tools"}}`, ""},
		"limit without a code":       {429, `{"error":{"message":"Rate limit reached for requests. Limit: 3 / min. Please add a payment method.","type":"requests","code":null}}`, sdk.ErrorTypeRateLimit},
		"quota, forbidden":           {403, `{"error":{"message":"Monthly quota exceeded"}}`, sdk.ErrorTypeCreditExhausted},
		"too many tokens":            {400, `{"error":{"message":"too many tokens in the prompt"}}`, sdk.ErrorTypeContextExhausted},
		"wrong address":              {404, `404 page not found`, ""},
		"address of models":          {404, `{"error":{"message":"no such address: /v1/models"}}`, ""},
		"content filter":             {400, `{"error":{"message":"The response was filtered","code":"content_filter"}}`, sdk.ErrorTypeContentFilter},
		"content filter, words":      {400, `{"type":"error","error":{"type":"invalid_request_error","message":"Output blocked by content filtering policy"}}`, sdk.ErrorTypeContentFilter},
		"content filter, forbidden":  {403, `{"error":{"code":403,"message":"m requires moderation","metadata":{"reasons":["violence"]}}}`, sdk.ErrorTypeContentFilter},
		"context":                    {400, `{"error":{"message":"This model's maximum context length is 8192 tokens","code":"context_length_exceeded"}}`, sdk.ErrorTypeContextExhausted},
		"context, Anthropic":         {400, `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}`, sdk.ErrorTypeContextExhausted},
		"context, Google":            {400, `{"error":{"code":400,"message":"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}`, sdk.ErrorTypeContextExhausted},
		"context, llama.cpp":         {500, `{"error":{"code":500,"message":"the request exceeds the available context size","type":"exceed_context_size_error"}}`, sdk.ErrorTypeContextExhausted},
		"too large":                  {413, `{"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}`, sdk.ErrorTypeContextExhausted},
		"server":                     {500, `{"error":{"message":"The server had an error"}}`, sdk.ErrorTypeServer},
		"bad gateway, a page":        {502, `<html><body>Bad gateway</body></html>`, sdk.ErrorTypeServer},
		"overloaded":                 {529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, sdk.ErrorTypeServer},
		"server that speaks of key":  {500, `{"error":{"message":"invalid api key store"}}`, sdk.ErrorTypeServer},
		"loading":                    {503, `{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}`, sdk.ErrorTypeServer},
		"other":                      {400, `{"error":{"message":"Unknown parameter: x","type":"invalid_request_error"}}`, ""},
		"other, teapot":              {418, ``, ""},
		"other, timeout":             {408, `{"error":{"message":"slow"}}`, ""},
		"mistyped fields":            {400, `{"error":{"message":"bad","status":400,"details":"none"}}`, ""},

		"success, error inside":       {200, `{"error":{"code":502,"message":"Provider returned error"}}`, sdk.ErrorTypeServer},
		"success, overloaded":         {200, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, sdk.ErrorTypeServer},
		"success, rate limit":         {200, `{"error":{"code":429,"message":"slow down"}}`, sdk.ErrorTypeRateLimit},
		"success, exhausted":          {200, `[{"error":{"code":429,"message":"out","status":"RESOURCE_EXHAUSTED"}}]`, sdk.ErrorTypeRateLimit},
		"success, nothing known":      {200, `{"error":"it broke"}`, ""},
		"success, text":               {200, `{"error":{"message":"no","metadata":{"raw":"maximum context length is 5"}}}`, sdk.ErrorTypeContextExhausted},
		"success, bad authentication": {200, `{"error":{"type":"authentication_error","message":"invalid x-api-key"}}`, sdk.ErrorTypeAuth},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := classify.Response(test.status, nil, []byte(test.body))
			if got.Type != test.want {
				t.Errorf("class of %d %s: got %q, want %q", test.status, test.body, got.Type, test.want)
			}
			if got.Message == "" || strings.Contains(got.Message, "<html") {
				t.Errorf("message is %q", got.Message)
			}
		})
	}
}

func TestMessages(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		status int
		body   string
		want   string
	}{
		"object":         {400, `{"error":{"message":"bad field"}}`, "400 Bad Request: bad field"},
		"text":           {400, `{"error":"bad field"}`, "400 Bad Request: bad field"},
		"top":            {422, `{"object":"error","message":"bad field","code":40}`, "422 Unprocessable Entity: bad field"},
		"detail":         {422, `{"detail":"bad field"}`, "422 Unprocessable Entity: bad field"},
		"plain":          {400, "bad field\n", "400 Bad Request: bad field"},
		"nothing":        {503, "", "503 Service Unavailable"},
		"page":           {503, "<!doctype html>", "503 Service Unavailable"},
		"overloaded":     {529, "", "529 Overloaded"},
		"upstream":       {200, `{"error":{"message":"Provider returned error","metadata":{"raw":"it broke"}}}`, "Provider returned error: it broke"},
		"no reason":      {200, `{"error":{}}`, "the service failed without saying why"},
		"hint for auth":  {401, `{"error":"no"}`, "401 Unauthorized: no; check the token of the provider"},
		"hint for model": {404, `{"error":"model gone"}`, "404 Not Found: model gone; `aura models` lists the available models"},
		"long":           {400, strings.Repeat("é", 2000), "400 Bad Request: " + strings.Repeat("é", 500) + "…"},
	} {
		if got := classify.Response(test.status, nil, []byte(test.body)).Message; got != test.want {
			t.Errorf("%s: got %q, want %q", name, got, test.want)
		}
	}
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		header   http.Header
		body     string
		min, max time.Duration
	}{
		"none":           {http.Header{}, "", 0, 0},
		"seconds":        {http.Header{"Retry-After": {"7"}}, "", 7 * time.Second, 7 * time.Second},
		"fraction":       {http.Header{"Retry-After": {" 0.5 "}}, "", time.Second / 2, time.Second / 2},
		"milliseconds":   {http.Header{"Retry-After": {"7"}, "Retry-After-Ms": {"250"}}, "", 250 * time.Millisecond, 250 * time.Millisecond},
		"date":           {http.Header{"Retry-After": {time.Now().Add(time.Hour).UTC().Format(http.TimeFormat)}}, "", 50 * time.Minute, time.Hour},
		"past date":      {http.Header{"Retry-After": {"Mon, 02 Jan 2006 15:04:05 GMT"}}, "", 0, 0},
		"negative":       {http.Header{"Retry-After": {"-5"}}, "", 0, 0},
		"beyond reason":  {http.Header{"Retry-After": {"1e300"}}, "", 0, 0},
		"not a number":   {http.Header{"Retry-After": {"NaN"}}, "", 0, 0},
		"words":          {http.Header{"Retry-After": {"soon"}}, "", 0, 0},
		"in the body":    {nil, `{"error":{"details":[{"@type":"RetryInfo","retryDelay":"34.5s"}]}}`, 34500 * time.Millisecond, 34500 * time.Millisecond},
		"header goes on": {http.Header{"Retry-After": {"1"}}, `{"error":{"details":[{"retryDelay":"34s"}]}}`, time.Second, time.Second},
	} {
		got := classify.Response(429, test.header, []byte(test.body)).RetryAfter
		if got < test.min || got > test.max {
			t.Errorf("%s: got %s, want %s to %s", name, got, test.min, test.max)
		}
	}
}

func TestRedact(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		text    string
		secrets []string
		want    string
	}{
		{"key sk-12345 and sk-54321", []string{"sk-12345", "", "sk-54321"}, "key [redacted] and [redacted]"},
		{"check the token", []string{"k"}, "check the token"},
	} {
		if got := classify.Redact(row.text, row.secrets...); got != row.want {
			t.Errorf("got %q, want %q", got, row.want)
		}
	}
}

func TestRetryable(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]bool{429: true, 500: true, 529: true, 400: false, 401: false, 402: false, 404: false} {
		if got := classify.Response(status, nil, nil).Retryable(); got != want {
			t.Errorf("%d: got %t, want %t", status, got, want)
		}
	}
	if !classify.Cut("h").Retryable() || !classify.Stalled("h", time.Second).Retryable() {
		t.Error("a lost connection must be retryable")
	}
}

func FuzzResponse(f *testing.F) {
	for _, seed := range []string{``, `{}`, `[]`, `[{"error":{}}]`, `{"error":null}`, `{"error":"x"}`, `{"error":{"code":1e9,"details":[{"retryDelay":"x"}]}}`, `<html>`, "\xff"} {
		f.Add(400, []byte(seed))
	}
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		e := classify.Response(status, nil, body)
		if e.Message == "" || e.RetryAfter < 0 {
			t.Errorf("%+v", e)
		}
	})
}
