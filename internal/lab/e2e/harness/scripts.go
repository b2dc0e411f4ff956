//go:build unix

package harness

import (
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// Preparation is the setup of scripts of one kind. A script names its kind in its leading comment ("# Setup: server"). A
// script without a kind starts with the base project.
type Preparation struct {
	// Variants lists the variants in which each script runs; nil means a single run.
	Variants []string
	// Begin returns the parameters that are specific to the kind. It runs once for all scripts of a page and variant.
	Begin func(t *testing.T, variant string) testscript.Params
}

// Preparations maps kinds to their setup. Files for one operating system add more kinds.
var Preparations = map[string]Preparation{
	"project": {Begin: func(*testing.T, string) testscript.Params { return testscript.Params{Setup: Setup} }},
}
