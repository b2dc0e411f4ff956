// Package batch reads batches of tasks. A batch is understood completely, or refused with the line that is wrong.
package batch

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/base/strictyaml"
	"github.com/idelchi/aura/internal/fleet"
	"github.com/idelchi/aura/internal/system/network"
)

// maxFile is the size of the largest batch file, in bytes.
const maxFile = 256 << 20

// Batch is a batch that was checked. Its workspaces still name directories of this machine.
type Batch struct {
	Name   string
	Limits fleet.Limits
	Tasks  []Task
}

// Task is a task of a batch, with what only the submitter's machine knows.
type Task struct {
	fleet.Task

	// Dir is the directory to pack; empty if the workspace is none.
	Dir string
	// Trusted means that the submitter trusts the workspace as it is at the moment of submission. Its hash is not known yet.
	Trusted bool
	// Line is where the task is written.
	Line int
}

// document is a batch file. Its tags are for YAML and, through a tree of nodes, for JSON.
type document struct {
	Batch    string                    `yaml:"batch"`
	Defaults work                      `yaml:"defaults"`
	Env      []string                  `yaml:"env"`
	Trust    trust                     `yaml:"trust"`
	Limits   limits                    `yaml:"limits"`
	Tasks    []strictyaml.At[taskLine] `yaml:"tasks"`
}

// header is the first line of a JSONL file, if it has no prompts.
type header struct {
	Batch    string   `yaml:"batch"`
	Defaults work     `yaml:"defaults"`
	Env      []string `yaml:"env"`
	Trust    trust    `yaml:"trust"`
	Limits   limits   `yaml:"limits"`
}

// work is what defaults and tasks have in common.
type work struct {
	Agent       string        `yaml:"agent"`
	Mode        string        `yaml:"mode"`
	Provider    string        `yaml:"provider"`
	Model       string        `yaml:"model"`
	Network     hosts         `yaml:"network"`
	Timeout     time.Duration `yaml:"timeout"`
	MaxSteps    int           `yaml:"max_steps"`
	TokenBudget int           `yaml:"token_budget"`
	Cost        float64       `yaml:"cost"`
}

type taskLine struct {
	ID          string        `yaml:"id"`
	Prompts     []string      `yaml:"prompts"`
	Agent       string        `yaml:"agent"`
	Mode        string        `yaml:"mode"`
	Provider    string        `yaml:"provider"`
	Model       string        `yaml:"model"`
	Network     hosts         `yaml:"network"`
	Timeout     time.Duration `yaml:"timeout"`
	MaxSteps    int           `yaml:"max_steps"`
	TokenBudget int           `yaml:"token_budget"`
	Cost        float64       `yaml:"cost"`
	Workspace   place         `yaml:"workspace"`
	Collect     []string      `yaml:"collect"`
	Trust       trust         `yaml:"trust"`
}

type place struct {
	Git string `yaml:"git"`
	Ref string `yaml:"ref"`
	Dir string `yaml:"dir"`
}

type limits struct {
	Parallel map[string]int `yaml:"parallel"`
	Tokens   int            `yaml:"tokens"`
	Cost     float64        `yaml:"cost"`
	Reached  string         `yaml:"reached"`
}

// trust is true, false or a hash.
type trust struct {
	all  bool
	hash string
}

// UnmarshalYAML implements yaml.Unmarshaler.
func (t *trust) UnmarshalYAML(n *yaml.Node) error {
	var yes bool
	switch {
	case n.Kind == yaml.ScalarNode && n.ShortTag() == "!!bool" && n.Decode(&yes) == nil:
		t.all = yes
	case n.Kind == yaml.ScalarNode && fleet.IsCommit(n.Value):
		t.hash = n.Value
	default:
		return errors.New("expected true, false, a whole commit hash, or the hash of a packed directory")
	}
	return nil
}

// hosts is what a task reaches of the network, as --network takes it. It is written as on, off, or a list of hosts.
type hosts string

// UnmarshalYAML implements yaml.Unmarshaler.
func (h *hosts) UnmarshalYAML(n *yaml.Node) error {
	var on bool
	var list []string
	switch {
	case n.Kind == yaml.ScalarNode && (n.Value == "on" || n.Value == "off"):
		*h = hosts(n.Value)
		return nil
	case n.Kind == yaml.ScalarNode && n.Decode(&on) == nil:
		*h = map[bool]hosts{true: "on", false: "off"}[on]
		return nil
	case n.Kind != yaml.SequenceNode || n.Decode(&list) != nil || len(list) == 0:
		return errors.New("expected on, off, or a list of hosts")
	}
	for _, host := range list {
		// A comma would separate hosts, and on and off are not hosts of a list.
		if _, err := network.Parse(host); err != nil {
			return err
		}
	}
	*h = hosts(strings.Join(list, ","))
	if len(list) == 1 && (list[0] == "on" || list[0] == "off") {
		return fmt.Errorf("expected on, off, or a list of hosts: write network: %s", list[0])
	}
	return nil
}

// Options complete a batch.
type Options struct {
	// Name is the name of the batch; empty if the file names it.
	Name string
	// Dir is the directory that relative paths in the batch are relative to.
	Dir string
}

// Read reads a batch file: JSON lines if its name ends in .jsonl, otherwise YAML.
func Read(path string, o Options) (Batch, error) {
	data, err := files.Read(path, maxFile)
	if err != nil {
		return Batch{}, fmt.Errorf("reading batch: %w", err)
	}
	if o.Dir == "" {
		o.Dir = filepath.Dir(path)
	}
	var d document
	if strings.EqualFold(filepath.Ext(path), ".jsonl") {
		d, err = parseLines(path, data)
	} else {
		d, err = parseYAML(path, data)
	}
	if err != nil {
		return Batch{}, fmt.Errorf("reading batch: %w", err)
	}
	if d.Batch == "" {
		d.Batch = strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	}
	return build(path, d, o)
}

// Each returns a batch with one prompt for each line of a file, in which the line replaces {}. Empty lines are skipped. role and bounds
// are for all tasks.
func Each(path, prompt string, base fleet.Task, o Options) (Batch, error) {
	if !strings.Contains(prompt, "{}") {
		return Batch{}, errors.New("the prompt has no {}, which each line of the file replaces")
	}
	data, err := files.Read(path, maxFile)
	if err != nil {
		return Batch{}, fmt.Errorf("reading the lines of --each: %w", err)
	}
	sum := sha256.Sum256(append([]byte(prompt+"\x00"), data...))
	d := document{Batch: "each-" + hex.EncodeToString(sum[:6])}
	for i, line := range strings.Split(string(data), "\n") {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		t := taskLine{ID: fmt.Sprintf("line-%05d", i+1), Prompts: []string{strings.ReplaceAll(prompt, "{}", line)}, Collect: base.Collect}
		t.Workspace = place{Git: base.Workspace.Git, Ref: base.Workspace.Ref}
		d.Tasks = append(d.Tasks, strictyaml.At[taskLine]{Line: i + 1, Value: t})
	}
	d.Env = base.Env
	d.Defaults = work{
		Agent: base.Agent, Mode: base.Mode, Provider: base.Provider, Model: base.Model, Network: hosts(base.Network), Timeout: base.Timeout, MaxSteps: base.MaxSteps,
		TokenBudget: base.TokenBudget, Cost: base.CostUSD,
	}
	return build(path, d, o)
}

func parseYAML(path string, data []byte) (document, error) {
	var d document
	var root yaml.Node
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	if err := decoder.Decode(&root); err != nil {
		return d, fmt.Errorf("%s: %w", path, err)
	}
	if err := decoder.Decode(&yaml.Node{}); err == nil {
		return d, fmt.Errorf("%s: a second YAML document: a batch file has one", path)
	}
	if len(root.Content) != 1 {
		return d, fmt.Errorf("%s: the file is empty", path)
	}
	return d, strictyaml.DecodeNode(path, root.Content[0], &d)
}

// build checks a batch and completes its tasks with the defaults.
func build(path string, d document, o Options) (Batch, error) {
	b := Batch{Name: d.Batch}
	if o.Name != "" {
		b.Name = o.Name
	}
	fail := func(line int, format string, args ...any) (Batch, error) {
		return Batch{}, fmt.Errorf("reading batch: %w", &strictyaml.Error{File: path, Line: line, Err: fmt.Errorf(format, args...)})
	}
	if err := fleet.CheckName(b.Name); err != nil {
		return fail(0, "the name of the batch: %w; set the key batch, or --batch", err)
	}
	var err error
	if b.Limits, err = d.Limits.check(); err != nil {
		return fail(0, "limits: %w", err)
	}
	for _, name := range d.Env {
		if err := fleet.CheckVariable(name); err != nil {
			return fail(0, "env: %w", err)
		}
	}
	if n := len(d.Tasks); n == 0 || n > fleet.MaxTasks {
		return fail(0, "the batch has %d tasks; 1 to %d are possible", n, fleet.MaxTasks)
	}
	lines := map[string]int{}
	for _, at := range d.Tasks {
		t := complete(b.Name, d, at, o)
		if before, twice := lines[t.ID]; twice {
			return fail(at.Line, "task id %q is already used on line %d", t.ID, before)
		}
		lines[t.ID] = at.Line
		if err := t.check(); err != nil {
			return fail(at.Line, "task %q: %w", t.ID, err)
		}
		b.Tasks = append(b.Tasks, t)
	}
	return b, nil
}

// complete returns a task with the defaults of the batch.
func complete(batch string, d document, at strictyaml.At[taskLine], o Options) Task {
	t, def := at.Value, d.Defaults
	out := Task{Line: at.Line, Task: fleet.Task{
		Version: fleet.Format, Batch: batch, ID: t.ID, Prompts: t.Prompts, Collect: t.Collect, Env: d.Env,
		Role: fleet.Role{
			Agent: or(t.Agent, def.Agent), Mode: or(t.Mode, def.Mode), Provider: or(t.Provider, def.Provider), Model: or(t.Model, def.Model),
			Network: string(or(t.Network, def.Network)),
		},
		Bounds: fleet.Bounds{
			Timeout: or(t.Timeout, def.Timeout), MaxSteps: or(t.MaxSteps, def.MaxSteps), TokenBudget: or(t.TokenBudget, def.TokenBudget),
			CostUSD: or(t.Cost, def.Cost),
		},
		Workspace: fleet.Workspace{Git: t.Workspace.Git, Ref: t.Workspace.Ref},
	}}
	if out.Network != "" {
		out.Version = fleet.NetworkFormat
	}
	if dir := t.Workspace.Dir; dir != "" {
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(o.Dir, filepath.FromSlash(dir))
		}
		out.Dir = dir
	}
	decided := t.Trust
	if decided == (trust{}) {
		decided = d.Trust
	}
	out.Trusted, out.Trust = decided.all, decided.hash
	return out
}

func (t Task) check() error {
	switch {
	case t.ID == "":
		return errors.New("it has no id")
	case t.Dir != "" && t.Workspace.Git != "":
		return errors.New("the workspace is both a repository and a directory: choose one")
	case (t.Trusted || t.Trust != "") && t.Dir == "" && t.Workspace.Git == "":
		return errors.New("it trusts a workspace, but has none")
	}
	if err := t.Check(); err != nil {
		return err
	}
	data, err := json.Marshal(t.Task)
	if err == nil && len(data) > fleet.MaxTask {
		err = fmt.Errorf("it has %d bytes as a record; %d is the limit", len(data), fleet.MaxTask)
	}
	return err
}

func (l limits) check() (fleet.Limits, error) {
	out := fleet.Limits{Parallel: l.Parallel, Tokens: l.Tokens, CostUSD: l.Cost, Stop: l.Reached == "stop"}
	for provider, n := range l.Parallel {
		if n < 1 {
			return out, fmt.Errorf("parallel: %s is %d; at least 1 task runs at once", provider, n)
		}
	}
	switch {
	case l.Tokens < 0 || l.Cost < 0:
		return out, errors.New("a negative limit")
	case l.Reached != "" && l.Reached != "wait" && l.Reached != "stop":
		return out, fmt.Errorf("reached: %q is neither wait nor stop", l.Reached)
	}
	return out, nil
}

func or[T comparable](own, inherited T) T {
	var zero T
	if own != zero {
		return own
	}
	return inherited
}
