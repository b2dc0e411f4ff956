//go:build unix

package e2e

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// exhaustive lists the tests that try in all combinations what others try in one: each file that aura reads, each command, each user, with and
// without namespaces. They take a fifth of the time of all tests. 'make test' leaves them out, and 'make test-exhaustive' runs only them.
var exhaustive = []string{
	"TestClone",
	"TestExamplesCompiled",
	"TestFaultsAsOtherUsers",
	"TestKilledAuraOfOtherUsers",
	"TestOddFiles",
	"TestReruns",
	"TestSandboxPlants",
}

// exhaustiveTests is the variable that says which tests run: "skip" leaves out the exhaustive ones, "only" leaves out all others.
const exhaustiveTests = "AURA_TEST_EXHAUSTIVE"

// selectTests sets the flags of the test program by the environment.
func selectTests() error {
	names := "^(" + strings.Join(exhaustive, "|") + ")$"
	switch value := os.Getenv(exhaustiveTests); value {
	case "":
		return nil
	case "skip":
		fmt.Printf("left out, run them by 'make test-exhaustive': %s\n", strings.Join(exhaustive, ", "))
		return flag.Set("test.skip", names)
	case "only":
		return flag.Set("test.run", names)
	default:
		return fmt.Errorf("%s=%s: want skip or only", exhaustiveTests, value)
	}
}

// TestExhaustive checks that the listed tests exist.
func TestExhaustive(t *testing.T) {
	t.Parallel()
	var names []string
	for _, row := range goTests(t) {
		names = append(names, strings.Trim(row[0], "`"))
	}
	for _, name := range exhaustive {
		if !slices.Contains(names, name) {
			t.Errorf("there is no test %s, only %v", name, names)
		}
	}
}
