package install

import (
	"maps"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/system/audit"
)

// record writes to the audit log what differs between the lock of a place as it is now and as it is about to be.
func (l *lockfile) record(p Place) error {
	before, err := readLock(p)
	if err != nil {
		before = &lockfile{} // the new lock takes the place of one that cannot be read
	}
	for _, f := range changes(p.Home, before.Plugins, l.Plugins) {
		if err := audit.Record(f); err != nil {
			return err
		}
	}
	return nil
}

// changes returns a fact for each plugin that differs between two locks of a home.
func changes(home string, before, after map[string]locked) []audit.Fact {
	keys := slices.Concat(slices.Collect(maps.Keys(before)), slices.Collect(maps.Keys(after)))
	slices.Sort(keys)
	var out []audit.Fact
	for _, key := range slices.Compact(keys) {
		old, was := before[key]
		e, is := after[key]
		action := "updated"
		switch {
		case was && is && old.Hash == e.Hash && old.Commit == e.Commit:
			continue
		case !was:
			action = "added"
		case !is:
			action, e = "removed", old
		case e.Installed != nil:
			action = "changes accepted"
		}
		f := audit.Fact{Kind: audit.Install, Action: action, Name: key, By: "user", Hash: e.Hash, Text: "in " + home}
		if e.URL != "" {
			f.Text = strings.TrimSpace(e.URL+" "+e.Commit) + " " + f.Text
		}
		if e.Signed != nil {
			f.Text += ", signed by " + e.Signed.String()
		}
		out = append(out, f)
	}
	return out
}
