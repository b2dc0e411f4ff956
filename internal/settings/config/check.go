package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// CheckFile reads the text of a file of a home as Load does, alone in a home of its own, except that variables have no effect. The name is
// slash-separated and relative to the home. Nothing of the file takes effect.
func CheckFile(name string, text []byte) (err error) {
	dir, err := os.MkdirTemp("", "aura-check-")
	if err != nil {
		return fmt.Errorf("checking %s: %w", name, err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	home, none := filepath.Join(dir, ".aura"), ""
	file := filepath.Join(home, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return fmt.Errorf("checking %s: %w", name, err)
	}
	if err := os.WriteFile(file, text, 0o600); err != nil {
		return fmt.Errorf("checking %s: %w", name, err)
	}
	o := Options{Configs: []string{home}, Home: &none, Workdir: dir, Environ: []string{}, EnvFiles: []string{}, Text: true, WithoutInstructions: true}
	if _, err := load(o); err != nil {
		return errors.New(strings.ReplaceAll(err.Error(), home+string(filepath.Separator), ""))
	}
	return nil
}
