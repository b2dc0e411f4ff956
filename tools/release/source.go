package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// source is the commit that is released.
type source struct {
	root            string
	version, commit string
	// date is that of the commit. All files of a release have it.
	date  time.Time
	notes string
}

// versionLine is where the source says its version. The built program is asked too; see confirm.
var versionLine = regexp.MustCompile(`(?m)^const Version = "([^"]+)"$`)

// readSource reports what is released, or why it may not be.
func readSource(ctx context.Context, root string) (source, error) {
	s := source{root: root}
	changes, err := git(ctx, root, "status", "--porcelain")
	if err != nil {
		return s, err
	}
	if changes != "" {
		return s, fmt.Errorf("the tree has changes that are not committed; commit or remove them:\n%s", changes)
	}
	if s.commit, err = git(ctx, root, "rev-parse", "HEAD"); err != nil {
		return s, err
	}
	seconds, err := git(ctx, root, "log", "-1", "--format=%cI")
	if err != nil {
		return s, err
	}
	date, err := time.Parse(time.RFC3339, seconds)
	if err != nil {
		return s, fmt.Errorf("reading the date of the commit: %w", err)
	}
	s.date = date.UTC()
	text, err := os.ReadFile(filepath.Join(root, "internal", "base", "build", "build.go"))
	if err != nil {
		return s, fmt.Errorf("reading the version: %w", err)
	}
	m := versionLine.FindSubmatch(text)
	if m == nil {
		return s, errors.New("internal/base/build/build.go has no line such as: const Version = \"1.2.3\"")
	}
	s.version = string(m[1])
	changelog, err := os.ReadFile(filepath.Join(root, "CHANGELOG.md"))
	if err != nil {
		return s, fmt.Errorf("reading the changelog: %w", err)
	}
	if s.notes, err = notesFor(string(changelog), s.version); err != nil {
		return s, err
	}
	return s, s.untagged(ctx)
}

// untagged refuses a version that was released from another commit.
func (s source) untagged(ctx context.Context) error {
	tag := "v" + s.version
	names, err := git(ctx, s.root, "tag", "--list", tag)
	if err != nil || names == "" {
		return err
	}
	tagged, err := git(ctx, s.root, "rev-list", "-n1", "refs/tags/"+tag)
	if err != nil {
		return err
	}
	if tagged != s.commit {
		return fmt.Errorf("the tag %s names the commit %s, not this one: set the next version in internal/base/build/build.go", tag, tagged)
	}
	return nil
}

// built is what 'aura version --json' prints.
type built struct {
	Version  string `json:"version"`
	Commit   string `json:"commit"`
	Modified bool   `json:"modified"`
	Date     string `json:"date"`
	Go       string `json:"go"`
}

// confirm compares the built program's own answer with the source.
func (s source) confirm(b built) error {
	want := built{Version: s.version, Commit: s.commit, Date: s.stamp(), Go: b.Go}
	if b == want {
		return nil
	}
	got, _ := json.Marshal(b)
	expected, _ := json.Marshal(want)
	return fmt.Errorf("aura version --json prints %s; this release is %s", got, expected)
}

// stamp returns the date as aura reports it.
func (s source) stamp() string { return s.date.Format("2006-01-02T15:04:05Z") }

// git runs git in a directory and returns what it printed, without the newline at the end.
func git(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-C", dir}, args...)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w\n%s", strings.Join(args, " "), err, stderr.Bytes())
	}
	return strings.TrimRight(string(out), "\n"), nil
}
