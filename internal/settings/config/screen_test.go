package config_test

import (
	"testing"
	"time"
)

// TestScreenRefused checks where the screen and the other settings of the user alone can be set, and how.
func TestScreenRefused(t *testing.T) {
	t.Parallel()
	const screen, only = user + "features/screen.yaml", "only the user's home decides about the screen"
	checkRefused(t, map[string]refused{
		"in a project":               {files{project + "features/screen.yaml": "screen: {theme: dark}\n"}, []string{"screen.yaml:1", only}},
		"in an agent":                {files{project + "agents/x.md": "---\nname: x\nfeatures:\n  screen: {status: date}\n---\n"}, []string{"x.md:4", only}},
		"a verifier in a project":    {files{project + "features/plugins.yaml": "plugins: {verify: x}\n"}, []string{"plugins.yaml:1", "only the user's home decides what verifies plugins"}},
		"a verifier in an agent":     {files{project + "agents/x.md": "---\nname: x\nfeatures:\n  plugins: {verify: x}\n---\n"}, []string{"x.md:4", "only the user's home decides what verifies plugins"}},
		"unknown theme":              {files{screen: "screen: {theme: darc}\n"}, []string{"screen.yaml:1", `"darc" is none of auto, light, dark, plain`}},
		"unknown notification":       {files{screen: "screen: {notify: beep}\n"}, []string{"screen.yaml:1", `"beep" is none of bell, osc9, osc777, off`}},
		"no time for a notification": {files{screen: "screen: {notify_after: 0s}\n"}, []string{"screen.yaml:1", "0s is not positive"}},
		"notifications in a project": {files{project + "features/screen.yaml": "screen: {notify_after: 1s}\n"}, []string{"screen.yaml:1", only}},
		"unknown action":             {files{screen: "screen: {keys: {sent: [enter]}}\n"}, []string{"screen.yaml:1", `"sent" is no action; did you mean "send"?`}},
		"a key twice":                {files{screen: "screen: {keys: {send: [f5], editor: [f5]}}\n"}, []string{`"f5" is given to both editor and send`}},
		"an empty key":               {files{screen: "screen: {keys: {send: [\"\"]}}\n"}, []string{"send has an empty key"}},
	})
}

// TestScreen checks the settings of the screen.
func TestScreen(t *testing.T) {
	t.Parallel()
	got := files{user + "features/screen.yaml": "screen: {status: date, keys: {send: [f5]}, notify_after: 3s}\n"}.load(t).Features.Screen
	if got.Theme != "auto" || got.Notify != "bell" || got.NotifyAfter != 3*time.Second || got.Status != "date" || len(got.Keys["send"]) != 1 {
		t.Errorf("got %+v", got)
	}
}
