// Package placement writes the specifications by which a scheduler runs the workers of a fleet: Kubernetes, Nomad, systemd or
// Docker Compose.
//
// A specification contains names of secrets, never values. It asks for what aura's sandbox needs, and for nothing else.
package placement
