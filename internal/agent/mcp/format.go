package mcp

import (
	"errors"
	"net/mail"
	"net/url"
	"time"
)

// formats maps the formats of the protocol to functions that return why a text does not have the format. Other formats are not checked.
var formats = map[string]func(text string) error{
	"email": func(text string) error {
		if a, err := mail.ParseAddress(text); err != nil || a.Address != text {
			return errors.New("it is not an email address")
		}
		return nil
	},
	"uri": func(text string) error {
		if u, err := url.Parse(text); err != nil || !u.IsAbs() {
			return errors.New("it is not a URI, such as https://example.com")
		}
		return nil
	},
	"date": func(text string) error {
		if _, err := time.Parse(time.DateOnly, text); err != nil {
			return errors.New("it is not a date, such as 2006-01-02")
		}
		return nil
	},
	"date-time": func(text string) error {
		if _, err := time.Parse(time.RFC3339, text); err != nil {
			return errors.New("it is not a date and time, such as 2006-01-02T15:04:05Z")
		}
		return nil
	},
}
