// Package machinepolicy reads the policy of this machine: what its administrator permits aura to do, whoever runs it. It is not the tool
// policy of internal/agent/policy, which decides about the calls of a model.
//
// A policy only restricts. Files of homes and projects, flags, variables and front ends cannot change where it is read from, and cannot
// widen it. A policy that cannot be read or understood is an error, never an absent policy.
//
// Table (keys.go) has a row for each key: how several files act together, what the key restricts, and where this is enforced. To add a key,
// add a field to the document, a row to the table, and a method that answers whether something is permitted.
package machinepolicy
