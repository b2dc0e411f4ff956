package setup

import (
	"fmt"
	"os"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/host/pluginstate"
	"github.com/idelchi/aura/internal/base/redact"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/supply/install"
	"github.com/idelchi/aura/internal/system/sandbox"
	"github.com/idelchi/aura/sdk"
)

// RuntimeDir returns the directory in which running sessions of this user are registered.
func RuntimeDir(c *config.Config) string {
	xdg, _ := config.Lookup(c.Inherited, "XDG_RUNTIME_DIR")
	return host.RuntimeDir(xdg, c.State.Run())
}

// RuntimeDirs returns all directories in which running sessions of this user may be registered.
func RuntimeDirs(c *config.Config) []string {
	xdg, _ := config.Lookup(c.Inherited, "XDG_RUNTIME_DIR")
	return host.RuntimeDirs(xdg, c.State.Run())
}

// HostOptions returns the options that all plugin fleets of this configuration share.
func HostOptions(c *config.Config) (host.Options, error) {
	if err := RequireSandbox(c.Features); err != nil {
		return host.Options{}, err
	}
	program, err := hostProgram(c)
	if err != nil {
		return host.Options{}, err
	}
	userHome, err := os.UserHomeDir()
	if err != nil {
		userHome = ""
	}
	secrets := &redact.Current{}
	secrets.Set(Secrets(c, nil))
	return host.Options{
		Fixed: host.Fixed{
			Binary: program.start, Program: program.path, Grants: sandbox.GrantsIn(c.Workdir), CacheDir: c.State.Cache(), Workdir: c.Workdir,
			Secrets: secrets,
			State:   pluginstate.New(c.State.ProjectValues(), func() string { return "" }).Do,
		},
		Around: host.Around{
			Environ: c.Environ, Tool: sdk.ToolConfig{HomeDir: userHome, ConfigDir: c.Project}, Shell: Source{Config: c}.RunCondition(c.Features),
		},
	}, nil
}

// hostName is the name of the program that runs plugins, without the suffix that some systems add.
const hostName = "aura-plugin-host"

// hostBinary finds aura-plugin-host in the directory of aura, or else in PATH.
func hostBinary(c *config.Config) (string, error) {
	if self, err := os.Executable(); err == nil {
		beside := sandbox.Beside(self, hostName)
		if info, err := os.Stat(beside); err == nil && !info.IsDir() {
			return beside, nil
		}
	}
	name := sandbox.FileName(hostName)
	path, _ := config.Lookup(c.Inherited, "PATH")
	found, err := install.LookPath(name, path, Writable(c)...)
	if err != nil {
		return "", fmt.Errorf("looking for %s, which runs the plugins: it is neither beside aura nor in PATH; install it there, or use --without-plugins", name)
	}
	return found, nil
}
