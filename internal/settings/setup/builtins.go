package setup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/internal/agent/tool/builtin"
	"github.com/idelchi/aura/internal/agent/toolhost"
	"github.com/idelchi/aura/internal/agent/web"
	"github.com/idelchi/aura/internal/base/telemetry"
	"github.com/idelchi/aura/internal/system/network"
	"github.com/idelchi/aura/internal/system/sandbox"
)

// Builtins returns the built-in tools. With a sandbox, each call runs in a separate confined process.
func (c Confinement) Builtins(o builtin.Options, task map[string]string) []tool.Tool {
	all := c.builtins(o, task)
	for i, t := range all {
		if t.Definition().Name == builtin.WebFetchName {
			all[i] = o.Pages.Tool(t)
		}
	}
	return all
}

func (c Confinement) builtins(o builtin.Options, task map[string]string) []tool.Tool {
	free := o
	free.Env = environment(o.Env, c.env, task)
	free.Network = web.Way{Setting: c.settings.Network}
	if !c.enabled {
		o = free
		if c.requested {
			o.Hides = c.settings.Hidden.Hides
		}
		all := unconfined(o)
		for i, t := range all {
			if c.reading && t.Definition().Name == builtin.BashName {
				all[i] = unreading{Tool: t, why: c.unenforced()}
			}
		}
		return all
	}
	files, commands, pages := c.Policy(sandbox.KindFiles), c.commands(), c.pages()
	o.Env = environment(commands.Environ(o.Env), c.env, task)
	all, outside := builtin.All(o), unconfined(free)
	for i, t := range all {
		policy := files
		switch t.Definition().Name {
		case builtin.BashName:
			policy = commands
		case builtin.WebFetchName:
			policy = pages
		}
		all[i] = confined{
			Tool: t, policy: policy, options: o, place: c.place, outside: outside[i], grants: c.grants, tell: c.tell, exposed: c.Expose, spares: c.spares,
			traffic: c.trafficOf,
		}
	}
	return all
}

// unconfined returns the built-in tools without a sandbox.
func unconfined(o builtin.Options) []tool.Tool {
	// Without the program, aura finds only descendants that kept the environment of the command.
	if program, err := toolhost.Program(); err == nil {
		o.Reaper = program.Start
	}
	all := builtin.All(o)
	for i, t := range all {
		if t.Definition().Name == builtin.WebFetchName {
			all[i] = separate{Tool: t, options: o}
		}
	}
	return all
}

// separate runs a built-in tool in an unconfined process of its own, because the tool reads what strangers wrote.
type separate struct {
	tool.Tool
	options builtin.Options
}

// Unwrap returns the tool itself.
func (t separate) Unwrap() tool.Tool { return t.Tool }

// Execute sends the call to the process and waits for the answer.
func (t separate) Execute(ctx context.Context, call tool.Call) (string, error) {
	ctx, cancel := t.options.Deadline(ctx, t.Definition().Name, answering)
	defer cancel()
	asked, err := hostCall(ctx, t.Tool, t.options, call, t.options.Network.Setting, nil)
	if err != nil {
		return "", err
	}
	said, err := toolhost.Unconfined(ctx, asked, t.options.Env)
	if err != nil {
		return "", err
	}
	giveFile(&said, call)
	if said.Error != "" {
		return said.Output, errors.New(said.Error)
	}
	return said.Output, nil
}

// hostCall returns the call of a tool for a process of its own. hidden lists what Rg leaves out.
func hostCall(ctx context.Context, t tool.Tool, o builtin.Options, call tool.Call, n network.Setting, hidden []string) (sandbox.Call, error) {
	name := t.Definition().Name
	args, err := json.Marshal(call.Args)
	if err != nil {
		return sandbox.Call{}, fmt.Errorf("encoding the arguments of %s: %w", name, err)
	}
	options, err := json.Marshal(toolhost.Options{
		Workdir: o.Workdir, Env: append(slices.Clone(o.Env), telemetry.Environ(ctx)...), BashTimeout: o.BashTimeout, Timeout: o.Timeout,
		Truncation: o.Truncation, OutputDir: o.OutputDir, Files: call.TakesFiles(), Hidden: hidden, Network: n,
	})
	if err != nil {
		return sandbox.Call{}, fmt.Errorf("encoding the settings of %s: %w", name, err)
	}
	return sandbox.Call{Tool: name, Args: args, Options: options}, nil
}

// giveFile passes on the media file of an answer.
func giveFile(said *toolhost.Answer, call tool.Call) {
	switch f := said.File; {
	case f == nil:
	case f.Data != nil:
		said.Output = call.Give(*f)
	case call.File != nil:
		call.File(*f)
	}
}
