package shared

import (
	"fmt"
	"io"

	"github.com/idelchi/aura/internal/system/sandbox"
	"github.com/idelchi/aura/sdk"
)

// The descriptors that a child is started with, in addition to the three standard ones. Standard input is empty, or contains a
// OnceCall. Standard output carries only the handshake, or OnceAnswers. Standard error carries everything that the plugin
// prints. Windows passes no further descriptors; there, standard input replaces both of these.
const (
	// LifelineFD reaches end of file when aura has exited, for whatever reason.
	LifelineFD = 3
	// LaunchFD is the descriptor from which the child reads its LaunchSpec until end of file.
	LaunchFD = 4
	// GrantsFD is the first of the descriptors that come with the policy; see sandbox.Policy.Receive.
	GrantsFD = 5
)

// LaunchSpec configures a child. It is sent on a descriptor, not in the environment, because the environment belongs to the
// plugin.
type LaunchSpec struct {
	// Name is the plugin's name.
	Name string
	// Dir is the absolute path of the plugin's directory.
	Dir string
	// Unsafe permits the restricted packages, such as os/exec.
	Unsafe bool
	// MemoryBytes limits the child's data segment; 0 means no limit.
	MemoryBytes int64
	// Processors is how many processors the child may use; 0 means all that it can run on.
	Processors int
	// SocketDir is the directory for the child's socket.
	SocketDir string
	// Isolated is true if the child is the first process of its own process namespace, so that its descendants die with it.
	Isolated bool
	// PrivateMounts is true if the child has its own mount namespace, which it may still change.
	PrivateMounts bool
	// Once makes the child run the tool once, for the OnceCall on its standard input. The child then serves no other calls.
	Once bool
	// Sandbox is the policy to which the child confines itself before it creates an interpreter; nil means that it does not.
	Sandbox *sandbox.Policy
	// Tool is passed to the plugin's Init.
	Tool sdk.ToolConfig
	// Lowered is what an earlier child returned in its Exports; it may be empty.
	Lowered []byte
	// Guest is the program that runs a plugin that is not interpreted Go; nil for interpreted Go.
	Guest *Guest
}

// Guest is a program that runs a plugin as a child process of aura-plugin-host.
type Guest struct {
	// Program is the absolute path of the program, and Args are its arguments, without the program itself.
	Program string
	Args    []string
}

// Encode writes the specification to w.
func (s LaunchSpec) Encode(w io.Writer) error {
	if err := encoder.NewEncoder(w).Encode(s); err != nil {
		return fmt.Errorf("sending launch specification of plugin %q: %w", s.Name, err)
	}
	return nil
}

// ReadLaunchSpec reads a specification from r.
func ReadLaunchSpec(r io.Reader) (LaunchSpec, error) {
	var s LaunchSpec
	if err := decoder.NewDecoder(r).Decode(&s); err != nil {
		return LaunchSpec{}, fmt.Errorf("reading launch specification: %w", err)
	}
	return s, nil
}
