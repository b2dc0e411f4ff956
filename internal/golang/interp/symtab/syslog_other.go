//go:build windows || plan9

package symtab

// logSyslog is empty: this system has none.
var logSyslog = entry{path: "log/syslog"}
