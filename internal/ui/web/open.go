package web

import (
	"errors"
	"fmt"
	"html/template"
	"os"
	"path/filepath"
)

// leader is a page that leads to an address at once. The rule about referrers keeps the name of its file to itself.
var leader = template.Must(template.New("").Parse(`<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="referrer" content="no-referrer"><meta http-equiv="refresh" content="0; url={{.}}"><title>aura</title></head>
<body><p><a href="{{.}}">The pages of aura</a></p></body></html>
`))

// LeadFile writes a file that leads a browser to an address with a token, and returns its path and how to remove it. All users of a machine
// can read the command lines of all processes, so that a browser is started with the name of this file, never with the address. The directory
// is created if it does not exist; only this user may enter it.
func LeadFile(dir, address string) (path string, remove func() error, err error) {
	failed := func(err error) (string, func() error, error) {
		return "", nil, fmt.Errorf("writing a file that leads the browser to the pages: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return failed(err)
	}
	if err := privateDir(dir); err != nil {
		return failed(err)
	}
	file, err := os.CreateTemp(dir, "web-*.html")
	if err != nil {
		return failed(err)
	}
	if err := errors.Join(leader.Execute(file, address), file.Close()); err != nil {
		return failed(errors.Join(err, os.Remove(file.Name())))
	}
	return file.Name(), func() error { return os.Remove(file.Name()) }, nil
}
