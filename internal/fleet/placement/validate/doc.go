// Package validate checks the specifications of internal/fleet/placement with the schedulers' own types. It has only tests.
//
// It is a module of its own, so that aura does not depend on Kubernetes, Nomad and Compose. It reads the files that the tests of
// internal/fleet/placement compare with what aura writes.
package validate
