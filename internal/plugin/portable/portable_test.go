package portable_test

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/plugin/portable"
)

const (
	head    = `{"$schema":"` + portable.PluginSchema + `","name":"reports"`
	mcpHead = `{"$schema":"` + portable.MCPSchema + `","mcpServers":{`
)

// tree writes files into a new directory. A value that begins with "-> " is a link.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	top := t.TempDir()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		path := filepath.Join(top, filepath.FromSlash(name))
		err := os.MkdirAll(filepath.Dir(path), 0o755)
		if to, link := strings.CutPrefix(files[name], "-> "); link {
			err = errors.Join(err, os.Symlink(to, path))
		} else if strings.HasSuffix(name, "/") {
			err = errors.Join(err, os.MkdirAll(path, 0o755))
		} else {
			err = errors.Join(err, os.WriteFile(path, []byte(files[name]), 0o755))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(top, "p")
}

// TestManifest has a row for each rule about plugin.json. An empty fault means that the plugin is used.
func TestManifest(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct{ text, fault, note string }{
		"minimal":                {text: head + "}"},
		"full":                   {text: head + `,"version":"1","description":"d","author":{"name":"a","email":"b","url":"c"},"homepage":"h","repository":"r","license":"MIT","keywords":["k"],"extensions":{"com.example":{"x":1}}}`},
		"not JSON":               {text: "{", fault: "not valid JSON"},
		"two values":             {text: head + "}{}", fault: "not valid JSON"},
		"not an object":          {text: "[]", fault: "not a JSON object"},
		"unknown field":          {text: head + `,"skills":"x"}`, note: `unknown key "skills" is ignored`},
		"field in other case":    {text: head + `,"Version":1}`, note: `unknown key "Version" is ignored`},
		"extensions no object":   {text: head + `,"extensions":[]}`, note: "is ignored: it is not an object"},
		"foreign extension":      {text: head + `,"extensions":{"com.example":7}}`},
		"schema missing":         {text: `{"name":"reports"}`, fault: `"$schema": missing`},
		"schema of no string":    {text: `{"$schema":1,"name":"reports"}`, fault: "not a string"},
		"schema of other":        {text: strings.Replace(head, "1.0.0", "2.0.0", 1) + "}", fault: "2.0.0/plugin.schema.json\" is not a version that this aura supports"},
		"name missing":           {text: `{"$schema":"` + portable.PluginSchema + `"}`, fault: `"name": missing`},
		"name of no string":      {text: head + `,"name":1}`, fault: "not a string"},
		"description no string":  {text: head + `,"description":null}`, fault: `"description": it is not a string`},
		"version not semantic":   {text: head + `,"version":"newest","homepage":"no url","repository":"?","license":"my own","author":{"email":"nobody","url":"-"}}`},
		"author no object":       {text: head + `,"author":"me"}`, fault: `"author": it is not an object`},
		"author of other fields": {text: head + `,"author":{"phone":"1"}}`, fault: `unknown key "phone"`},
		"author of no strings":   {text: head + `,"author":{"name":1}}`, fault: "not a string"},
		"keywords no array":      {text: head + `,"keywords":"a"}`, fault: "not an array of strings"},
		"keywords of no strings": {text: head + `,"keywords":[1]}`, fault: "not an array of strings"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, err := portable.Open(tree(t, map[string]string{"p/plugin.json": row.text}))
			expect(t, err, row.fault)
			if notes := strings.Join(p.Notes, "\n"); (row.note == "") != (notes == "") || !strings.Contains(notes, row.note) {
				t.Errorf("notes: %q, want %q", notes, row.note)
			}
		})
	}
}

func expect(t *testing.T, err error, fault string) {
	t.Helper()
	switch {
	case fault == "" && err != nil:
		t.Error(err)
	case fault != "" && (err == nil || !strings.Contains(err.Error(), fault)):
		t.Errorf("error %v, want %q", err, fault)
	}
}

// TestNames has a row for each rule about the name of a plugin.
func TestNames(t *testing.T) {
	t.Parallel()
	for name, valid := range map[string]bool{
		"a": true, "my-plugin": true, "acme.tools": true, "lint3r": true, "a.-b": true, strings.Repeat("a", 64): true,
		"": false, strings.Repeat("a", 65): false, "My-Plugin": false, "a_b": false, "ä": false, "-start": false, "end-": false, ".start": false, "end.": false,
		"has--double": false, "too.many..dots": false, "a b": false,
	} {
		text := strings.Replace(head, "reports", name, 1) + "}"
		if _, err := portable.Open(tree(t, map[string]string{"p/plugin.json": text})); (err == nil) != valid {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// TestContained has a row for each place at which a link can lead out of a package.
func TestContained(t *testing.T) {
	t.Parallel()
	skill := "---\nname: s\ndescription: d\n---\nx\n"
	for name, row := range map[string]struct {
		files map[string]string
		// open is the fault that rejects the plugin. skills and servers are what is left, faults what is reported.
		open, skills, servers, faults string
	}{
		"manifest out":      {files: map[string]string{"out.json": head + "}", "p/plugin.json": "-> ../out.json"}, open: "leads out"},
		"manifest within":   {files: map[string]string{"p/real.json": head + "}", "p/plugin.json": "-> real.json"}},
		"manifest dangling": {files: map[string]string{"p/plugin.json": "-> none"}, open: "leads nowhere"},
		"manifest missing":  {files: map[string]string{"p/": ""}, open: "no such file"},
		"skills out":        {files: map[string]string{"p/plugin.json": head + "}", "x/s/SKILL.md": skill, "p/skills": "-> ../x", "p/mcp.json": mcpHead + `"a":{"type":"stdio","command":"x"}}}`}, servers: "a", faults: "skills/ is left out"},
		"skills no folder":  {files: map[string]string{"p/plugin.json": head + "}", "p/skills": "text", "p/mcp.json": mcpHead + `"a":{"type":"stdio","command":"x"}}}`}, servers: "a", faults: "not a directory"},
		"skills absent":     {files: map[string]string{"p/plugin.json": head + "}"}},
		"skill out":         {files: map[string]string{"p/plugin.json": head + "}", "x/SKILL.md": skill, "p/skills/a": "-> ../../x", "p/skills/s/SKILL.md": skill}, skills: "s", faults: "skill a is left out"},
		"skill file out":    {files: map[string]string{"p/plugin.json": head + "}", "x.md": skill, "p/skills/a/SKILL.md": "-> ../../../x.md", "p/skills/s/SKILL.md": skill}, skills: "s", faults: "skill a is left out"},
		"skill within":      {files: map[string]string{"p/plugin.json": head + "}", "p/real/SKILL.md": skill, "p/skills/s": "-> ../real"}, skills: "s"},
		"skill deeper":      {files: map[string]string{"p/plugin.json": head + "}", "p/skills/a/b/SKILL.md": skill, "p/skills/SKILL.md": skill}},
		"skill other case":  {files: map[string]string{"p/plugin.json": head + "}", "p/skills/a/skill.md": skill}},
		"skill no file":     {files: map[string]string{"p/plugin.json": head + "}", "p/skills/a/SKILL.md/": ""}},
		"servers out":       {files: map[string]string{"p/plugin.json": head + "}", "m.json": mcpHead + "}}", "p/mcp.json": "-> ../m.json", "p/skills/s/SKILL.md": skill}, skills: "s", faults: "mcp.json is left out: it leads out"},
		"servers no file":   {files: map[string]string{"p/plugin.json": head + "}", "p/mcp.json/": "", "p/skills/s/SKILL.md": skill}, skills: "s", faults: "mcp.json is left out"},
		"command out":       {files: map[string]string{"p/plugin.json": head + "}", "x": "", "p/x": "-> ../x", "p/mcp.json": mcpHead + `"a":{"type":"stdio","command":"./x"},"b":{"type":"stdio","command":"y"}}}`}, servers: "b", faults: `server "a" is left out`},
		"cwd out":           {files: map[string]string{"p/plugin.json": head + "}", "d/": "", "p/d": "-> ../d", "p/mcp.json": mcpHead + `"a":{"type":"stdio","command":"y","cwd":"./d"},"b":{"type":"stdio","command":"y"}}}`}, servers: "b", faults: `server "a" is left out`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, err := portable.Open(tree(t, row.files))
			expect(t, err, row.open)
			if err != nil {
				return
			}
			found, faults := p.Skills()
			servers, more := p.Servers()
			var skills, names, texts []string
			for _, s := range found {
				skills = append(skills, s.Dir)
			}
			for _, s := range servers {
				names = append(names, s.Name)
			}
			for _, f := range slices.Concat(faults, more) {
				texts = append(texts, f.String())
			}
			if got := strings.Join(skills, " "); got != row.skills {
				t.Errorf("skills %q, want %q", got, row.skills)
			}
			if got := strings.Join(names, " "); got != row.servers {
				t.Errorf("servers %q, want %q", got, row.servers)
			}
			if got := strings.Join(texts, "\n"); (got == "") != (row.faults == "") || !strings.Contains(got, row.faults) {
				t.Errorf("faults %q, want %q", got, row.faults)
			}
		})
	}
}

// TestServers has a row for each rule about mcp.json and its entries. The other server of each row stays.
func TestServers(t *testing.T) {
	t.Parallel()
	const good = `"good":{"type":"stdio","command":"x"}`
	for name, row := range map[string]struct{ entry, whole, fault string }{
		"stdio":                   {entry: `{"type":"stdio","command":"npx","args":["a"],"env":{"A":"b"},"cwd":"./"}`},
		"http":                    {entry: `{"type":"streamable-http","url":"https://a.example/mcp","headers":{"X-A":"b"}}`},
		"http of this machine":    {entry: `{"type":"streamable-http","url":"http://localhost:1/mcp"}`},
		"http of a loopback":      {entry: `{"type":"streamable-http","url":"http://[::1]:1/mcp"}`},
		"no servers":              {whole: `{"$schema":"` + portable.MCPSchema + `","mcpServers":{}}`},
		"not JSON":                {whole: `{"mcpServers":`, fault: "mcp.json is left out: it is not valid JSON"},
		"schema missing":          {whole: `{"mcpServers":{}}`, fault: `"$schema": missing`},
		"schema of other":         {whole: strings.Replace(mcpHead, "1.0.0", "1.1.0", 1) + "}}", fault: "is not a version that this aura supports"},
		"servers missing":         {whole: `{"$schema":"` + portable.MCPSchema + `"}`, fault: `"mcpServers": missing`},
		"servers no object":       {whole: `{"$schema":"` + portable.MCPSchema + `","mcpServers":[]}`, fault: "not an object"},
		"unknown top-level field": {whole: mcpHead + `},"inputs":[]}`, fault: `unknown key "inputs"`},
		"entry no object":         {entry: `1`, fault: "it is not an object"},
		"type missing":            {entry: `{"command":"x"}`, fault: `"type": missing`},
		"type unknown":            {entry: `{"type":"http","url":"https://a.example"}`, fault: `unknown type "http"`},
		"type without support":    {entry: `{"type":"sse","url":"https://a.example"}`, fault: "aura has no transport sse"},
		"field unknown":           {entry: `{"type":"stdio","command":"x","timeout":1}`, fault: `unknown key "timeout"`},
		"field of other type":     {entry: `{"type":"stdio","command":"x","url":"https://a.example"}`, fault: `unknown key "url"`},
		"command missing":         {entry: `{"type":"stdio"}`, fault: `"command": missing`},
		"command empty":           {entry: `{"type":"stdio","command":""}`, fault: "neither the bare name"},
		"command line":            {entry: `{"type":"stdio","command":"npx -y x"}`, fault: "arguments belong into args"},
		"command absolute":        {entry: `{"type":"stdio","command":"/bin/sh"}`, fault: "neither the bare name"},
		"command above":           {entry: `{"type":"stdio","command":"../x"}`, fault: "neither the bare name"},
		"command escapes":         {entry: `{"type":"stdio","command":"./a/../../x"}`, fault: "leads out"},
		"command placeholder":     {entry: `{"type":"stdio","command":"${PLUGIN_ROOT}/x"}`, fault: "neither the bare name"},
		"args no array":           {entry: `{"type":"stdio","command":"x","args":"a"}`, fault: "not an array"},
		"env no strings":          {entry: `{"type":"stdio","command":"x","env":{"A":1}}`, fault: "not a string"},
		"env reserved":            {entry: `{"type":"stdio","command":"x","env":{"PLUGIN_ROOT":"/"}}`, fault: "PLUGIN_ROOT is set by aura"},
		"env reserved data":       {entry: `{"type":"stdio","command":"x","env":{"PLUGIN_DATA":"/"}}`, fault: "PLUGIN_DATA is set by aura"},
		"cwd empty":               {entry: `{"type":"stdio","command":"x","cwd":""}`, fault: "it is empty"},
		"cwd bare":                {entry: `{"type":"stdio","command":"x","cwd":"data"}`, fault: "begins with neither"},
		"cwd absolute":            {entry: `{"type":"stdio","command":"x","cwd":"/tmp"}`, fault: "begins with neither"},
		"cwd root":                {entry: `{"type":"stdio","command":"x","cwd":"${PLUGIN_ROOT}"}`},
		"cwd below root":          {entry: `{"type":"stdio","command":"x","cwd":"${PLUGIN_ROOT}/a"}`},
		"cwd data":                {entry: `{"type":"stdio","command":"x","cwd":"${PLUGIN_DATA}"}`},
		"cwd like root":           {entry: `{"type":"stdio","command":"x","cwd":"${PLUGIN_ROOT}x"}`, fault: "begins with neither"},
		"cwd escapes root":        {entry: `{"type":"stdio","command":"x","cwd":"${PLUGIN_ROOT}/../x"}`, fault: "leads out"},
		"cwd escapes data":        {entry: `{"type":"stdio","command":"x","cwd":"${PLUGIN_DATA}/../x"}`, fault: "leads out"},
		"cwd escapes":             {entry: `{"type":"stdio","command":"x","cwd":"./.."}`, fault: "leads out"},
		"url missing":             {entry: `{"type":"streamable-http"}`, fault: `"url": missing`},
		"url relative":            {entry: `{"type":"streamable-http","url":"/mcp"}`, fault: "not an absolute URL"},
		"url of other scheme":     {entry: `{"type":"streamable-http","url":"ftp://a.example"}`, fault: "not an absolute URL"},
		"url with user":           {entry: `{"type":"streamable-http","url":"https://me@a.example"}`, fault: "a user or a password"},
		"url with fragment":       {entry: `{"type":"streamable-http","url":"https://a.example/#"}`, fault: "a fragment"},
		"url plain":               {entry: `{"type":"streamable-http","url":"http://a.example"}`, fault: "use https"},
		"url like this machine":   {entry: `{"type":"streamable-http","url":"http://localhost.example"}`, fault: "use https"},
		"header twice":            {entry: `{"type":"streamable-http","url":"https://a.example","headers":{"X-A":"1","x-a":"2"}}`, fault: "twice"},
		"header name":             {entry: `{"type":"streamable-http","url":"https://a.example","headers":{"X A":"1"}}`, fault: "not a valid header"},
		"header value":            {entry: `{"type":"streamable-http","url":"https://a.example","headers":{"X-A":"1\n2"}}`, fault: "not a valid header"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text, want := row.whole, 0
			if text == "" {
				text, want = mcpHead+good+`,"it":`+row.entry+"}}", 1
				if row.fault == "" {
					want = 2
				}
			}
			p, err := portable.Open(tree(t, map[string]string{"p/plugin.json": head + "}", "p/mcp.json": text}))
			if err != nil {
				t.Fatal(err)
			}
			servers, faults := p.Servers()
			if len(servers) != want {
				t.Errorf("%d servers, want %d", len(servers), want)
			}
			var texts []string
			for _, f := range faults {
				texts = append(texts, f.String())
			}
			if got := strings.Join(texts, "\n"); (got == "") != (row.fault == "") || !strings.Contains(got, row.fault) {
				t.Errorf("faults %q, want %q", got, row.fault)
			}
		})
	}
}

// TestOwnHeaders drops the headers that HTTP and MCP make.
func TestOwnHeaders(t *testing.T) {
	t.Parallel()
	p, err := portable.Open(tree(t, map[string]string{"p/plugin.json": head + "}", "p/mcp.json": mcpHead + `"a":{"type":"streamable-http","url":"https://a.example","headers":{"Accept":"x","mcp-SESSION-id":"1","X-A":"${PLUGIN_ROOT}"}}}}`}))
	if err != nil {
		t.Fatal(err)
	}
	servers, _ := p.Servers()
	if got := servers[0].Headers; len(got) != 1 || got["X-A"] != "${PLUGIN_ROOT}" {
		t.Errorf("headers: %v", got)
	}
}

// TestExpand has a row for each rule about placeholders.
func TestExpand(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"${PLUGIN_ROOT}/a:${PLUGIN_DATA}":                        "/root/a:${PLUGIN_ROOT}",
		"$PLUGIN_ROOT ${plugin_root} ${PLUGIN_ROOT:-x} $${HOME}": "$PLUGIN_ROOT ${plugin_root} ${PLUGIN_ROOT:-x} $${HOME}",
		"${PLUGIN_ROOT}${PLUGIN_ROOT}":                           "/root/root",
	} {
		if got := portable.Expand(text, "/root", "${PLUGIN_ROOT}"); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// TestWorkdir has a row for each form of cwd. A link in the directory for data is found when the server is started.
func TestWorkdir(t *testing.T) {
	t.Parallel()
	dir := tree(t, map[string]string{"p/plugin.json": head + "}", "data/inner/": "", "data/out": "-> /"})
	p, err := portable.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	data := filepath.Join(filepath.Dir(p.Root), "data")
	for cwd, want := range map[string]string{
		"": p.Root, "./": p.Root, "./a/b": filepath.Join(p.Root, "a/b"), "${PLUGIN_ROOT}/a": filepath.Join(p.Root, "a"), "${PLUGIN_DATA}": data, "${PLUGIN_DATA}/inner": filepath.Join(data, "inner"),
	} {
		if got, err := p.Workdir(cwd, data); err != nil || got != want {
			t.Errorf("%q: %s, %v, want %s", cwd, got, err, want)
		}
	}
	for cwd, fault := range map[string]string{"": "", "${PLUGIN_DATA}/inner": "", "${PLUGIN_DATA}/out": "leads out"} {
		at, err := p.Workdir(cwd, data)
		if err != nil {
			t.Fatal(err)
		}
		expect(t, p.Contained(cwd, at, data), fault)
	}
}

// FuzzOpen reads anything as both files of a package.
func FuzzOpen(f *testing.F) {
	f.Add(head+"}", mcpHead+`"a":{"type":"stdio","command":"./x","cwd":"${PLUGIN_DATA}/.."}}}`)
	f.Add("[]", "{")
	f.Fuzz(func(t *testing.T, manifest, servers string) {
		p, err := portable.Open(tree(t, map[string]string{"p/plugin.json": manifest, "p/mcp.json": servers}))
		if err != nil {
			return
		}
		list, _ := p.Servers()
		for _, s := range list {
			dir, err := p.Workdir(s.Cwd, p.Root)
			if rel, local := filepath.Rel(p.Root, dir); err != nil || local != nil || !filepath.IsLocal(rel) {
				t.Errorf("%q runs in %s: %v", s.Cwd, dir, err)
			}
		}
	})
}
