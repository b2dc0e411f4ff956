package sandbox

// ConfinedArgument is the hidden first argument of a child of Start. The executable must then call Confined with the next argument
// before it does anything else, and run what the arguments after that ask for only if Confined returns nil.
const ConfinedArgument = "__confined"

// verdict is what a child of Start answers once: what it enforces, or why it could not confine itself.
type verdict struct {
	Report Report `json:"report"`
	Fault  string `json:"fault,omitempty"`
}

// order is what a child reads first: the policy, and what its parent could set up for it. Layers asks for mounts instead; see mountByHelper.
type order struct {
	Policy    Policy    `json:"policy"`
	Isolation Isolation `json:"isolation"`
	Layers    []layer   `json:"layers,omitempty"`
}
