package sandbox

import "strings"

// Status says what this machine can enforce.
type Status struct {
	// Enabled is true if a process can be confined here.
	Enabled bool  `json:"enabled"`
	Rows    []Row `json:"rows"`
}

// Row describes one thing that is enforced or not.
type Row struct {
	Name     string `json:"name"`
	Enforced bool   `json:"enforced"`
	// Required means that no process can be confined without this row.
	Required bool `json:"required"`
	// Detail is the version that is used, or the reason why the row is not enforced.
	Detail string `json:"detail"`
}

// Reason returns why a process cannot be confined; empty if it can.
func (s Status) Reason() string {
	var out []string
	for _, row := range s.Rows {
		if row.Required && !row.Enforced {
			out = append(out, row.Detail)
		}
	}
	return strings.Join(out, "; ")
}
