//go:build unix

package scripts

import (
	"slices"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/idelchi/aura/internal/agent/llm/llmtest"
)

func init() {
	commands["request"] = checkRequest
	commands["requests"] = countRequests
}

// serverKey is the key under which a script's server is stored.
type serverKey struct{}

// requests COUNT checks how many requests have reached the server.
func countRequests(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: requests COUNT")
	}
	if got := strconv.Itoa(len(serverOf(ts).Requests())); got != args[0] {
		ts.Fatalf("%s requests were made", got)
	}
}

// request NUMBER WHAT WANT... checks a request that reached the server. Requests are numbered from 1. A WANT that begins with ~ is a
// regular expression; newlines are written as \n.
//
//	is LINE...      the messages are exactly these: "system: Be brief.", "user: hi", "call ID: Echo {…}", "result ID: text" and so on
//	has LINE...     all of these are among the messages; with !, none of them is
//	offers TOOL...  the request offers all of these tools; with !, none of them
//	model NAME      the model has this name
//	searches        the service may search the web; with !, it may not
func checkRequest(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: request NUMBER is|has|offers|model|searches WANT...")
	}
	number, err := strconv.Atoi(args[0])
	ts.Check(err)
	all := serverOf(ts).Requests()
	if number < 1 || number > len(all) {
		ts.Fatalf("there are %d requests", len(all))
	}
	request, want := all[number-1], args[2:]
	ok := false
	switch args[1] {
	case "is":
		ok = slices.EqualFunc(want, messagesOf(request), fits)
	case "has":
		ok = among(want, messagesOf(request), !neg)
	case "offers":
		ok = among(want, request.Tools(), !neg)
	case "model":
		ok = len(want) == 1 && fits(want[0], asText(request.JSON()["model"]))
	case "searches":
		ok = len(want) == 0 && request.Searches() != 0
	default:
		ts.Fatalf("request %s: unknown check", args[1])
	}
	// among has already handled neg.
	if negated := neg && args[1] != "has" && args[1] != "offers"; ok == negated {
		ts.Fatalf("request %d is\n  %s\nwith tools %v", number, strings.Join(messagesOf(request), "\n  "), request.Tools())
	}
}

func serverOf(ts *testscript.TestScript) *llmtest.Server {
	server, ok := ts.Value(serverKey{}).(*llmtest.Server)
	if !ok {
		ts.Fatalf("this script has no server")
	}
	return server
}

// among reports whether all wanted lines are in got or, if there is false, none of them.
func among(want, got []string, there bool) bool {
	for _, w := range want {
		if slices.ContainsFunc(got, func(line string) bool { return fits(w, line) }) != there {
			return false
		}
	}
	return true
}

// messagesOf returns the messages of a request as lines, without the placeholder that is sent because a service requires a
// user message.
func messagesOf(request llmtest.Request) []string {
	var out []string
	for _, line := range request.Lines() {
		out = append(out, strings.ReplaceAll(line, "\n", `\n`))
	}
	if n := len(out); n > 1 && out[n-1] == "user: Continue." {
		out = out[:n-1]
	}
	return out
}
