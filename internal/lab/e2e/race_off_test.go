//go:build !race && !raceaura

package e2e

var raceFlags []string
