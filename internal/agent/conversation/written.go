package conversation

import (
	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/internal/plugin/pipeline"
)

// writtenFiles holds the files that the calls of a batch changed. A hook that sees one of the calls may change the files of all
// calls.
type writtenFiles []tool.Written

// follow gives each call of a batch the files that all its calls changed. Changes between the end of a call and the end of the
// batch are attributed to no call.
func follow(batch []*call) {
	var all writtenFiles
	for _, p := range batch {
		if p.written != nil {
			all = append(all, p.written)
		}
	}
	all.attributeChanges("", false)
	for _, p := range batch {
		p.all = all
	}
}

// attributeChanges checks all files again; see tool.Written.
func (w writtenFiles) attributeChanges(by string, quiet bool) {
	for _, files := range w {
		files.AttributeChanges(by, quiet)
	}
}

// afterPlugin checks the files after the call of a plugin, because each plugin may change them.
func (w writtenFiles) afterPlugin(r pipeline.Report) {
	by := ""
	if r.TookPart {
		by = "plugin " + r.Handler
	}
	w.attributeChanges(by, false)
}
