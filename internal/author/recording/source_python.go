package recording

import (
	"regexp"
	"slices"
	"strings"
)

// unrecordedPython is like unrecorded for Python. An asterisk stands for everything in a module.
var unrecordedPython = map[string]string{
	"time.time": "aura.now", "time.time_ns": "aura.now", "time.localtime": "aura.now", "time.gmtime": "aura.now", "time.ctime": "aura.now", "time.strftime": "aura.now",
	"time.monotonic": "aura.now", "time.monotonic_ns": "aura.now", "time.perf_counter": "aura.now", "time.perf_counter_ns": "aura.now", "time.process_time": "",
	"datetime.datetime.now": "aura.now", "datetime.datetime.utcnow": "aura.now", "datetime.datetime.today": "aura.now", "datetime.date.today": "aura.now",
	"random.*": "aura.rand", "secrets.*": "aura.rand", "uuid.uuid1": "aura.rand", "uuid.uuid4": "aura.rand", "os.urandom": "aura.rand", "os.getrandom": "aura.rand",
	"open": "", "os.open": "", "os.listdir": "", "os.scandir": "", "os.walk": "", "os.stat": "", "os.path.exists": "", "os.getpid": "", "glob.*": "", "pathlib.*": "", "tempfile.*": "",
	"socket.*": "", "platform.*": "", "subprocess.*": "", "os.system": "", "os.popen": "", "urllib.request.*": "", "http.client.*": "", "requests.*": "", "httpx.*": "", "aiohttp.*": "",
}

// recordedPython are names in the modules above whose results depend on their arguments alone.
var recordedPython = []string{"random.Random", "pathlib.PurePath", "pathlib.PurePosixPath"}

var (
	pythonText   = regexp.MustCompile(`(?s)""".*?"""|'''.*?'''`)
	pythonParen  = regexp.MustCompile(`(?s)(import\s*)\(([^)]*)\)`)
	pythonImport = regexp.MustCompile(`^\s*import\s+([^#;]+)`)
	pythonFrom   = regexp.MustCompile(`^\s*from\s+([\w.]+)\s+import\s+([^#;]+)`)
	pythonName   = regexp.MustCompile(`[A-Za-z_][\w]*(?:\.[A-Za-z_]\w*)*`)
)

// pythonUse is a use in a line of a Python file.
type pythonUse struct {
	name, instead string
	line          int
}

// pythonUses returns what a Python file uses that a recording does not have, in order. It looks for names that the file imports, without
// understanding the language otherwise.
func pythonUses(text string) []pythonUse {
	text = pythonText.ReplaceAllStringFunc(text, blank)
	text = pythonParen.ReplaceAllStringFunc(text, func(s string) string {
		// The names come first, so that they are on the line of the import, and the empty lines after them.
		return strings.NewReplacer("(", "", ")", "", "\n", " ").Replace(s) + strings.Repeat("\n", strings.Count(s, "\n"))
	})
	lines := strings.Split(text, "\n")
	bound := map[string]string{"open": "open"}
	for _, line := range lines {
		bindPython(bound, line)
	}
	var out []pythonUse
	for i, line := range lines {
		line, _, _ = strings.Cut(line, "#")
		if pythonImport.MatchString(line) || pythonFrom.MatchString(line) {
			continue
		}
		for _, at := range pythonName.FindAllStringIndex(line, -1) {
			if at[0] > 0 && line[at[0]-1] == '.' {
				continue // an attribute of something else
			}
			head, rest, _ := strings.Cut(line[at[0]:at[1]], ".")
			if full, ok := bound[head]; ok {
				if name, instead, ok := notRecorded(strings.TrimSuffix(full+"."+rest, ".")); ok {
					out = append(out, pythonUse{name: name, instead: instead, line: i + 1})
				}
			}
		}
	}
	return out
}

// blank returns as many lines as a text has, without its content.
func blank(text string) string { return strings.Repeat("\n", strings.Count(text, "\n")) }

// bindPython adds the names that a line imports, with what they stand for.
func bindPython(bound map[string]string, line string) {
	if m := pythonImport.FindStringSubmatch(line); m != nil {
		for part := range strings.SplitSeq(m[1], ",") {
			path, alias := aliased(part)
			if alias == path {
				alias, _, _ = strings.Cut(path, ".")
				path = alias
			}
			bound[alias] = path
		}
	}
	if m := pythonFrom.FindStringSubmatch(line); m != nil {
		for part := range strings.SplitSeq(m[2], ",") {
			name, alias := aliased(part)
			bound[alias] = m[1] + "." + name
		}
	}
}

// aliased splits "name as alias".
func aliased(text string) (name, alias string) {
	words := strings.Fields(text)
	switch {
	case len(words) == 3 && words[1] == "as":
		return words[0], words[2]
	case len(words) == 1:
		return words[0], words[0]
	}
	return "", ""
}

// notRecorded looks for a full name, or for its module, in the table.
func notRecorded(full string) (name, instead string, ok bool) {
	if slices.Contains(recordedPython, full) {
		return "", "", false
	}
	if instead, ok := unrecordedPython[full]; ok {
		return full, instead, true
	}
	for at := full; strings.Contains(at, "."); {
		at = at[:strings.LastIndexByte(at, '.')]
		if instead, ok := unrecordedPython[at+".*"]; ok {
			return full, instead, true
		}
	}
	return "", "", false
}
