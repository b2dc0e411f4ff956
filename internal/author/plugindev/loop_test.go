package plugindev_test

import (
	"context"
	"errors"
	"io"
	"slices"
	"testing"

	"github.com/idelchi/aura/internal/author/plugindev"
)

// TestRun runs saves and lines through the loop. A line holds it; a save meanwhile is checked at once and loaded afterwards.
func TestRun(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		// saves are made while a line runs; true can be loaded.
		saves []bool
		want  []string
	}{
		"none":              {nil, []string{"hold", "exit"}},
		"a good one":        {[]bool{true}, []string{"hold", "reload", "exit"}},
		"two at once":       {[]bool{true, true}, []string{"hold", "reload", "exit"}},
		"a broken one":      {[]bool{false}, []string{"hold", "exit"}},
		"good, then broken": {[]bool{true, false}, []string{"hold", "exit"}},
		"broken, then good": {[]bool{false, true}, []string{"hold", "reload", "exit"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			changes, checked := make(chan plugindev.Change), make(chan bool, len(tt.saves))
			var did []string
			reloads := slices.Contains(tt.want, "reload")
			reloaded := make(chan struct{})
			lines := []string{"hold", "exit"}
			err := plugindev.Run(t.Context(), plugindev.Options{
				Changes: changes,
				Check:   func(plugindev.Change) bool { return <-checked },
				Reload: func(context.Context) error {
					did = append(did, "reload")
					close(reloaded)
					return nil
				},
				Line: func() (string, error) {
					if len(lines) == 1 && reloads {
						<-reloaded
					}
					next := lines[0]
					lines = lines[1:]
					return next, nil
				},
				Send: func(_ context.Context, line string) (bool, error) {
					did = append(did, line)
					if line == "exit" {
						close(checked)
						return true, nil
					}
					for _, fine := range tt.saves {
						checked <- fine
						changes <- plugindev.Change{}
					}
					changes <- plugindev.Change{} // it is received after the others are done, and its check lasts until the exit
					return false, nil
				},
			})
			if err != nil || !slices.Equal(did, tt.want) {
				t.Errorf("did %q, want %q; error %v", did, tt.want, err)
			}
		})
	}
}

// TestRunEnds checks what ends the loop: not the end of the input, but the end of the context and failures.
func TestRunEnds(t *testing.T) {
	t.Parallel()
	failure := errors.New("failed")
	ctx, cancel := context.WithCancelCause(t.Context())
	changes := make(chan plugindev.Change, 1)
	changes <- plugindev.Change{}
	err := plugindev.Run(ctx, plugindev.Options{
		Changes: changes, Check: func(plugindev.Change) bool { return true }, Line: func() (string, error) { return "", io.EOF },
		Reload: func(context.Context) error { cancel(failure); return nil },
	})
	if !errors.Is(err, failure) {
		t.Errorf("the cause of the end is %v", err)
	}
	changes <- plugindev.Change{}
	err = plugindev.Run(t.Context(), plugindev.Options{
		Changes: changes, Check: func(plugindev.Change) bool { return true }, Reload: func(context.Context) error { return failure },
	})
	if !errors.Is(err, failure) {
		t.Errorf("a failed reload returns %v", err)
	}
	err = plugindev.Run(t.Context(), plugindev.Options{Line: func() (string, error) { return "", failure }})
	if !errors.Is(err, failure) {
		t.Errorf("failed input returns %v", err)
	}
}
