package setup

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/idelchi/aura/internal/base/build"
	"github.com/idelchi/aura/internal/runtime/native"
	"github.com/idelchi/aura/internal/runtime/native/gocmd"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/system/process"
	"github.com/idelchi/aura/internal/system/sandbox"
)

// DrainArgument is the hidden first argument that tells aura to compile the plugins whose builds are queued. The second argument is the directory
// of the programs.
const DrainArgument = "__compile"

// startDrain starts the process that compiles queued plugins. It outlives this process, and ends when nothing is left to compile, after
// native.DrainTime at the latest.
func startDrain(c *config.Config, dir string) (<-chan struct{}, error) {
	self, err := sandbox.Self()
	if err != nil {
		return nil, fmt.Errorf("finding the program that compiles plugins: %w", err)
	}
	var env []string
	if temp, ok := config.Lookup(c.Inherited, "TMPDIR"); ok {
		env = append(env, "TMPDIR="+temp)
	}
	p, err := process.Start(process.Spec{Path: self, Args: []string{"aura", DrainArgument, dir}, Dir: dir, Env: env, Outlive: true})
	if err != nil {
		return nil, fmt.Errorf("starting the process that compiles plugins: %w", err)
	}
	return p.Exited(), nil
}

// Drain compiles queued plugins if the arguments of this program ask for it, and returns the exit status. It must be called before the program
// does anything else.
func Drain(args []string) (status int, asked bool) {
	if len(args) != 3 || args[1] != DrainArgument || !filepath.IsAbs(args[2]) {
		return 0, false
	}
	sandbox.Rename("aura-compile")
	gocmd.Yield()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	b := native.Builder{Dir: args[2], Version: build.Read().String()}
	if b.Drain(ctx, goCommand) != nil {
		return 1, true
	}
	return 0, true
}
