package sandbox

import (
	"fmt"
	"strings"
)

// GitCopy says that confined processes see a private copy of a repository's settings, if they have their own mounts. Git writes the settings of
// branches to that file when it renames a branch or sets its upstream.
type GitCopy struct {
	// Path is the file of settings. Link is a symbolic link to the copy, which is mounted over the file: Git follows it also for its lock.
	Path string `json:"path"`
	Link string `json:"link"`
}

// GitRefusal is about changes of a repository's settings in a copy that aura did not write to the file.
type GitRefusal struct {
	File string
	// Settings lists the settings that may not be changed, and Branches those that the user changed at the same time.
	Settings, Branches []string
	// Err is why nothing of the copy was used.
	Err error
}

// maxNamed is how many settings a sentence names.
const maxNamed = 3

// Text returns a sentence for the user and the model. by is who made the changes.
func (r GitRefusal) Text(by string) string {
	var what, why string
	switch {
	case r.Err != nil:
		return fmt.Sprintf("%s changed settings of Git in %s, and aura did not write them: %v", by, r.File, r.Err)
	case len(r.Settings) > 0:
		what = quoteNames(r.Settings)
		why = "confined code may change only remote, pushRemote, merge, rebase and description of branches, to remotes and refs of the repository"
	default:
		what, why = "the settings of branch "+quoteNames(r.Branches), "they were changed outside of the sandbox at the same time"
	}
	return fmt.Sprintf("%s changed %s in %s: refused by the sandbox: %s; the file stays as it was%s", by, what, r.File, why, advice(r.File))
}

// quoteNames returns a list of names, which may contain anything.
func quoteNames(names []string) string {
	var out []string
	for _, name := range names[:min(len(names), maxNamed)] {
		const long = 100
		out = append(out, fmt.Sprintf("%q", name[:min(len(name), long)]))
	}
	text := strings.Join(out, ", ")
	if more := len(names) - maxNamed; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
