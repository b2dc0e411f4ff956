//go:build unix

package scripts

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/idelchi/aura/internal/lab/e2e/harness"
	"github.com/idelchi/aura/internal/system/machinepolicy"
)

func init() { commands["machine-policy"] = machinePolicy }

// machine-policy FILE... gives the machine of the script a policy: the first file as policy.yaml, the others in policy.d. Without a file, the
// machine has no policy. $MACHINE is the directory of the policy.
func machinePolicy(ts *testscript.TestScript, neg bool, args []string) {
	if neg {
		ts.Fatalf("usage: machine-policy FILE...")
	}
	bin := strings.TrimSuffix(ts.Getenv("MACHINE"), string(filepath.Separator)+machinepolicy.TestDir)
	if bin == "" {
		path := filepath.SplitList(ts.Getenv("PATH"))
		var err error
		bin, err = harness.MachineBin(path[0])
		ts.Check(err)
		ts.Defer(func() { _ = os.RemoveAll(bin) })
		ts.Setenv("PATH", strings.Join(append([]string{bin}, path...), string(filepath.ListSeparator)))
		ts.Setenv("MACHINE", filepath.Join(bin, machinepolicy.TestDir))
	}
	documents := map[string][]byte{}
	for i, file := range args {
		name := machinepolicy.FileName
		if i > 0 {
			name = filepath.Join(machinepolicy.PartsName, filepath.Base(file))
		}
		documents[name] = []byte(ts.ReadFile(file))
	}
	ts.Check(harness.SetPolicy(bin, documents))
}
