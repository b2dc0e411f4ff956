package retry_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/llm/retry"
	"github.com/idelchi/aura/sdk"
)

// service fails once for each of its errors and then answers. If chatty is set, it sends text before each failure.
type service struct {
	errs   []error
	chatty bool
	calls  int
}

func (s *service) Model(context.Context, string) (llm.Model, error) { return llm.Model{}, nil }

func (s *service) Chat(_ context.Context, _ llm.Request, onDelta func(llm.Delta)) (llm.Response, error) {
	s.calls++
	if s.calls > len(s.errs) {
		onDelta(llm.Delta{Text: "done"})
		return llm.Response{Message: llm.Message{Content: "done"}}, nil
	}
	if s.chatty {
		onDelta(llm.Delta{Thinking: "hm"})
	}
	return llm.Response{}, s.errs[s.calls-1]
}

func classed(class string, after time.Duration) error {
	return fmt.Errorf("calling: %w", &llm.Error{Type: class, Message: "no", RetryAfter: after})
}

func times(n int, err error) []error {
	var out []error
	for range n {
		out = append(out, err)
	}
	return out
}

func TestChat(t *testing.T) {
	t.Parallel()
	limit := classed(sdk.ErrorTypeRateLimit, 0)
	for name, test := range map[string]struct {
		service service
		opts    retry.Options
		calls   int
		fails   bool
		// min and max limit the duration of the call.
		min, max time.Duration
	}{
		"success":            {service{}, retry.Options{}, 1, false, 0, 0},
		"rate limit":         {service{errs: times(1, limit)}, retry.Options{}, 2, false, time.Second / 2, time.Second},
		"server":             {service{errs: times(1, classed(sdk.ErrorTypeServer, 0))}, retry.Options{}, 2, false, time.Second / 2, time.Second},
		"network":            {service{errs: times(1, classed(sdk.ErrorTypeNetwork, 0))}, retry.Options{}, 2, false, time.Second / 2, time.Second},
		"doubling":           {service{errs: times(2, limit)}, retry.Options{}, 3, false, 3 * time.Second / 2, 3 * time.Second},
		"all attempts":       {service{errs: times(9, limit)}, retry.Options{}, 3, true, 3 * time.Second / 2, 3 * time.Second},
		"one attempt":        {service{errs: times(9, limit)}, retry.Options{MaxAttempts: 1}, 1, true, 0, 0},
		"five attempts":      {service{errs: times(9, limit)}, retry.Options{MaxAttempts: 5, BaseDelay: 4 * time.Second, MaxDelay: 10 * time.Second}, 5, true, 16 * time.Second, 32 * time.Second},
		"base beyond max":    {service{errs: times(1, limit)}, retry.Options{BaseDelay: time.Hour, MaxDelay: time.Second}, 2, false, time.Second / 2, time.Second},
		"asked to wait":      {service{errs: times(1, classed(sdk.ErrorTypeRateLimit, 20*time.Second))}, retry.Options{MaxDelay: time.Second}, 2, false, 20 * time.Second, 20 * time.Second},
		"asked for less":     {service{errs: times(1, classed(sdk.ErrorTypeRateLimit, time.Millisecond))}, retry.Options{}, 2, false, time.Second / 2, time.Second},
		"asked for too much": {service{errs: times(1, classed(sdk.ErrorTypeRateLimit, time.Hour))}, retry.Options{}, 1, true, 0, 0},
		"much is allowed":    {service{errs: times(1, classed(sdk.ErrorTypeRateLimit, time.Hour))}, retry.Options{MaxDelay: 2 * time.Hour}, 2, false, time.Hour, time.Hour},
		"credit":             {service{errs: times(1, classed(sdk.ErrorTypeCreditExhausted, 0))}, retry.Options{}, 1, true, 0, 0},
		"auth":               {service{errs: times(1, classed(sdk.ErrorTypeAuth, 0))}, retry.Options{}, 1, true, 0, 0},
		"model":              {service{errs: times(1, classed(sdk.ErrorTypeModelUnavailable, 0))}, retry.Options{}, 1, true, 0, 0},
		"filter":             {service{errs: times(1, classed(sdk.ErrorTypeContentFilter, 0))}, retry.Options{}, 1, true, 0, 0},
		"context":            {service{errs: times(1, classed(sdk.ErrorTypeContextExhausted, 0))}, retry.Options{}, 1, true, 0, 0},
		"unclassified":       {service{errs: times(1, classed("", 0))}, retry.Options{}, 1, true, 0, 0},
		"unknown":            {service{errs: times(1, errors.New("what?"))}, retry.Options{}, 1, true, 0, 0},
		"after a delta":      {service{errs: times(1, limit), chatty: true}, retry.Options{}, 1, true, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var told []retry.Failure
				test.opts.Notify = func(f retry.Failure) { told = append(told, f) }
				began, waited := time.Now(), time.Duration(0)
				response, err := retry.New(&test.service, test.opts).Chat(t.Context(), llm.Request{}, func(llm.Delta) {})
				took := time.Since(began)
				if test.service.calls != test.calls {
					t.Errorf("made %d calls, want %d", test.service.calls, test.calls)
				}
				if (err != nil) != test.fails || err == nil && response.Message.Content != "done" {
					t.Errorf("got %+v, %v", response, err)
				}
				if took < test.min || took > test.max {
					t.Errorf("took %s, want %s to %s", took, test.min, test.max)
				}
				for i, f := range told {
					waited += f.Delay
					if f.Attempt != i+1 || f.Err == nil {
						t.Errorf("told of %+v", f)
					}
				}
				if len(told) != test.calls-1 || waited != took {
					t.Errorf("told of %d failures and a wait of %s, took %s", len(told), waited, took)
				}
			})
		})
	}
}

func TestCancelled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &service{errs: times(9, classed(sdk.ErrorTypeServer, time.Minute))}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began := time.Now()
		_, err := retry.New(s, retry.Options{}).Chat(ctx, llm.Request{}, func(llm.Delta) {})
		if !errors.Is(err, context.DeadlineExceeded) || s.calls != 1 || time.Since(began) != time.Second {
			t.Errorf("got %v after %d calls and %s", err, s.calls, time.Since(began))
		}
	})
}

type lister struct{ service }

func (*lister) Models(context.Context) ([]llm.Model, error) { return []llm.Model{{Name: "m"}}, nil }

func TestModels(t *testing.T) {
	t.Parallel()
	models, err := retry.New(&lister{}, retry.Options{}).Models(t.Context())
	if err != nil || len(models) != 1 {
		t.Errorf("got %v, %v", models, err)
	}
	if _, err := retry.New(&service{}, retry.Options{}).Models(t.Context()); err == nil {
		t.Error("a provider without a list has given one")
	}
}
