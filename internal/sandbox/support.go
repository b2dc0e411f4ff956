package sandbox

import "strings"

// Status is what this machine can enforce.
type Status struct {
	// Enabled is true if a process can be confined here.
	Enabled bool  `json:"enabled"`
	Rows    []Row `json:"rows"`
}

// Row is one thing that is enforced, or not.
type Row struct {
	Name     string `json:"name"`
	Enforced bool   `json:"enforced"`
	// Required rows are those without which nothing is confined.
	Required bool `json:"required"`
	// Detail is the version in force, or why it is not.
	Detail string `json:"detail"`
}

// Reason says why a process cannot be confined; empty if it can.
func (s Status) Reason() string {
	var out []string
	for _, row := range s.Rows {
		if row.Required && !row.Enforced {
			out = append(out, row.Detail)
		}
	}
	return strings.Join(out, "; ")
}
