package main

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/idelchi/aura/internal/lab"
)

// buildsEach is how many builds a session makes. The first one fills the caches and does not count.
const buildsEach = 6

// builder is a program whose build compiles one package and links many.
const builder = `package main

import (
	"fmt"
	"net/http"
)

func main() { fmt.Println(http.StatusOK) }
`

func hasGo() bool {
	_, err := exec.LookPath("go")
	return err == nil
}

// warmBuilds compares builds of a Go program with warm caches: without a sandbox, with the user's caches, and with private layers above them.
func (l *bench) warmBuilds(ctx context.Context) error {
	if !hasGo() {
		l.table("Builds: there is no Go here", nil)
		return nil
	}
	dir := filepath.Join(l.Dir, "builds")
	if err := l.project(dir, 0); err != nil {
		return err
	}
	kinds := []struct{ name, settings string }{
		{"unconfined", "{enabled: false}"}, {"confined, the user's caches", "{caches: shared}"}, {"confined, private layers", "{caches: private}"},
	}
	files := map[string]string{"go.mod": "module builder\n\ngo 1.25\n", "main.go": builder}
	for i, kind := range kinds {
		files[fmt.Sprintf("kind%d/config/sandbox/sandbox.yaml", i)] = "sandbox: " + kind.settings + "\n"
	}
	var script strings.Builder
	script.WriteString("turns:\n")
	for i := range buildsEach {
		fmt.Fprintf(&script, "  - tool_calls: [{name: Bash, arguments: {command: \"echo '// %d' >> main.go && go build -o prog .\"}}]\n", i)
	}
	script.WriteString("  - text: done\n")
	files[".aura/config/quick.yaml"] = script.String()
	if err := lab.WriteFiles(dir, files); err != nil {
		return err
	}
	found := make([]cellTimes, len(kinds))
	for range cells {
		for i := range kinds {
			times := cellTimes{}
			if err := l.session(ctx, dir, fmt.Sprintf("kind%d", i), "bench", times); err != nil {
				return err
			}
			if found[i] == nil {
				found[i] = cellTimes{}
			}
			found[i]["Bash"] = append(found[i]["Bash"], times["Bash"][1:]...)
		}
	}
	rows := [][]string{{"builds of a Go program", "median", "against the user's caches", "wanted"}}
	shared := median(found[1]["Bash"])
	for i, kind := range kinds {
		took := median(found[i]["Bash"])
		wanted := ""
		if i == len(kinds)-1 {
			wanted = "at most × 1.1"
		}
		rows = append(rows, []string{kind.name, fine(took), fmt.Sprintf("× %.2f", float64(took)/float64(shared)), wanted})
	}
	l.table(fmt.Sprintf("Builds with warm caches (medians of %d sessions with %d builds, interleaved)", cells, buildsEach-1), rows)
	return nil
}
