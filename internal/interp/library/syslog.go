//go:build !windows && !plan9

package library

var logSyslog = entry{"log/syslog", symbols_log_syslog, nil}
