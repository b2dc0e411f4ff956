package config_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/lab/testneed"
	"github.com/idelchi/aura/internal/settings/config"
)

func TestReserved(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"LD_PRELOAD", "LD_AUDIT", "DYLD_INSERT_LIBRARIES", "BASH_ENV", "ENV", "SHELLOPTS", "BASHOPTS", "IFS", "PS4", "GIT_SSH_COMMAND", "GIT_DIR",
		"JAVA_TOOL_OPTIONS", "NODE_OPTIONS", "PYTHONSTARTUP", "PYTHONPATH", "PERL5OPT", "RUBYOPT", "AURA_TRUST", "AURA_UNSAFE_PLUGINS", "PATH", "HOME",
		"XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR", "TMPDIR", "ld_preload", "Path", "BASH_FUNC_ls%%", "GOFLAGS",
		"OPENAI_BASE_URL", "ANTHROPIC_BASE_URL", "GOOGLE_GEMINI_BASE_URL", "OLLAMA_HOST", "openai_base_url",
		"OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_HEADERS", "OTEL_TRACES_EXPORTER", "otel_service_name", "TRACEPARENT", "TRACESTATE",
		"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "all_proxy", "no_proxy",
		"SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS", "CURL_CA_BUNDLE", "NODE_TLS_REJECT_UNAUTHORIZED",
	} {
		if config.ReservedFor(name) == "" {
			t.Errorf("an env file can set %s", name)
		}
	}
	for _, name := range []string{"API_KEY", "OPENAI_API_KEY", "MY_PATH", "BUILD_ENV", "HOMEPAGE", "LANG", "TZ", "PROXY_USER", "SSL_MODE", "OPTIONS", "SHOP_BASE_URL", "GITHUB_TOKEN", "PYTHONUNBUFFERED"} {
		if config.ReservedFor(name) != "" {
			t.Errorf("an env file cannot set %s", name)
		}
	}
}

func TestProcessEnviron(t *testing.T) {
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "a=b")
	t.Setenv("OTEL_SERVICE_NAME", "mine")
	environ := config.ProcessEnviron()
	if value, set := config.Lookup(environ, "OTEL_EXPORTER_OTLP_HEADERS"); set {
		t.Errorf("the headers are %q", value)
	}
	if value, _ := config.Lookup(environ, "OTEL_SERVICE_NAME"); value != "mine" {
		t.Errorf("the name is %q", value)
	}
}

func TestReservedHasNoEffect(t *testing.T) {
	t.Parallel()
	c := files{
		"work/secrets.env":       "A=1\n\nexport LD_PRELOAD=/x.so\nPATH=/x\n",
		"work/task.env":          "B=1\nBASH_ENV=/x\n",
		project + "tasks/t.yaml": "t: {env_file: task.env, env: {PATH: /mine}}",
	}.load(t)
	for _, name := range []string{"LD_PRELOAD", "PATH"} {
		if value, set := config.Lookup(c.Environ, name); set {
			t.Errorf("%s is %q", name, value)
		}
	}
	if value, _ := config.Lookup(c.Environ, "A"); value != "1" {
		t.Errorf("A is %q", value)
	}
	told := filepath.ToSlash(strings.Join(c.Notices, "\n"))
	if !strings.Contains(told, "work/secrets.env:3: LD_PRELOAD is ignored") || !strings.Contains(told, "work/secrets.env:4: PATH is ignored") {
		t.Errorf("told %s", told)
	}
	task := c.Tasks["t"]
	values, err := task.Environment()
	if err != nil || len(values) != 2 || values["B"] != "1" || values["PATH"] != "/mine" {
		t.Errorf("the task has %v, %v", values, err)
	}
	if told := task.Ignored(); len(told) != 1 || !strings.Contains(told[0], "task.env:2: BASH_ENV is ignored") {
		t.Errorf("told %v", told)
	}
}

// full is a project with content in every place that Safe ignores.
var full = files{
	"work/secrets.env":              "FROM_FILE=1",
	project + "providers/p.yaml":    "p: {type: openai, url: 'http://${SET}/v1', token: '${SET}', timeout: '${WAIT}', retry: {max_attempts: '${N}'}}",
	project + "features/t.yaml":     "tools: {max_steps: 7}",
	project + "mcp/m.yaml":          "m: {url: '${SET}/mcp'}",
	user + "providers/mine.yaml":    "mine: {type: script}",
	"work/named/config/agents/a.md": "---\nname: named\n---\n",
}

func TestSafe(t *testing.T) {
	t.Parallel()
	o := full.options(t)
	o.Environ = append(o.Environ, "N=3")
	o.Safe = true
	c := load(t, o)
	if _, set := config.Lookup(c.Environ, "FROM_FILE"); set || len(c.Providers) != 1 || c.Features.Tools.MaxSteps != 50 || len(c.MCPServers) != 0 || len(c.PluginRoots()) != 1 {
		t.Errorf("something of the project is in force: %+v", c)
	}
	if c.Project != filepath.Join(o.Workdir, ".aura") {
		t.Errorf("the project is %s", c.Project)
	}
	o.Configs, o.EnvFiles = []string{"named"}, []string{"secrets.env"}
	c = load(t, o)
	if _, set := config.Lookup(c.Environ, "FROM_FILE"); !set || len(c.Agents) != 1 {
		t.Errorf("what the command line names is left out: %v", c.Agents)
	}
}

func TestText(t *testing.T) {
	t.Parallel()
	o := full.options(t)
	o.Environ = append(o.Environ, "N=3")
	o.Text = true
	c := load(t, o)
	p := c.Providers["p"]
	if p.URL != "http://${SET}/v1" || p.Token != "${SET}" || p.Timeout.String() != "3s" || p.Retry.MaxAttempts != 3 || c.MCPServers["m"].URL != "${SET}/mcp" {
		t.Errorf("got %+v, %+v", p, c.MCPServers["m"])
	}
	if _, set := config.Lookup(c.Environ, "FROM_FILE"); set {
		t.Error("an env file is in force")
	}
	var names []string
	for _, r := range c.References {
		if filepath.Base(r.File) == "p.yaml" {
			names = append(names, r.Name)
		}
	}
	slices.Sort(names)
	if want := []string{"N", "SET", "SET", "WAIT"}; !slices.Equal(names, want) {
		t.Errorf("references are %v, want %v", names, want)
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	empty := ""
	for name, row := range map[string]struct {
		files   files
		change  func(*config.Options)
		home    bool
		envFile bool
	}{
		"nothing":            {files{}, nil, false, false},
		"both":               {full, nil, true, true},
		"empty env file":     {files{"work/secrets.env": ""}, nil, false, false},
		"named config":       {full, func(o *config.Options) { o.Configs = []string{"named"} }, false, false},
		"config elsewhere":   {full, func(o *config.Options) { o.Configs = []string{"../me/.aura"} }, false, true},
		"named env file":     {full, func(o *config.Options) { o.EnvFiles = []string{"secrets.env"} }, true, false},
		"the user's own":     {files{"me/.aura/x": ""}, func(o *config.Options) { o.Workdir = o.UserHome }, false, false},
		"no user":            {full, func(o *config.Options) { o.Home = &empty }, true, true},
		"as the user's home": {full, func(o *config.Options) { mine := ".aura"; o.Home = &mine }, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := row.files.options(t)
			if row.change != nil {
				row.change(&o)
			}
			f, err := config.Find(o)
			if err != nil || (f.Home != "") != row.home || (f.EnvFile != "") != row.envFile {
				t.Errorf("got %+v, %v", f, err)
			}
		})
	}
}

func TestFindThroughLink(t *testing.T) {
	t.Parallel()
	o := full.options(t)
	link := filepath.Join(t.TempDir(), "link")
	testneed.Link(t, o.Workdir, link)
	direct, err := config.Find(o)
	if err != nil {
		t.Fatal(err)
	}
	o.Workdir = link
	if f, err := config.Find(o); err != nil || f.Dir != direct.Dir || f.Base != link {
		t.Errorf("got %+v, want the directory %s, %v", f, direct.Dir, err)
	}
}

func TestTrustRule(t *testing.T) {
	t.Parallel()
	for want, f := range map[config.TrustRule]files{
		config.TrustAny:    {},
		config.TrustPinned: {user + "features/trust.yaml": "trust: pinned"},
	} {
		if got, err := config.Rule(f.options(t)); err != nil || got != want {
			t.Errorf("got %s, %v, want %s", got, err, want)
		}
		f.load(t)
	}
	checkRefused(t, map[string]refused{
		"in a project":    {files{project + "features/trust.yaml": "trust: any"}, []string{`features/trust.yaml:1: key "trust": only the user's home decides`}},
		"in an agent":     {files{project + "agents/a.md": "---\nname: a\nfeatures: {trust: any}\n---\n"}, []string{`key "features.trust": only the user's home`}},
		"something else":  {files{user + "features/trust.yaml": "trust: never"}, []string{`"never" is neither any nor pinned`}},
		"of another type": {files{user + "features/trust.yaml": "trust: [a]"}, []string{"features/trust.yaml:1"}},
	})
}

func TestSettings(t *testing.T) {
	t.Parallel()
	c := files{
		project + "sandbox/s.yaml":   "sandbox:\n  enabled: false\n  extra: {rw: [a, b]}\n",
		project + "agents/a.md":      "---\nname: a\ntools: {policy: {auto: [Bash]}}\nhooks: {disabled: [h]}\nfeatures: {sandbox: {network: on}}\n---\n",
		user + "features/tools.yaml": "tools: {max_steps: 3}",
	}.load(t)
	var got []string
	for _, s := range c.Settings(config.Home{Dir: c.Project}) {
		got = append(got, s.Of+"|"+s.Key+"|"+s.Value)
	}
	want := []string{
		"|sandbox.enabled|false", "|sandbox.extra.rw|a, b", "agent a|sandbox.network|on", "agent a|tools.policy.auto|Bash", "agent a|hooks.disabled|h",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
