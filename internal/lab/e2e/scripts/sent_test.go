//go:build unix

package scripts

import (
	"regexp"
	"strconv"

	"github.com/rogpeppe/go-internal/testscript"
)

func init() {
	commands["sent"] = checkSent
}

// sent NUMBER REGEXP... searches for patterns in the body of a request that reached the server. Requests are numbered from 1.
func checkSent(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: sent NUMBER REGEXP...")
	}
	number, err := strconv.Atoi(args[0])
	ts.Check(err)
	all := serverOf(ts).Requests()
	if number < 1 || number > len(all) {
		ts.Fatalf("there are %d requests", len(all))
	}
	body := all[number-1].Body
	for _, pattern := range args[1:] {
		if regexp.MustCompile(pattern).Match(body) == neg {
			ts.Fatalf("%s in request %d: %s", pattern, number, body)
		}
	}
}
