//go:build !linux

package main

import "github.com/idelchi/aura/shared"

// limitProcess does nothing: the system has no suitable limits, so only the limits of the runtime apply.
func limitProcess(shared.LaunchSpec) {}
