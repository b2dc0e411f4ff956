package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/lab"
	"github.com/idelchi/aura/internal/plugin/hookpoint"
	"github.com/idelchi/aura/sdk"
)

const faultSource = `package faulty

import (
	"context"
	"os"
	"strconv"
	"time"

	"github.com/idelchi/aura/sdk"
)

func BeforeChat(_ context.Context, c sdk.BeforeChatContext) (sdk.Result, error) {
	switch c.Agent {
	case "crash":
		os.WriteFile(c.Mode, []byte(strconv.FormatInt(time.Now().UnixNano(), 10)), 0o600)
		go func() { panic("boom") }()
		select {}
	case "hang":
		for {
		}
	}
	return sdk.Result{}, nil
}
`

// hangLimit is the timeout of the plugin that hangs.
const hangLimit = 500 * time.Millisecond

// repeats is how often each fault is provoked. Each time a new plugin is used, because crashes use up its restart budget.
const repeats = 9

// faults measures how soon the caller learns about a fault, and how soon the plugin serves again.
func (l *bench) faults(ctx context.Context) error {
	dir := filepath.Join(l.Dir, "faulty")
	if err := lab.WriteFiles(dir, map[string]string{
		"go.mod": "module faulty\n\ngo 1.25\n", "plugin.yaml": "timeout: " + hangLimit.String() + "\n", "main.go": faultSource,
	}); err != nil {
		return err
	}
	var crash, again, hang []time.Duration
	for range repeats {
		c, a, h, err := l.fault(ctx, dir)
		if err != nil {
			return err
		}
		crash, again, hang = append(crash, c), append(again, a), append(hang, h)
	}
	row := func(what string, times []time.Duration, wanted string) []string {
		slices.Sort(times)
		round := func(d time.Duration) string { return d.Round(100 * time.Microsecond).String() }
		return []string{what, round(times[len(times)/2]), round(times[len(times)-1]), wanted}
	}
	l.table("Faults ("+fmt.Sprint(repeats)+" times each)", [][]string{
		{"what", "median", "worst", "wanted"},
		row("crash until the caller has the error", crash, "≤ 100ms"),
		row("crash known until the restarted plugin has answered", again, "≤ 100ms"),
		row("deadline of a hung call until the caller has the error", hang, "≤ 1s"),
	})
	return nil
}

// fault provokes one crash and one hang.
func (l *bench) fault(ctx context.Context, dir string) (crash, again, hang time.Duration, err error) {
	fleet, done, err := l.fleet(ctx, dir)
	if err != nil {
		return 0, 0, 0, err
	}
	defer func() { err = errors.Join(err, done()) }()
	plugin := fleet.Plugins()[0]
	stamp := filepath.Join(l.Dir, "stamp")
	call := func(what string) error {
		in := sdk.BeforeChatContext{Context: sdk.Context{Agent: what, Mode: stamp}}
		_, err := plugin.Handle(ctx, hookpoint.BeforeChat, in)
		return err
	}
	if err := call("warm"); err != nil {
		return 0, 0, 0, err
	}
	if err := expect(call("crash"), host.KindCrash); err != nil {
		return 0, 0, 0, err
	}
	known := time.Now()
	b, err := os.ReadFile(stamp)
	if err != nil {
		return 0, 0, 0, err
	}
	nanos, err := strconv.ParseInt(strings.TrimSpace(string(b)), 10, 64)
	if err != nil {
		return 0, 0, 0, err
	}
	crash = known.Sub(time.Unix(0, nanos))
	if err := call("warm"); err != nil {
		return 0, 0, 0, err
	}
	again = time.Since(known)
	began := time.Now()
	if err := expect(call("hang"), host.KindTimeout); err != nil {
		return 0, 0, 0, err
	}
	return crash, again, time.Since(began) - hangLimit, nil
}

func expect(err error, kind host.ErrorKind) error {
	var e *host.Error
	if !errors.As(err, &e) || e.Kind != kind {
		return fmt.Errorf("provoking a %s: got %w", kind, err)
	}
	return nil
}
