package planted

import (
	"path/filepath"
	"slices"
)

// agentDirs lists the directories that aura and other agents take instructions, hooks and settings from. Below a directory that the
// user has allowed an agent to use, most of that takes effect without a question.
var agentDirs = []string{".aura", ".agent", ".agents", ".claude"}

// askedFor lists the files that other programs run, or take programs from, after they have asked the user.
var askedFor = []string{".envrc", ".mcp.json"}

// editorDir is a directory of an editor, and editorFiles the files in it that name programs.
const editorDir = ".vscode"

var editorFiles = []string{"tasks.json", "settings.json", "launch.json"}

// marked reports whether an entry may be one that other programs look for.
func marked(name string) bool {
	return slices.Contains(agentDirs, name) || slices.Contains(askedFor, name) || slices.Contains(editorFiles, name)
}

// shows reports whether a marked entry counts at a path.
func shows(path string) bool {
	return !slices.Contains(editorFiles, filepath.Base(path)) || filepath.Base(filepath.Dir(path)) == editorDir
}

// effective reports whether a marked entry takes effect in the working directory without a question.
func effective(workdir, path string) bool {
	return filepath.Dir(path) == workdir && slices.Contains(agentDirs, filepath.Base(path))
}
