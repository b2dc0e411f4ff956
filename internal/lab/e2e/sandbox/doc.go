// Package sandbox attacks aura as confined code, a cloned repository and a stranger would.
package sandbox
