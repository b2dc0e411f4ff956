package conversation

import (
	"github.com/idelchi/aura/internal/pipeline"
	"github.com/idelchi/aura/internal/tool"
)

// writtenFiles are the files that the calls of a batch have changed. What sees one of the calls may change the files of them all.
type writtenFiles []tool.Written

// follow tells each call of a batch which files they have changed. What has changed between the end of a call and that of the last
// one is nobody's.
func follow(batch []*call) {
	var all writtenFiles
	for _, p := range batch {
		if p.written != nil {
			all = append(all, p.written)
		}
	}
	all.settle("", false)
	for _, p := range batch {
		p.all = all
	}
}

// settle looks at all files again; see tool.Written.
func (w writtenFiles) settle(by string, quiet bool) {
	for _, files := range w {
		files.Settle(by, quiet)
	}
}

// observed is the source of plugins, each of which may change the files.
func (w writtenFiles) observed(src pipeline.Source) pipeline.Source {
	if w == nil {
		return src
	}
	return pipeline.Observe(src, func(handler string, took bool) {
		if took {
			w.settle("plugin "+handler, false)
		} else {
			w.settle("", false)
		}
	})
}
