// Package audit writes what the administrator of a machine wants to know about, one line of JSON for each fact: consents, approvals, refused calls
// and connections, and what happens to plugins.
//
// Whoever changes such a thing calls Record, also in commands without a session. The lines go to the log of the process, which the policy of the
// machine opens; without one, Record does nothing. Lines are written in the order of their calls by one goroutine. A destination that is slow or
// fails delays nobody, unless the policy wants to stop what is not recorded.
package audit
