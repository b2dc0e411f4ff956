package setup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/idelchi/aura/internal/agent/toolhost"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/supply/install"
	"github.com/idelchi/aura/internal/system/sandbox"
	"github.com/idelchi/aura/internal/system/shell"
)

const (
	// verifyTime is how long the command of plugins.verify may take.
	verifyTime = 10 * time.Minute
	// verifyOutput is how much of each of its streams a message shows, in bytes.
	verifyOutput = 4 << 10
)

// VerifyPlugin returns what runs the command of plugins.verify; nil if there is none. The command reads the staged files and has the network of
// Bash. With a sandbox, it can write temporary files only.
func VerifyPlugin(c *config.Config) func(context.Context, install.Staged) error {
	line := c.Features.Plugins.Verify
	if line == "" {
		return nil
	}
	return func(ctx context.Context, s install.Staged) error {
		if err := verifyPlugin(ctx, c, line, s); err != nil {
			return fmt.Errorf("plugins.verify: %w", err)
		}
		return nil
	}
}

func verifyPlugin(ctx context.Context, c *config.Config, line string, s install.Staged) error {
	program, err := toolhost.Program()
	if err != nil {
		return err
	}
	input, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("encoding what is known about the plugin: %w", err)
	}
	command := shell.Command{
		Executable: program.Start, Line: line, Dir: c.Workdir, Env: environment(c.Environ, c.Features.Sandbox.Env, nil), Stdin: append(input, '\n'),
		Timeout: verifyTime, MaxOutput: verifyOutput,
	}
	if err := RequireSandbox(c.Features); err != nil {
		return err
	}
	if confined := NewConfinement(c, c.Features, ""); confined.enabled {
		policy := confined.Policy(sandbox.KindShell)
		network, hosts := policy.Network, policy.Hosts
		policy = policy.Reading(confined.place)
		policy.Network, policy.Hosts = network, hosts
		// What the plugin calls hidden is a part of it too.
		policy.ReadOnly, policy.Own, policy.Shown = append(slices.Clip(policy.ReadOnly), s.Dir), append(slices.Clip(policy.Own), s.Dir), append(slices.Clip(policy.Shown), s.Dir)
		command.Env = policy.Environ(command.Env)
		command.Start = confined.starter(caller{who: "plugins.verify", source: "plugins.verify", doing: line}, policy)
	}
	ran, err := shell.Run(ctx, command)
	switch {
	case err != nil:
		return err
	case ran.TimedOut:
		return fmt.Errorf("the command took longer than %s", verifyTime)
	case ran.ExitCode == 0:
		return nil
	}
	said := strings.TrimSpace(strings.TrimSpace(string(ran.Stdout)) + "\n" + strings.TrimSpace(string(ran.Stderr)))
	err = fmt.Errorf("the command refuses it with exit status %d", ran.ExitCode)
	if said != "" {
		err = errors.New(err.Error() + ":\n" + said)
	}
	return err
}
