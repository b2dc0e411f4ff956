package mcp

import (
	"maps"
	"runtime"
	"slices"
	"strings"
)

// passed holds the variables that a program inherits from aura's environment. They are needed to find files and the network.
// None of them holds a key.
var passed = []string{
	"PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "TZ", "LANG", "LANGUAGE", "TMPDIR", "TMP", "TEMP",
	"XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR",
	"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy", "SSL_CERT_FILE", "SSL_CERT_DIR",
	"TRACEPARENT", "TRACESTATE",
}

// passedWindows holds the additional variables that programs on Windows need.
var passedWindows = []string{
	"APPDATA", "COMSPEC", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "NUMBER_OF_PROCESSORS", "OS", "PATHEXT",
	"PROCESSOR_ARCHITECTURE", "PROGRAMDATA", "PROGRAMFILES", "PROGRAMFILES(X86)", "PROGRAMW6432", "SYSTEMDRIVE", "SYSTEMROOT",
	"USERNAME", "USERPROFILE", "WINDIR",
}

// environ returns the environment of a program: the harmless part of aura's environment, overridden by the server's own
// variables.
func environ(ours []string, own map[string]string) []string {
	var out []string
	seen := map[string]bool{}
	for _, entry := range ours {
		name, _, ok := strings.Cut(entry, "=")
		_, replaced := own[name]
		// If a variable occurs twice, the first one applies.
		if ok && !replaced && !seen[name] && harmless(name) {
			seen[name] = true
			out = append(out, entry)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(own)) {
		out = append(out, name+"="+own[name])
	}
	return out
}

func harmless(name string) bool {
	if runtime.GOOS == "windows" {
		name = strings.ToUpper(name)
		return slices.Contains(passed, name) || slices.Contains(passedWindows, name)
	}
	return slices.Contains(passed, name) || strings.HasPrefix(name, "LC_")
}
