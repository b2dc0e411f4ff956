package setup

import (
	"slices"
	"strings"
)

// usualVariables are the variables of aura's environment that Bash, shell hooks and bash: conditions see: those that programs
// need to find files, and those that describe the terminal, the language and the build tools. A name may end in *. Any other
// variable may contain a secret, whatever its name is.
var usualVariables = []string{
	"PATH", "HOME", "USER", "LOGNAME", "SHELL", "PWD", "OLDPWD", "SHLVL", "HOSTNAME", "TMPDIR", "TMP", "TEMP", "TZ", "TZDIR",
	"TERM", "TERMINFO", "COLORTERM", "COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "LS_COLORS",
	"LANG", "LANGUAGE", "LC_*", "CHARSET", "EDITOR", "VISUAL", "PAGER", "LESS", "LESSCHARSET", "MANPATH", "INFOPATH", "CI",
	"XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_DATA_DIRS", "XDG_CONFIG_DIRS",
	// Compilers and builds.
	"CC", "CXX", "CPP", "LD", "AR", "CFLAGS", "CXXFLAGS", "CPPFLAGS", "LDFLAGS", "PKG_CONFIG_PATH", "MAKEFLAGS", "CMAKE_*", "NINJA_STATUS",
	"CGO_*", "GOPATH", "GOROOT", "GOBIN", "GOCACHE", "GOMODCACHE", "GOTMPDIR", "GOENV", "GOFLAGS", "GOPROXY", "GOPRIVATE", "GONOPROXY",
	"GONOSUMDB", "GOSUMDB", "GONOSUMCHECK", "GOINSECURE", "GOVCS", "GOWORK", "GOTOOLCHAIN", "GO111MODULE", "GOOS", "GOARCH", "GOARM",
	"GOAMD64", "GOARM64", "GOEXPERIMENT", "GOMAXPROCS", "GOMEMLIMIT", "GOGC", "GODEBUG", "GORACE", "GOTRACEBACK", "GOCOVERDIR",
	"CARGO_HOME", "CARGO_TARGET_DIR", "CARGO_BUILD_JOBS", "CARGO_INCREMENTAL", "CARGO_TERM_COLOR", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN",
	"RUSTFLAGS", "RUST_BACKTRACE", "RUST_LOG", "JAVA_HOME", "JDK_HOME", "GRADLE_HOME", "GRADLE_USER_HOME", "M2_HOME", "MAVEN_HOME", "ANDROID_HOME",
	"NODE_ENV", "NODE_PATH", "NODE_EXTRA_CA_CERTS", "NVM_DIR", "NVM_BIN", "VOLTA_HOME", "PNPM_HOME", "npm_config_cache", "npm_config_prefix",
	"VIRTUAL_ENV", "CONDA_PREFIX", "CONDA_DEFAULT_ENV", "PYENV_ROOT", "PYENV_VERSION", "PYTHONPATH", "PYTHONHOME", "PYTHONDONTWRITEBYTECODE",
	"PYTHONUNBUFFERED", "PYTHONHASHSEED", "PIP_CACHE_DIR", "UV_CACHE_DIR", "POETRY_CACHE_DIR", "GEM_HOME", "GEM_PATH", "RBENV_ROOT", "BUNDLE_PATH",
	"ASDF_DIR", "ASDF_DATA_DIR", "MISE_DATA_DIR", "SDKMAN_DIR", "DOTNET_ROOT", "SOURCE_DATE_EPOCH", "NIX_PATH", "NIX_PROFILES", "LOCALE_ARCHIVE",
	// The network. A proxy's password is not passed on; see harmless.
	"SSL_CERT_FILE", "SSL_CERT_DIR", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "GIT_SSL_CAINFO", "http_proxy", "https_proxy", "ftp_proxy",
	"all_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "FTP_PROXY", "ALL_PROXY", "NO_PROXY",
	// Variables that Windows programs require.
	"SystemRoot", "SYSTEMROOT", "SystemDrive", "ComSpec", "COMSPEC", "PATHEXT", "WINDIR", "windir", "USERPROFILE", "APPDATA", "LOCALAPPDATA",
	"ProgramFiles", "ProgramData", "NUMBER_OF_PROCESSORS", "PROCESSOR_ARCHITECTURE",
}

// environment returns the environment of command lines: the usual variables, the variables that the settings name, and the
// variables of the task.
func environment(environ, named []string, task map[string]string) []string {
	kept := slices.DeleteFunc(slices.Clone(environ), func(entry string) bool {
		name, value, _ := strings.Cut(entry, "=")
		return !matches(named, name) && (!matches(usualVariables, name) || !harmless(name, value))
	})
	return WithTask(kept, task)
}

// matches reports whether a name matches one of the patterns.
func matches(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		start, open := strings.CutSuffix(pattern, "*")
		return name == pattern || open && strings.HasPrefix(name, start)
	})
}

// harmless reports whether a usual variable contains no password. URLs of proxies, including GOPROXY, may contain one.
func harmless(name, value string) bool {
	if lower := strings.ToLower(name); !strings.HasSuffix(lower, "_proxy") && name != "GOPROXY" {
		return true
	}
	return !strings.Contains(value, "@")
}
