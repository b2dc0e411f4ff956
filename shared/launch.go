package shared

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/idelchi/aura/internal/sandbox"
	"github.com/idelchi/aura/sdk"
)

// The descriptors a child is started with, beside the standard three. Standard input is empty, or a OnceCall; standard output carries
// the handshake and nothing else, or OnceAnswers; standard error carries all that the plugin prints. Windows has no further descriptors;
// there standard input is both of these.
const (
	// LaunchFD is where the child reads its LaunchSpec until end of file.
	LaunchFD = 3
	// LifelineFD reaches end of file when aura is gone, however it went.
	LifelineFD = 4
)

// LaunchSpec tells a child what to be. It travels on a descriptor, not in the environment, which belongs to the plugin.
type LaunchSpec struct {
	// Name is the plugin's name.
	Name string
	// Dir is the plugin's directory, absolute.
	Dir string
	// Unsafe grants the restricted packages, such as os/exec.
	Unsafe bool
	// MemoryBytes caps the child's data segment; 0 means no cap.
	MemoryBytes int64
	// SocketDir is where the child puts its socket.
	SocketDir string
	// Isolated is true if the child is the first process of a process namespace of its own, so that its descendants die with it.
	Isolated bool
	// PrivateMounts is true if the child has a mount namespace of its own, which it may still change.
	PrivateMounts bool
	// Once makes the child run the tool once, for the OnceCall on its standard input, and serve nothing.
	Once bool
	// Sandbox is what the child confines itself to before it has an interpreter; nil means that it does not.
	Sandbox *sandbox.Policy
	// Tool is what the plugin's Init receives.
	Tool sdk.ToolConfig
}

// Encode sends the specification.
func (s LaunchSpec) Encode(w io.Writer) error {
	if err := json.NewEncoder(w).Encode(s); err != nil {
		return fmt.Errorf("sending launch specification of plugin %q: %w", s.Name, err)
	}
	return nil
}

// ReadLaunchSpec receives a specification.
func ReadLaunchSpec(r io.Reader) (LaunchSpec, error) {
	var s LaunchSpec
	if err := json.NewDecoder(r).Decode(&s); err != nil {
		return LaunchSpec{}, fmt.Errorf("reading launch specification: %w", err)
	}
	return s, nil
}
