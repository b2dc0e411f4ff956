package sandbox

import (
	"context"
	"encoding/json"
	"slices"
	"time"
)

// probeTime is the timeout of a probe. A process needs less time to confine itself and to end.
const probeTime = 10 * time.Second

// unlimitedProcesses is reported if the number of processes is not limited.
const unlimitedProcesses = "the number of processes is not limited: that needs a PID namespace and, as root, Linux 6.14"

// Probe returns the result of Support and adds what can only be found out by confining a process. It starts the executable as
// Run does, under the policy for a command line in a working directory.
func Probe(ctx context.Context, executable string, p Policy, workdir string) Status {
	s := Support()
	if !s.Enabled {
		return s
	}
	r, err := Run(ctx, Command{Executable: executable, Dir: workdir, Policy: p, Call: Call{Tool: probeTool}, Timeout: probeTime})
	if err != nil {
		s.Enabled = false
		s.Rows = append(s.Rows, Row{Name: "trial", Required: true, Detail: err.Error()})
		return s
	}
	bounded := !slices.Contains(r.Report.Uncovered, unlimitedProcesses)
	s.Rows = append(s.Rows,
		row("privileges", r.Report.Confined, "no capabilities, no new privileges", ""),
		row("memory", r.Report.Confined, "a limit for each process", ""),
		row("number of processes", bounded, "a limit for all together", "no PID namespace, or a kernel before 6.14"),
		row("files outside are read-only in every respect", r.Report.Mounts, "private mounts", "no mount namespace to be had"),
		row("names outside are hidden", r.Report.Hidden, "a root directory of its own", "no mount namespace, or the policy grants every name"),
		row("private build caches", r.Report.Layers, "layers above the user's", "shared by the settings, or see below"),
		row("no processes but its own", r.Report.Proc, "private /proc", "no PID namespace, or no /proc for it"),
	)
	for _, sentence := range slices.Concat(r.Report.Uncovered, r.Report.Missing) {
		s.Rows = append(s.Rows, Row{Name: Uncovered, Detail: sentence})
	}
	return s
}

// Uncovered is the name of the rows that report what the policy does not prevent in this directory.
const Uncovered = "not covered"

func row(name string, enforced bool, yes, no string) Row {
	if enforced {
		return Row{Name: name, Enforced: true, Detail: yes}
	}
	return Row{Name: name, Detail: no}
}

// probeTool is the name of a call that does nothing.
const probeTool = "__probe"

// orProbe returns a Tool that answers probes itself and passes other calls to run.
func orProbe(run Tool) Tool {
	return func(ctx context.Context, call Call, progress func([]byte)) (json.RawMessage, error) {
		if call.Tool == probeTool {
			return nil, nil
		}
		return run(ctx, call, progress)
	}
}
