package gitconfig

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Merge is the result of MergeBranches.
type Merge struct {
	// Text is the new content of the file.
	Text []byte
	// Refused lists the names of settings that the copy changed and that may not be changed by confined code.
	Refused []string
	// Conflicts lists the branches that both the copy and the file changed. The file wins.
	Conflicts []string
}

// MergeBranches applies to a file what a copy of it changed about branches. base is what the copy was made from. A change counts if it sets
// remote, pushRemote, merge, rebase or description of a branch to a value that runs nothing and leads to no new place, if it sets what
// another branch had, as for a branch that is renamed or copied, or if it removes a setting of a branch. The copy is not trusted: none of
// its bytes reach the result but the names of branches and the values of these settings, encoded again.
func MergeBranches(base, copied, file []byte) (Merge, error) {
	var docs [3]*configParser
	for i, text := range [][]byte{base, copied, file} {
		doc, err := parse(text)
		if err != nil {
			return Merge{}, err
		}
		docs[i] = doc
	}
	m := merger{base: group(docs[0].out), copied: group(docs[1].out), file: group(docs[2].out), used: map[Setting]bool{}}
	for _, s := range docs[0].out {
		if s.isBranch() {
			m.used[Setting{Key: s.Key, Value: s.Value}] = true
		}
	}
	out := Merge{Refused: m.otherSettings()}
	changed := map[string][]Setting{}
	for _, name := range unionKeys(m.base.branches, m.copied.branches) {
		before, now := m.base.branches[name], m.file.branches[name]
		if slices.Equal(before, m.copied.branches[name]) {
			continue
		}
		wanted, refused := m.branch(name)
		out.Refused = append(out.Refused, refused...)
		switch {
		case slices.Equal(wanted, now) || slices.Equal(wanted, before):
		case slices.Equal(before, now):
			changed[name] = wanted
		default:
			out.Conflicts = append(out.Conflicts, name)
		}
	}
	out.Text = file
	if len(changed) == 0 {
		return out, nil
	}
	out.Text = []byte(docs[2].replaceBranches(changed))
	return out, m.verify(out.Text, changed)
}

// grouped holds the settings of a file: those of each branch in order, and the values of all others by name.
type grouped struct {
	branches map[string][]Setting
	others   map[Setting][]string
}

func group(all []Setting) grouped {
	out := grouped{map[string][]Setting{}, map[Setting][]string{}}
	for _, s := range all {
		if s.isBranch() {
			out.branches[s.Sub] = append(out.branches[s.Sub], s)
			continue
		}
		value := s.Value
		s.Value = ""
		out.others[s] = append(out.others[s], value)
	}
	return out
}

func (s Setting) isBranch() bool { return s.Section == "branch" && s.Sub != "" }

// merger compares three versions of a file. used holds the keys and values that branches have in the base.
type merger struct {
	base, copied, file grouped
	used               map[Setting]bool
}

// otherSettings returns the names of the settings that the copy changed outside of the branches.
func (m merger) otherSettings() []string {
	var out []string
	for _, at := range []map[Setting][]string{m.base.others, m.copied.others} {
		for s := range at {
			if !slices.Equal(m.base.others[s], m.copied.others[s]) {
				out = append(out, s.Name())
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// branch returns the settings that a branch gets, and the names of those that are refused. A refused setting has its former values.
func (m merger) branch(name string) (wanted []Setting, refused []string) {
	had, former := map[Setting]bool{}, map[string][]Setting{}
	for _, s := range m.base.branches[name] {
		had[s], former[s.Key] = true, append(former[s.Key], s)
	}
	refusedKeys := map[string]bool{}
	for _, s := range m.copied.branches[name] {
		if !had[s] && !m.allowed(s) {
			refusedKeys[s.Key] = true
			refused = append(refused, s.Name())
		}
	}
	for _, s := range m.copied.branches[name] {
		if !refusedKeys[s.Key] {
			wanted = append(wanted, s)
			continue
		}
		wanted = append(wanted, former[s.Key]...)
		delete(former, s.Key) // once
	}
	return wanted, slices.Compact(refused)
}

// allowed reports whether confined code may give a branch this setting.
func (m merger) allowed(s Setting) bool {
	if !isRefName("refs/heads/" + s.Sub) {
		return false
	}
	if m.used[Setting{Key: s.Key, Value: s.Value}] {
		return true
	}
	switch s.Key {
	case "remote", "pushremote":
		return s.Value == "." || m.hasRemote(s.Value)
	case "merge":
		return isRefName(s.Value)
	case "rebase":
		return slices.Contains([]string{"true", "false", "merges"}, s.Value)
	case "description":
		return !strings.ContainsFunc(s.Value, func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' || r == 0x7f })
	default:
		return false
	}
}

// hasRemote reports whether the file itself has a remote. A remote can also be an address, which would be a new place.
func (m merger) hasRemote(name string) bool {
	return name != "" && len(m.file.others[Setting{Section: "remote", Sub: name, Key: "url"}]) > 0
}

// isRefName reports whether Git accepts a full name of a reference.
func isRefName(name string) bool {
	if strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r == 0x7f || strings.ContainsRune(`~^:?*[\`, r) }) {
		return false
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == "" || part[0] == '.' || strings.HasSuffix(part, ".lock") {
			return false
		}
	}
	return strings.HasPrefix(name, "refs/") && !strings.HasPrefix(name, "refs/heads/-") &&
		!strings.Contains(name, "..") && !strings.Contains(name, "@{") && !strings.HasSuffix(name, ".")
}

// verify reads the result again: the changed branches must have exactly the wanted settings, and everything else what the file had.
func (m merger) verify(text []byte, changed map[string][]Setting) error {
	all, err := Parse(text)
	if err != nil {
		return fmt.Errorf("checking the result: %w", err)
	}
	got := group(all)
	want := maps.Clone(m.file.branches)
	for name, list := range changed {
		if want[name] = list; len(list) == 0 {
			delete(want, name)
		}
	}
	if !maps.EqualFunc(got.others, m.file.others, slices.Equal) || !maps.EqualFunc(got.branches, want, slices.Equal) {
		return errors.New("checking the result: it has other settings than it must have")
	}
	return nil
}

func unionKeys(a, b map[string][]Setting) []string {
	keys := slices.AppendSeq(slices.Collect(maps.Keys(a)), maps.Keys(b))
	slices.Sort(keys)
	return slices.Compact(keys)
}
