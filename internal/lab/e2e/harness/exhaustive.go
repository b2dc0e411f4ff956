//go:build unix

package harness

import (
	"flag"
	"fmt"
	"os"
	"strings"
)

// Exhaustive lists the tests that try in all combinations what others try in one: each file that aura reads, each command, each user, with and
// without namespaces, and each script with the second protocol. It also lists single tests and scripts that take much processor time, where others
// tell the main story. 'make test' leaves them out, and 'make test-exhaustive' runs only them. Names are regular expressions, and a star stands for
// every name.
var Exhaustive = []string{
	"TestACPLong",
	"TestACPTypeScript",
	"TestAccessAnswers/(editor|plain|terminal)_(always|outside|reason|session)",
	"TestCheckCorpus",
	"TestClone",
	"TestClonePinned/0",
	"TestCloneTrusted/0",
	"TestDeputies",
	"TestEverything",
	"TestFaultsAsOtherUsers",
	"TestFleet",
	"TestFlood",
	"TestGopls",
	"TestHooksMemory",
	"TestHostAnswers/(editor|plain|terminal)_(always|outside|reason|session)",
	"TestHostTypedAhead",
	"TestInteractiveTypedAhead",
	"TestKilledAuraOfOtherUsers",
	"TestManyCalls",
	"TestMetadataKilled",
	"TestOddFiles",
	"TestOddState",
	"TestReplayExamples",
	"TestReruns",
	"TestSandboxData",
	"TestSandboxEscapes/0",
	"TestSandboxPlants",
	"TestSandboxPrograms/*/0",
	"TestSandboxSwaps",
	"TestScriptedLanguageServers",
	"TestSetups",
	"TestTimeoutEndsAura",
	"TestScripts/*/anthropic",
	"TestScripts/attachments/refused",
	"TestScripts/compiled-plugins/withdrawn",
	"TestScripts/configuration/broken_home",
	"TestScripts/extensions/add_git",
	"TestScripts/extensions/add_packages",
	"TestScripts/extensions/bus",
	"TestScripts/extensions/discovery",
	"TestScripts/extensions/failing_guard",
	"TestScripts/extensions/faults",
	"TestScripts/extensions/installed",
	"TestScripts/extensions/lazy",
	"TestScripts/extensions/metadata",
	"TestScripts/extensions/replay",
	"TestScripts/extensions/server",
	"TestScripts/extensions/threads",
	"TestScripts/extensions/waiting_events",
	"TestScripts/hooks/hostile_limits",
	"TestScripts/install-plugins/claude",
	"TestScripts/install-plugins/edges",
	"TestScripts/install-plugins/lock",
	"TestScripts/install-plugins/pack",
	"TestScripts/install-plugins/portable",
	"TestScripts/install-plugins/remove_handmade",
	"TestScripts/install-plugins/update_dry_run",
	"TestScripts/install-plugins/update_vendor",
	"TestScripts/install-plugins/verify",
	"TestScripts/json-events/off",
	"TestScripts/limits/limits_history",
	"TestScripts/limits/limits_links",
	"TestScripts/network/presets",
	"TestScripts/plugin-hooks/new_point",
	"TestScripts/plugins/*/language-servers",
	"TestScripts/providers/*/cost",
	"TestScripts/sandbox/branches",
	"TestScripts/sandbox/grants",
	"TestScripts/sandbox/home",
	"TestScripts/supervision/load_many",
	"TestScripts/supervision/logs",
	"TestScripts/supervision/show_quarantined",
	"TestScripts/supervision/show_running",
	"TestScripts/supervision/stack_overflow",
	"TestScripts/supervision/top_once",
	"TestScripts/teams/widen",
	"TestScripts/trust/trust_writing",
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
		pattern := "^" + strings.ReplaceAll(name, "/", "$/^") + "$"
		patterns = append(patterns, strings.ReplaceAll(pattern, "^*$", ".*"))
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
