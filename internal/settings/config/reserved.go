package config

import (
	"regexp"
	"strings"
	"sync"
)

// reserved matches the variables that an env file cannot set. They name programs and libraries that other programs load, options
// that apply to every start of a program, the locations of aura's own files, and aura's own flags. Tools can write to the
// location of an env file, and its variables reach processes that are not confined.
var reserved = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)^(` + strings.Join(reservedNames, "|") + `)$`) })

// reservedNames are regular expressions of reserved names.
var reservedNames = []string{
	// The dynamic linker, and the libraries that it loads into every program.
	`LD_.*`, `DYLD_.*`, `_RLD.*`, `GCONV_PATH`, `LOCPATH`, `MALLOC_.*`, `GLIBC_TUNABLES`, `OPENSSL_CONF`, `OPENSSL_MODULES`,
	// Shells.
	`PATH`, `BASH_ENV`, `BASH_FUNC_.*`, `BASHOPTS`, `ENV`, `SHELLOPTS`, `SHELL`, `IFS`, `CDPATH`, `PS4`, `PROMPT_COMMAND`, `ZDOTDIR`, `COMSPEC`, `PATHEXT`,
	// Git, and the programs that it starts.
	`GIT_.*`, `SSH_ASKPASS.*`, `EDITOR`, `VISUAL`, `PAGER`, `LESSOPEN`, `LESSCLOSE`, `BROWSER`,
	// Options that interpreters and build tools take from the environment.
	`.*_OPTIONS`, `.*_OPTS`, `PYTHON(STARTUP|PATH|HOME|INSPECT|BREAKPOINT|WARNINGS|USERBASE|EXECUTABLE|PLATLIBDIR)`,
	`PERL5(OPT|LIB|DB)`, `PERLLIB`, `RUBY(OPT|LIB)`, `NODE_PATH`, `LUA_(INIT|PATH|CPATH).*`, `CLASSPATH`, `R_PROFILE.*`,
	`GOFLAGS`, `GOTOOLCHAIN`, `GOENV`, `GOROOT`, `CC`, `CXX`, `RUSTC.*`, `CARGO_BUILD_.*`, `MAKEFLAGS`, `NPM_CONFIG_.*`, `PIP_.*`,
	// aura itself, and the locations of its files.
	`AURA_.*`, `HOME`, `USERPROFILE`, `XDG_.*_(HOME|DIRS)`, `XDG_RUNTIME_DIR`, `TMPDIR`, `TMP`, `TEMP`,
}

// telemetry matches the variables by which the user asks for traces and metrics, and those that say where a trace begins.
var telemetry = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)^(OTEL_.*|TRACEPARENT|TRACESTATE)$`) })

// proxies matches the variables that decide through which server programs connect, and which servers they believe.
var proxies = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^((HTTP|HTTPS|FTP|ALL|NO|SOCKS|WS|WSS)_PROXY|SSL_CERT_(FILE|DIR)|(REQUESTS|CURL|AWS)_CA_BUNDLE|NODE_EXTRA_CA_CERTS|NODE_TLS_REJECT_UNAUTHORIZED)$`)
})

// reservedFor returns what a variable controls that an env file must not control. It is empty if an env file can set the
// variable.
func reservedFor(name string) string {
	switch {
	case reserved().MatchString(name):
		return "changes which programs run and how"
	case proxies().MatchString(name):
		return "decides through which server programs connect, or which servers they believe"
	case telemetry().MatchString(name):
		return "decides which server gets traces"
	case namesAddress(name):
		return "decides which server gets conversations and tokens"
	default:
		return ""
	}
}

// lineOfVariable returns the line of an env file that sets a variable, or 1 if none is found.
func lineOfVariable(text, name string) int {
	set := regexp.MustCompile(`^\s*(export\s+)?` + regexp.QuoteMeta(name) + `\s*[=:]`)
	line := 1
	for i, l := range strings.Split(text, "\n") {
		if set.MatchString(l) {
			line = i + 1 // the last one takes effect
		}
	}
	return line
}
