//go:build !windows && !plan9

package symtab

var logSyslog = entry{"log/syslog", symbols_log_syslog, nil}
