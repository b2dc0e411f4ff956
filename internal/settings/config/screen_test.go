package config_test

import "testing"

// TestScreenRefused checks where the screen can be set, and how.
func TestScreenRefused(t *testing.T) {
	t.Parallel()
	const screen, only = user + "features/screen.yaml", "only the user's home decides about the screen"
	checkRefused(t, map[string]refused{
		"in a project":   {files{project + "features/screen.yaml": "screen: {theme: dark}\n"}, []string{"screen.yaml:1", only}},
		"in an agent":    {files{project + "agents/x.md": "---\nname: x\nfeatures:\n  screen: {status: date}\n---\n"}, []string{"x.md:4", only}},
		"unknown theme":  {files{screen: "screen: {theme: darc}\n"}, []string{"screen.yaml:1", `"darc" is none of auto, light, dark, plain`}},
		"unknown action": {files{screen: "screen: {keys: {sent: [enter]}}\n"}, []string{"screen.yaml:1", `"sent" is no action; did you mean "send"?`}},
		"a key twice":    {files{screen: "screen: {keys: {send: [f5], editor: [f5]}}\n"}, []string{`"f5" is given to both editor and send`}},
		"an empty key":   {files{screen: "screen: {keys: {send: [\"\"]}}\n"}, []string{"send has an empty key"}},
	})
}

// TestScreen checks the settings of the screen.
func TestScreen(t *testing.T) {
	t.Parallel()
	got := files{user + "features/screen.yaml": "screen: {status: date, keys: {send: [f5]}}\n"}.load(t).Features.Screen
	if got.Theme != "auto" || got.Status != "date" || len(got.Keys["send"]) != 1 {
		t.Errorf("got %+v", got)
	}
}
