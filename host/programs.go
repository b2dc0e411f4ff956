package host

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/system/process"
)

// shownPrograms is how many programs a notice names.
const shownPrograms = 5

// programs reports the programs that a child started and that still run. The caller stops the child, and they end with it.
func (r *reporter) programs(c *child) {
	proc := c.proc.running()
	if proc == nil {
		return
	}
	left := process.Programs(proc.Pid())
	if guest := c.proc.spec.Guest; guest != nil {
		left = withoutGuest(left, filepath.Base(guest.Program))
	}
	if len(left) == 0 {
		return
	}
	more := ""
	if n := len(left) - shownPrograms; n > 0 {
		left, more = left[:shownPrograms], fmt.Sprintf(" and %d more", n)
	}
	r.notify(NoticeWarning, fmt.Sprintf("plugin %q started programs that still run, and aura ends them with the session: %s%s",
		r.plugin, strings.Join(left, ", "), more))
}

// withoutGuest leaves out the guest, which is the first program of its name.
func withoutGuest(programs []string, guest string) []string {
	i := slices.IndexFunc(programs, func(name string) bool { return name != "" && strings.HasPrefix(guest, name) })
	if i < 0 {
		return programs
	}
	return slices.Delete(slices.Clone(programs), i, i+1)
}
