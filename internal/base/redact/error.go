package redact

// Error returns an error whose text contains no secrets. errors.Is and errors.As treat it like the original error.
func (r *Redactor) Error(err error) error {
	if err == nil {
		return nil
	}
	text := err.Error()
	if hidden := r.String(text); hidden != text {
		return &quiet{error: err, text: hidden}
	}
	return err
}

type quiet struct {
	error
	text string
}

func (e *quiet) Error() string { return e.text }

func (e *quiet) Unwrap() error { return e.error }
