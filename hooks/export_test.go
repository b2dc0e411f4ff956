package hooks

// The parts that tests outside the package look at.
const (
	MaxText  = maxText
	MaxPaths = maxPaths
)

// ReadAnswer is readAnswer with its parts spread out.
func ReadAnswer(stdout []byte) (message string, deny bool, reason, note string) {
	a := readAnswer(stdout)
	return a.message, a.deny, a.reason, a.note
}

// Readable is readable.
func Readable(text string, more int64) string { return readable(text, more) }
