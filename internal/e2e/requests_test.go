//go:build unix

package e2e

import (
	"slices"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/idelchi/aura/internal/llm/llmtest"
)

func init() {
	commands["request"] = checkRequest
	commands["requests"] = countRequests
}

// serverKey is under which a script's server is kept.
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

// request NUMBER WHAT WANT... checks a request that has reached the server, numbered from 1. A WANT that begins with ~ is a
// regular expression; newlines are written as \n.
//
//	is LINE...      these are its messages: "system: Be brief.", "user: hi", "call ID: Echo {…}", "result ID: text" and so on
//	has LINE...     these are among them, and with ! none is
//	offers TOOL...  the model is offered these tools, and with ! none of them
//	model NAME      this is the model
func checkRequest(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: request NUMBER is|has|offers|model WANT...")
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
	default:
		ts.Fatalf("request %s: unknown check", args[1])
	}
	// among has heeded neg already.
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

// among reports whether all of the wanted lines are there or, if there is false, none of them.
func among(want, got []string, there bool) bool {
	for _, w := range want {
		if slices.ContainsFunc(got, func(line string) bool { return fits(w, line) }) != there {
			return false
		}
	}
	return true
}

// messagesOf writes down the messages of a request, without what only stands in for a user where a service wants a word.
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
