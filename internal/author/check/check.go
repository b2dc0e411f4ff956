package check

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/idelchi/aura/internal/base/strictyaml"
	"github.com/idelchi/aura/internal/golang/loader"
	"github.com/idelchi/aura/internal/plugin/manifest"
	"github.com/idelchi/aura/internal/runtime/native"
)

// Severity is how serious a finding is.
type Severity string

// The severities.
const (
	// Error is a finding that keeps the plugin from loading, or that fails each time the line runs.
	Error Severity = "error"
	// Warning is a finding that may fail, depending on values that are unknown before the plugin runs.
	Warning Severity = "warning"
)

// Finding is one problem of a plugin.
type Finding struct {
	// Plugin is the name of the plugin.
	Plugin string `json:"plugin"`
	// File is absolute. Line and Column count from 1; they are 0 if the finding has no position.
	File     string   `json:"file"`
	Line     int      `json:"line"`
	Column   int      `json:"column"`
	Severity Severity `json:"severity"`
	// Rule is the name of the rule that found the problem.
	Rule    string `json:"rule"`
	Message string `json:"message"`
	// Fix says what to write instead; it is empty if the message already says so.
	Fix string `json:"fix"`
}

// Options describes how the plugin would be run.
type Options struct {
	// Unsafe reports whether plugins may import the restricted packages.
	Unsafe bool
	// Taken maps the names of existing tools to their owners. A plugin's tool must not have such a name unless the plugin
	// overrides.
	Taken map[string]string
	// Tool, if not nil, is called with the name of a tool that does not override, if the source shows the name.
	Tool func(name string)
}

// inspect is Dir without limits.
func inspect(dir string, o Options) (found []Finding) {
	c := &checker{options: o, plugin: filepath.Base(dir)}
	defer func() {
		if v := recover(); v != nil {
			c.add(Finding{
				File: dir, Severity: Warning, Rule: "unknown",
				Message: fmt.Sprintf("the source is too large to analyse, so only a part of it was checked: %v", v),
			})
		}
		found = c.sorted()
	}()
	abs, err := filepath.Abs(dir)
	if err != nil {
		c.fault("manifest", dir, err)
		return nil
	}
	c.dir = abs
	c.plugin = filepath.Base(abs)
	c.manifest()
	target := loader.Target{Unsafe: o.Unsafe}
	if c.compiled() {
		// The toolchain only tells what belongs to its library. It is not run, so it does not matter who can write to it.
		toolchain, _ := native.Find(os.Getenv("PATH"), nil) //nolint:forbidigo // as a shell finds it
		target = toolchain.Target(o.Unsafe)
	}
	c.load(target)
	return nil
}

// checker collects the findings of one plugin.
type checker struct {
	options Options
	dir     string
	plugin  string
	found   []Finding
	// declared is the content of plugin.yaml.
	declared manifest.Manifest
	source   *loader.Source
	// once records the reported findings of vendored packages, so that each package gets one finding of a kind.
	once map[string]bool
}

// compiled reports whether the plugin is never interpreted, so that it may use all of Go.
func (c *checker) compiled() bool { return c.declared.Runtime == manifest.GoRuntimeNative }

func (c *checker) add(f Finding) {
	c.found = append(c.found, f)
}

func (c *checker) sorted() []Finding {
	for i := range c.found {
		c.found[i].Plugin = c.plugin
	}
	slices.SortStableFunc(c.found, func(a, b Finding) int {
		return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column),
			strings.Compare(a.Rule, b.Rule), strings.Compare(a.Message, b.Message))
	})
	return slices.Compact(c.found)
}

// place matches an error message that begins with a position.
var place = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?s)(.+?):(\d+)(?::(\d+))?: (.*)$`) })

// fault adds the errors of other packages, each as a finding of its own. It uses the position in the message; if there is
// none, it uses the given file.
func (c *checker) fault(rule, file string, err error) {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range joined.Unwrap() {
			c.fault(rule, file, e)
		}
		return
	}
	f := Finding{File: file, Severity: Error, Rule: rule, Message: err.Error()}
	if at, ok := errors.AsType[*strictyaml.Error](err); ok {
		f.Line, f.Message = at.Line, at.Err.Error()
	} else if at, ok := errors.AsType[*manifest.ConditionError](err); ok {
		f.Line, f.Message = at.Line, fmt.Sprintf("key %q: %v", "condition", at.Err)
	} else if m := place().FindStringSubmatch(err.Error()); m != nil {
		if i := strings.Index(m[1], c.dir); i >= 0 {
			f.File = m[1][i:]
		}
		f.Line, _ = strconv.Atoi(m[2])
		f.Column, _ = strconv.Atoi(m[3])
		f.Message = m[4]
	}
	c.add(f)
}

// manifest checks plugin.yaml and the plugin's name.
func (c *checker) manifest() {
	file := filepath.Join(c.dir, manifest.FileName)
	if _, err := os.Lstat(file); err != nil {
		c.add(Finding{
			File: c.dir, Severity: Error, Rule: "manifest", Message: "there is no " + manifest.FileName + ", so this is no plugin",
			Fix: "write a " + manifest.FileName + "; one line is enough: description: what the plugin does",
		})
		return
	}
	plugins, err := manifest.Discover(c.dir)
	if err != nil {
		c.fault("manifest", file, err)
		return
	}
	for _, p := range plugins {
		c.plugin, c.declared = p.Name, p.Manifest
		if p.Err != nil {
			c.fault("manifest", file, p.Err)
		}
	}
}
