package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/lab"
	"github.com/idelchi/aura/internal/plugin/hookpoint"
	"github.com/idelchi/aura/internal/plugin/manifest"
	"github.com/idelchi/aura/internal/runtime/native"
	"github.com/idelchi/aura/internal/runtime/native/gocmd"
	"github.com/idelchi/aura/internal/supply/install"
	"github.com/idelchi/aura/sdk"
)

const sievesSource = `package sieves

import (
	"context"
	"strings"

	"github.com/idelchi/aura/sdk"
)

func Command() sdk.CommandSchema { return sdk.CommandSchema{Name: "primes"} }

func ExecuteCommand(context.Context, string, sdk.Context) (sdk.CommandResult, error) {
	composite := make([]bool, 300000)
	count := 0
	for i := 2; i < len(composite); i++ {
		if composite[i] {
			continue
		}
		count++
		for j := i * 2; j < len(composite); j += i {
			composite[j] = true
		}
	}
	return sdk.CommandResult{Output: strings.Repeat("x", count%7)}, nil
}

func BeforeChat(_ context.Context, c sdk.BeforeChatContext) (sdk.Result, error) {
	return sdk.Result{Message: strings.ToUpper(c.Agent)}, nil
}
`

// heavyRuns is how often the heavy computation runs in each runtime.
const heavyRuns = 5

// native compares a plugin that is interpreted with the same plugin compiled: a heavy computation, a warm hook, a start and memory.
func (l *bench) native(ctx context.Context) error {
	toolchain, err := native.Find(os.Getenv("PATH"), nil)
	if err != nil {
		l.table("Compiled plugins", [][]string{{"not measured: " + err.Error()}})
		return nil //nolint:nilerr // it is reported
	}
	dir := filepath.Join(l.Dir, "sieves")
	if err := lab.WriteFiles(dir, map[string]string{"go.mod": "module sieves\n\ngo 1.25\n", "plugin.yaml": "", "main.go": sievesSource}); err != nil {
		return err
	}
	source, err := native.Read(dir, toolchain, false)
	if err != nil {
		return err
	}
	program, err := native.Builder{
		Dir: filepath.Join(l.Dir, "native"), Toolchain: toolchain, SDK: install.SDKSource(), Version: "bench", Run: gocmd.Unconfined,
	}.Program(source)
	if err != nil {
		return err
	}
	began := time.Now()
	if err := program.Build(ctx, func() {}); err != nil {
		return err
	}
	building := time.Since(began)
	specs := []host.Spec{
		{Plugin: manifest.Plugin{Name: "interpreted", Dir: dir}},
		{Plugin: manifest.Plugin{Name: "native", Dir: dir}, Native: &host.Native{
			Key: program.Key(), Only: true, Program: program.Path(), Ready: program.Ready, Building: program.Building, Failed: program.Failed,
			Build: program.Build,
		}},
	}
	return l.compare(ctx, specs, building)
}

func (l *bench) compare(ctx context.Context, specs []host.Spec, building time.Duration) (err error) {
	session, err := host.OpenSession(host.RuntimeDir("", ""), "bench")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, session.Close()) }()
	loads := make([][]time.Duration, len(specs))
	for range guardStarts {
		for i, spec := range specs {
			took, err := l.start(ctx, session, spec)
			if err != nil {
				return err
			}
			loads[i] = append(loads[i], took)
		}
	}
	fleet, err := host.Start(ctx, host.Options{Fixed: host.Fixed{Binary: l.Bin("aura-plugin-host"), Session: session, Workdir: l.Dir}}, specs)
	if err != nil {
		return err
	}
	defer fleet.Close()
	heavy := make([][]time.Duration, len(specs))
	var kinds []func() error
	for i, p := range fleet.Plugins() {
		for range heavyRuns {
			began := time.Now()
			if _, err := p.Command(ctx, "primes", sdk.Context{}, ""); err != nil {
				return err
			}
			heavy[i] = append(heavy[i], time.Since(began))
		}
		kinds = append(kinds, func() error {
			_, err := p.Handle(ctx, hookpoint.BeforeChat, sdk.BeforeChatContext{Context: history(10)})
			return err
		})
	}
	medians, err := race(kinds)
	if err != nil {
		return err
	}
	median := func(times []time.Duration) float64 {
		slices.Sort(times)
		return float64(times[len(times)/2].Microseconds()) / 1000
	}
	row := func(what string, of func(i int) float64, format string) []string {
		return []string{what, fmt.Sprintf(format, of(0)), fmt.Sprintf(format, of(1)), fmt.Sprintf("%.2f", of(1)/of(0))}
	}
	l.table("A plugin, interpreted and compiled", [][]string{
		{"what", "interpreted", "native", "ratio"},
		row("primes below 300,000, ms", func(i int) float64 { return median(heavy[i]) }, "%.1f"),
		row("warm hook, 10 entries of history, µs", func(i int) float64 { return float64(medians[i].Nanoseconds()) / 1000 }, "%.0f"),
		row("start, ms", func(i int) float64 { return median(loads[i]) }, "%.0f"),
		row("memory of all processes, MB", func(i int) float64 { return float64(fleet.Plugins()[i].Health().MemoryBytes) / 1e6 }, "%.1f"),
		{"first build, s", "", fmt.Sprintf("%.1f", building.Seconds()), ""},
	})
	return nil
}
