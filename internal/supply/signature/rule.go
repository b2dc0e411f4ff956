package signature

// Rule says whether plugins need a signature.
type Rule string

// The rules, from the least strict to the strictest.
const (
	// Off looks at no signature.
	Off Rule = "off"
	// Preferred takes what has no signature, or one of a key that nobody listed, and refuses wrong signatures.
	Preferred Rule = "preferred"
	// Required refuses what has no signature of an allowed signer.
	Required Rule = "required"
)

// Rules lists the rules, the strictest last.
var Rules = []Rule{Off, Preferred, Required}

// Policy is what holds for a source: the rule, and the keys that count.
type Policy struct {
	Rule    Rule
	Allowed []Signer
	// Refused is why nothing may come from the source; nil if it may. Permit returns why a plugin with this name may not; nil permits all.
	Refused error
	Permit  func(name string) error
}

// Permitted returns why a plugin from the source may not be used, or nil.
func (p Policy) Permitted(name string) error {
	if p.Refused != nil || p.Permit == nil {
		return p.Refused
	}
	return p.Permit(name)
}
