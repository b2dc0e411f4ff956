package config

import (
	"regexp"
	"strings"
)

// reserved are the variables that an env file cannot set. They name programs and libraries that other programs load, options that
// every start of a program obeys, the places of aura's own files, and aura's own flags. An env file lies where tools can write, and
// its variables reach processes that nothing confines.
var reserved = regexp.MustCompile(`(?i)^(` + strings.Join([]string{
	// The dynamic linker, and what it loads into every program.
	`LD_.*`, `DYLD_.*`, `_RLD.*`, `GCONV_PATH`, `LOCPATH`, `MALLOC_.*`, `GLIBC_TUNABLES`, `OPENSSL_CONF`, `OPENSSL_MODULES`,
	// Shells.
	`PATH`, `BASH_ENV`, `BASH_FUNC_.*`, `BASHOPTS`, `ENV`, `SHELLOPTS`, `SHELL`, `IFS`, `CDPATH`, `PS4`, `PROMPT_COMMAND`, `ZDOTDIR`, `COMSPEC`, `PATHEXT`,
	// Git, and what it starts.
	`GIT_.*`, `SSH_ASKPASS.*`, `EDITOR`, `VISUAL`, `PAGER`, `LESSOPEN`, `LESSCLOSE`, `BROWSER`,
	// Options that interpreters and build tools take from the environment.
	`.*_OPTIONS`, `.*_OPTS`, `PYTHON(STARTUP|PATH|HOME|INSPECT|BREAKPOINT|WARNINGS|USERBASE|EXECUTABLE|PLATLIBDIR)`,
	`PERL5(OPT|LIB|DB)`, `PERLLIB`, `RUBY(OPT|LIB)`, `NODE_PATH`, `LUA_(INIT|PATH|CPATH).*`, `CLASSPATH`, `R_PROFILE.*`,
	`GOFLAGS`, `GOTOOLCHAIN`, `GOENV`, `GOROOT`, `CC`, `CXX`, `RUSTC.*`, `CARGO_BUILD_.*`, `MAKEFLAGS`, `NPM_CONFIG_.*`, `PIP_.*`,
	// aura itself, and where it keeps its files.
	`AURA_.*`, `HOME`, `USERPROFILE`, `XDG_.*_(HOME|DIRS)`, `XDG_RUNTIME_DIR`, `TMPDIR`, `TMP`, `TEMP`,
}, "|") + `)$`)

// Reserved reports whether an env file cannot set a variable.
func Reserved(name string) bool { return reservedFor(name) != "" }

// reservedFor is what a variable decides that an env file must not; empty if an env file can set it.
func reservedFor(name string) string {
	switch {
	case reserved.MatchString(name):
		return "changes which programs run and how"
	case namesAddress(name):
		return "decides which server gets conversations and tokens"
	default:
		return ""
	}
}

// lineOfVariable is the line of an env file that sets a variable; 1 if it is not found.
func lineOfVariable(text, name string) int {
	set := regexp.MustCompile(`^\s*(export\s+)?` + regexp.QuoteMeta(name) + `\s*[=:]`)
	line := 1
	for i, l := range strings.Split(text, "\n") {
		if set.MatchString(l) {
			line = i + 1 // the last one counts
		}
	}
	return line
}
