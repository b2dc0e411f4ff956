package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/idelchi/aura/internal/author/check"
	"github.com/idelchi/aura/internal/author/plugincall"
	"github.com/idelchi/aura/internal/author/plugintest"
	"github.com/idelchi/aura/internal/settings/setup"
)

// compareTargets makes the calls of the recordings of plugins again, in both runtimes, and adds the differences to the targets. named says that
// the user named the plugin: it is reported then why there is nothing to compare.
func compareTargets(ctx context.Context, s streams, root *rootOptions, targets []checkTarget, named bool) ([]check.Finding, error) {
	options, err := root.callOptions(ctx, s)
	if err != nil {
		return nil, err
	}
	options.Notify = nil // the findings report what happened
	entries, err := tested(options, nil)
	if err != nil {
		return nil, err
	}
	var found []check.Finding
	for i, t := range targets {
		at := slices.IndexFunc(entries, func(e setup.Entry) bool { return e.Dir == t.dir })
		if at < 0 || slices.ContainsFunc(t.found, func(f check.Finding) bool { return f.Severity == check.Error }) {
			continue
		}
		list, err := compareTarget(ctx, options, entries[at], named)
		if err != nil {
			return nil, because(ctx, err)
		}
		targets[i].found = append(t.found, list...)
		found = append(found, list...)
	}
	return found, nil
}

// ruleCompare is the rule of findings about runtimes.
const ruleCompare = "compare"

func compareTarget(ctx context.Context, o plugincall.Options, e setup.Entry, named bool) (out []check.Finding, err error) {
	differences, recordings, err := plugintest.CompareRecordings(ctx, o, e)
	finding := check.Finding{Plugin: e.Name, File: e.Dir, Severity: check.Warning, Rule: ruleCompare}
	if reason, ok := errors.AsType[*plugintest.NotComparedError](err); ok && ctx.Err() == nil {
		finding.Message = fmt.Sprintf("the runtimes are not compared: %v", reason)
	} else if err != nil {
		return nil, err
	} else if recordings == 0 {
		finding.Message = "the runtimes are not compared: the plugin has no recording in testdata/recordings"
	}
	if finding.Message != "" {
		if named {
			out = append(out, finding)
		}
		return out, nil
	}
	finding.Severity = check.Error
	for _, d := range differences {
		finding.Message = d.String()
		finding.Fix = "this is a fault of aura: report it with " + plugintest.ReportFile(o, e)
		out = append(out, finding)
	}
	return out, nil
}
