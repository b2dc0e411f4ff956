package shell

import "github.com/idelchi/aura/internal/system/process"

// ending is empty: Windows passes no descriptors, and no process there is the first one of a namespace.
const ending = ""

func (p *lineProcess) withEnding(s process.Spec) (out process.Spec, closeTheirs func(), err error) {
	return s, func() {}, nil
}

func (p *lineProcess) announced() (status int, ok bool) {
	code, exited := process.ExitCode(p.Wait())

	return code, exited
}

func announce(string, int) error { return nil }

func reserve(string) {}
