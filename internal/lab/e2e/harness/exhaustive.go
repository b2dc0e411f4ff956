//go:build unix

package harness

import (
	"flag"
	"fmt"
	"os"
	"strings"
)

// Exhaustive lists the tests that try in all combinations what others try in one: each file that aura reads, each command, each user, with and
// without namespaces. It also lists the single tests and scripts that take the most processor time, four seconds and more. Together they take two fifths of
// the time of all end-to-end tests. 'make test' leaves them out, and 'make test-exhaustive' runs only them.
var Exhaustive = []string{
	"TestACPTypeScript",
	"TestCheckCorpus",
	"TestClone",
	"TestDeputies",
	"TestFaultsAsOtherUsers",
	"TestFleet",
	"TestHooksMemory",
	"TestKilledAuraOfOtherUsers",
	"TestOddFiles",
	"TestReplayExamples",
	"TestReruns",
	"TestSandboxData",
	"TestSandboxPlants",
	"TestSetups",
	"TestScripts/attachments/refused",
	"TestScripts/extensions/add_packages",
	"TestScripts/extensions/installed",
	"TestScripts/limits/limits_history",
	"TestScripts/plugin-hooks/new_point",
	"TestScripts/sandbox/grants",
	"TestScripts/what-happened/bisect",
	"TestScripts/what-happened/explain",
	"TestScripts/what-happened/replay",
	"TestScripts/writing-a-plugin/three_commands",
}

// exhaustiveTests is the variable that says which tests run: "skip" leaves out the exhaustive ones, "only" leaves out all others.
const exhaustiveTests = "AURA_TEST_EXHAUSTIVE"

// selectTests sets the flags of the test program by the environment.
func selectTests() error {
	var patterns []string
	for _, name := range Exhaustive {
		patterns = append(patterns, "^"+strings.ReplaceAll(name, "/", "$/^")+"$")
	}
	names := strings.Join(patterns, "|")
	switch value := os.Getenv(exhaustiveTests); value {
	case "":
		return nil
	case "skip":
		fmt.Printf("left out, run them by 'make test-exhaustive': %s\n", strings.Join(Exhaustive, ", "))
		return flag.Set("test.skip", names)
	case "only":
		return flag.Set("test.run", names)
	default:
		return fmt.Errorf("%s=%s: want skip or only", exhaustiveTests, value)
	}
}
