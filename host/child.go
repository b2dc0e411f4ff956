package host

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
	"github.com/hashicorp/go-plugin/runner"

	"github.com/idelchi/aura/internal/plugin/manifest"
	"github.com/idelchi/aura/internal/system/sandbox"
	"github.com/idelchi/aura/shared"
	"github.com/idelchi/aura/shared/client"
)

// child is a loaded plugin in its process. A child is never reused: a restart creates a new one.
type child struct {
	shared.Remote
	proc    *hostProcess
	client  *plugin.Client
	started time.Time
	// loadTime is the time from the start of the process until the plugin was ready.
	loadTime time.Duration
	exports  shared.Exports
	// killedFor is the reason why aura itself killed the child. The lock of the life cycle guards it.
	killedFor string
	// listens holds the events that the plugin handles in addition to those of its exports. The lock of the life cycle guards it.
	listens []string
	// serving waits for the goroutine that handles the child's requests.
	serving sync.WaitGroup
	// inflight counts the running calls of the child. The lock of the life cycle guards it.
	inflight int
	// idle measures the time in which only events may run. The lock of the life cycle guards it.
	idle idleClock
	// doing names the running calls, for the notice if the child dies. reported is set once a notice has reported its end. The supervisor
	// guards both.
	doing    []string
	reported bool
	// number counts the processes of the plugin from 1. version is the hash of the plugin's files at its start.
	number  int
	version string
	tape    tape
	// copied is set if the child runs a copy of the source that the session loaded.
	copied bool
	// compiled is set if the child runs the plugin's program.
	compiled bool
}

// startChild starts a process for the plugin and loads the plugin within its load timeout. On failure, it removes everything
// that it created.
func (s *supervisor) startChild(ctx context.Context, spec Spec) (*child, error) {
	o, log := s.opts, s.log
	limit := timeoutsOf(spec.Manifest).load
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	tree := s.treeOf(spec)
	proc := processFor(o, spec, tree, log)
	c := &child{proc: proc, started: time.Now(), idle: idleClock{since: time.Now()}, compiled: spec.asProgram, version: tree, copied: spec.copied}
	c.identify(s)
	err := s.recordLoad(spec, tree, "started")
	if err == nil {
		err = c.connect(ctx, o, limit)
	}
	if err == nil {
		c.serve(s)
		c.exports, err = c.Load(ctx)
	}
	if err != nil {
		err = c.proc.loadError(ctx, err, limit)
		c.stop()
		return nil, err
	}
	c.loadTime = time.Since(c.started)
	if err := errors.Join(c.cacheLowered(o, spec), c.cacheSource(o, spec)); err != nil {
		log.printf("[aura] %v", err)
	}
	log.printf("[aura] plugin %s loaded in %s, pid %s", spec.Name, c.loadTime.Round(time.Millisecond), proc.ID())
	return c, nil
}

// cacheLowered caches the lowered source that the child returned, if any. It frees it in any case.
func (c *child) cacheLowered(o *Options, spec Spec) error {
	lowered := c.exports.Lowered
	c.proc.spec.Lowered, c.exports.Lowered = nil, nil
	if lowered == nil {
		return nil
	}
	return writeCached(o, cachedLowered, loweredKey(o, spec, c.version), lowered)
}

// identify numbers the child, if somebody listens to calls.
func (c *child) identify(s *supervisor) {
	if s.opts.Observer.OnCall == nil {
		return
	}
	s.life.mu.Lock()
	s.code.children++
	c.number = s.code.children
	s.life.mu.Unlock()
}

// treeOf returns the hash of the plugin's files. At the first start, it is the one by which the cached exports were found, unless
// somebody records it with the calls: the files may have changed since.
func (s *supervisor) treeOf(spec Spec) string {
	s.life.mu.Lock()
	tree := s.code.firstTree()
	s.life.mu.Unlock()
	if s.opts.Observer.OnCall != nil {
		tree = ""
	}
	return cmp.Or(tree, versionOf(spec.Dir))
}

// versionOf returns the hash of a plugin's files. It is empty if they cannot be read: loading the plugin then reports why.
func versionOf(dir string) string {
	version, err := manifest.TreeHash(dir)
	if err != nil {
		return ""
	}
	return version
}

// processFor returns the plugin's process, which is not started yet. tree is the hash of the plugin's files.
func processFor(o *Options, spec Spec, tree string, log *logFile) *hostProcess {
	tool := o.around(spec).Tool
	tool.DataDir = spec.DataDir
	return newProcess(o.Binary, o.startDir(), environOf(o, spec), shared.LaunchSpec{
		Name: spec.Name, Dir: spec.Dir, Unsafe: spec.Unsafe, MemoryBytes: spec.Manifest.Limits.Memory, Tool: tool,
		Processors: runtime.GOMAXPROCS(0),
		Sandbox:    policyOf(o, spec), Guest: spec.Guest, Lowered: readCached(o, cachedLowered, loweredKey(o, spec, tree)),
	}, log)
}

// environOf returns the environment of the plugin's process. A policy with its own directory for temporary files adds TMPDIR.
func environOf(o *Options, spec Spec) []string {
	if spec.Sandbox == nil || spec.Sandbox.Temp == "" {
		return o.around(spec).grant(spec.variables())
	}
	return grant(spec.Sandbox.Environ(o.around(spec).Environ), o.around(spec).TaskEnv, slices.Concat(spec.variables(), []string{"TMPDIR"}))
}

// policyOf returns the plugin's policy, extended by what every child needs: permission to read its own binary and the plugin's
// source, and no access to the sockets of other sessions. Unsafe mode also permits starting programs, because os/exec would
// otherwise be useless.
func policyOf(o *Options, spec Spec) *sandbox.Policy {
	if spec.Sandbox == nil {
		return nil
	}
	p := *spec.Sandbox
	p.Own = slices.Concat(p.Own, []string{cmp.Or(o.Program, o.Binary), spec.Dir})
	if spec.Target != "" && !spec.copied {
		// The link may be in a writable tree. The user agreed to the files that it led to when aura found the plugin.
		p.Own = append(p.Own, spec.Target)
	}
	p.Hidden = slices.Concat(p.Hidden, []string{filepath.Dir(o.Session.dir)})
	p.Exec = p.Exec || spec.Unsafe
	if dir := spec.programDir(); dir != "" {
		// The program is part of aura's state, which is hidden.
		p.Own, p.Shown, p.Program = append(p.Own, dir), append(slices.Clip(p.Shown), dir), spec.Native.Program
	}
	if spec.copied {
		// The directory of sessions is hidden. What is shown in it is a directory, and a plugin may be a file.
		dir := filepath.Dir(spec.Dir)
		p.Own, p.Shown = append(p.Own, dir), append(slices.Clip(p.Shown), dir)
	}
	if o.Grants != nil {
		p = o.Grants.Open(p)
	}
	return &p
}

// startDir returns the path of the working directory that children are started with.
func (o *Options) startDir() string {
	if o.Grants == nil {
		return o.Workdir
	}
	return o.Grants.Dir()
}

// connect returns when the handshake is done, or earlier when ctx is done.
func (c *child) connect(ctx context.Context, o *Options, limit time.Duration) error {
	c.client = plugin.NewClient(&plugin.ClientConfig{
		HandshakeConfig:  client.Handshake(),
		Plugins:          client.Plugins(),
		AllowedProtocols: []plugin.Protocol{plugin.ProtocolGRPC},
		RunnerFunc: func(_ hclog.Logger, _ *exec.Cmd, socketDir string) (runner.Runner, error) {
			c.proc.spec.SocketDir = socketDir
			return c.proc, nil
		},
		UnixSocketConfig: &plugin.UnixSocketConfig{TempDir: o.Session.socketDir()},
		SkipHostEnv:      true,
		StartTimeout:     limit,
		GRPCDialOptions:  client.DialOptions(),
		Logger:           hclog.NewNullLogger(),
	})
	// go-plugin's start cannot be cancelled, but killing the process ends it.
	stop := context.AfterFunc(ctx, c.proc.kill)
	defer stop()
	protocol, err := c.client.Client()
	if err != nil {
		return err
	}
	raw, err := protocol.Dispense(shared.PluginKey)
	if err != nil {
		return err
	}
	remote, ok := raw.(shared.Remote)
	if !ok {
		return fmt.Errorf("connecting: the child serves a %T", raw)
	}
	c.Remote = remote
	return nil
}

// stop kills the child immediately. Plugins have no shutdown function that would have to run first.
func (c *child) stop() {
	c.proc.kill()
	c.client.Kill()
	c.serving.Wait()
	if dir := c.proc.spec.SocketDir; dir != "" {
		_ = os.RemoveAll(dir)
	}
}
