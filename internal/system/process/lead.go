package process

// LeadArgument is the first argument of a program that is started to run Lead.
const LeadArgument = "__lead"

// The events that Lead writes to descriptor 3, one per line. Ended is followed by how the program ended; by nothing after a success.
const (
	LeadStopped = "stopped"
	LeadEnded   = "ended "
)

// Led returns the specification of the same program as a job of its terminal, which is Stdin. self is a program that calls Lead if its first
// argument is LeadArgument. Lead writes events to the first of Files, and reads from the second one.
func (s Spec) Led(self string) Spec {
	s.Args = append([]string{"aura", LeadArgument, s.Path}, s.Args...)
	s.Path, s.Terminal = self, true
	return s
}
