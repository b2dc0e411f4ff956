package python

// Forget forgets the answers of this process, as another process does.
func Forget() { answers.Clear() }

// ParseProject reads the text of a pyproject.toml.
var ParseProject = parseProject
