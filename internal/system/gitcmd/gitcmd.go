// Package gitcmd starts git. No other package does. Git runs programs that the settings, the attributes and the nested repositories of a
// repository name, and confined code can write all of them. So git works here only in a repository that aura alone writes, or in none, and
// never looks at files of a working directory, except to fill a new one.
package gitcmd

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/idelchi/aura/internal/system/process"
)

// Settings says which settings git reads. It never reads those of a repository that aura did not make.
type Settings int

// The settings that git can read.
const (
	// NoSettings is for work on a repository of aura's own. Git starts no other program.
	NoSettings Settings = iota
	// FetchSettings are those of the user, which name credentials and hosts. Git reaches other repositories with them.
	FetchSettings
	// CredentialSettings are those of the user and of the machine, which name credential helpers.
	CredentialSettings
)

// Job is one run of git.
type Job struct {
	// Program is the path of git; empty means the first one of PATH.
	Program string
	// Args begins with the subcommand.
	Args []string
	// Repository is a directory that only aura writes. Empty means no repository: git then finds none, wherever it is started.
	Repository string
	// NewTree is an empty directory that a checkout fills; empty for all other work.
	NewTree  string
	Settings Settings
	// LocalURLs permits file: URLs.
	LocalURLs bool
	// Environ is the environment of the caller. Git gets the part of it that the settings need.
	Environ []string
	Stdin   io.Reader
	// Stdout receives the output; nil discards it.
	Stdout io.Writer
	// Mark is the variable by which descendants of git are found, Linger how long they may write after git has exited.
	Mark   string
	Linger time.Duration
}

// Run runs git to its end. Its error has the last words of git.
func Run(ctx context.Context, j Job) error {
	path := j.Program
	if path == "" {
		var err error
		if path, err = exec.LookPath("git"); err != nil {
			return fmt.Errorf("looking for git, which this work needs: %w", err)
		}
	}
	words := &process.Tail{Max: 4 << 10}
	alone := j.Settings == NoSettings
	err := process.Run(ctx, process.Spec{
		Path: path, Args: append(append([]string{"git"}, flags()...), j.Args...), Dir: j.dir(), Env: j.environ(),
		Stdin: j.Stdin, Stdout: j.Stdout, Stderr: words, Mark: j.Mark, Linger: j.Linger, Orderly: alone, Guard: !alone,
	})
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		return fmt.Errorf("git %s: %w: %s", j.Args[0], err, strings.TrimSpace(words.String()))
	}
	return nil
}

// flags returns what every git gets before its subcommand. They count more than the user's settings.
func flags() []string {
	var out []string
	for _, setting := range []string{
		"core.hooksPath=" + os.DevNull, "core.fsmonitor=false", "core.attributesFile=" + os.DevNull, "core.excludesFile=" + os.DevNull,
		"core.autocrlf=false", "core.askPass=", "submodule.recurse=false", "fetch.recurseSubmodules=false",
		"gc.auto=0", "maintenance.auto=false", "advice.detachedHead=false",
	} {
		out = append(out, "-c", setting)
	}
	return out
}

// dir returns the directory in which git starts. Without a repository it is the root directory, which confined code cannot write.
func (j Job) dir() string {
	switch {
	case j.NewTree != "":
		return j.NewTree
	case j.Repository != "":
		return j.Repository
	default:
		return filepath.VolumeName(os.TempDir()) + string(filepath.Separator)
	}
}

// fetching are the variables that git needs to reach repositories.
var fetching = []string{
	"PATH", "HOME", "USER", "LOGNAME", "SSH_AUTH_SOCK", "SSL_CERT_FILE", "SSL_CERT_DIR", "HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY", "https_proxy",
	"http_proxy", "no_proxy", "SYSTEMROOT", "TMPDIR",
}

// locations are the variables of git that say where the user's own settings are. All others name repositories, settings or programs.
var locations = []string{"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM"}

// maxMemory is the largest piece of memory that git allocates. A patch can claim that a file has any size.
const maxMemory = "1g"

// environ returns the environment of git.
func (j Job) environ() []string {
	out := []string{
		"GIT_TERMINAL_PROMPT=0", "GIT_ATTR_NOSYSTEM=1", "GIT_NO_REPLACE_OBJECTS=1", "GIT_LITERAL_PATHSPECS=1", "GIT_OPTIONAL_LOCKS=0",
	}
	if j.Repository == "" {
		// This is no repository, which keeps git from looking for one.
		out = append(out, "GIT_DIR="+os.DevNull)
	} else {
		out = append(out, "GIT_DIR="+j.Repository)
	}
	if j.NewTree != "" {
		out = append(out, "GIT_WORK_TREE="+j.NewTree)
	}
	protocols := "https:http:ssh"
	if j.LocalURLs {
		protocols += ":file"
	}
	out = append(out, "GIT_ALLOW_PROTOCOL="+protocols)
	switch j.Settings {
	case NoSettings:
		out = append(out, "LC_ALL=C", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_ALLOC_LIMIT="+maxMemory)
	case FetchSettings:
		out = append(out, "LC_ALL=C", "GIT_CONFIG_NOSYSTEM=1", "GIT_ASKPASS=true", "SSH_ASKPASS=true", "GIT_SSH_COMMAND=ssh -oBatchMode=yes")
	case CredentialSettings:
		out = append(out, "GIT_ASKPASS=", "SSH_ASKPASS=", "GCM_INTERACTIVE=never")
	}
	for _, entry := range j.Environ {
		if name, _, _ := strings.Cut(entry, "="); j.passes(name) {
			out = append(out, entry)
		}
	}
	return out
}

// passes reports whether git gets a variable of the caller. Credential helpers need many, so they get all but those of git itself.
func (j Job) passes(name string) bool {
	switch j.Settings {
	case FetchSettings:
		return slices.Contains(fetching, name)
	case CredentialSettings:
		own := strings.HasPrefix(strings.ToUpper(name), "GIT_") || slices.Contains([]string{"SSH_ASKPASS", "GCM_INTERACTIVE", "PWD", "OLDPWD"}, name)
		return !own || slices.Contains(locations, name)
	default:
		return name == "PATH" || name == "SYSTEMROOT"
	}
}
