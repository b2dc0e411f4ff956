package hooks

// Constants that tests outside the package use.
const (
	MaxText  = maxText
	MaxPaths = maxPaths
)

// ReadAnswer exports readAnswer. It returns the fields of the answer.
func ReadAnswer(stdout []byte) (message string, deny bool, reason, note string) {
	a := readAnswer(stdout, momentOf(EventPre))
	return a.message, a.deny, a.reason, a.note
}

// Readable exports readable.
func Readable(text string, more int64) string { return readable(text, more) }
