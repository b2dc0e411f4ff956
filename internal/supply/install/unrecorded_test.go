package install

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/plugin/manifest"
)

// TestVerifyUnrecorded checks that a plugin installed from git is not loaded if its lock entry is lost, until the plugin is
// trusted or reinstalled.
func TestVerifyUnrecorded(t *testing.T) {
	t.Parallel()

	pack := map[string]string{}
	for _, dir := range []string{"tools/one", "two"} {
		for name, text := range sound() {
			pack[dir+"/"+name] = text
		}
	}
	lose := func(p Place) error { return os.Remove(filepath.Join(p.Home, LockFile)) }
	update := func(p Place, name string) error {
		_, err := Update(t.Context(), []Place{p}, name, options())
		return err
	}
	trust := func(p Place, name string) error {
		_, err := Trust(t.Context(), []Place{p}, name, Options{})
		return err
	}
	tests := []struct {
		name     string
		files    map[string]string
		subpaths []string
		remedy   func(Place, string) error
		of       string // the plugin or pack that the fix is applied to
		refused  string // the plugins that are not loaded afterwards
	}{
		{"plugin trusted", sound(), nil, trust, "unit", ""},
		{"plugin updated", sound(), nil, update, "unit", ""},
		{"pack trusted", pack, nil, trust, "unit", ""},
		{"pack updated by the name of one", pack, nil, update, "two", ""},
		{"one of a pack trusted", pack, nil, trust, "two", "one"},
		{"subpath trusted", pack, []string{"tools"}, trust, "unit", ""},
		{"subpath updated", pack, []string{"tools"}, update, "unit", ""},
		{"subpaths trusted", pack, []string{"tools", "two"}, trust, "unit", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			request := Request{Source: committed(t, tt.files), Name: "unit", Subpaths: tt.subpaths}
			if _, err := Add(t.Context(), p, request, options()); err != nil {
				t.Fatal(err)
			}
			if err := lose(p); err != nil {
				t.Fatal(err)
			}
			for name, err := range verified(t, p) {
				if err == nil || !strings.Contains(err.Error(), "`aura plugins trust "+name+"`") || !strings.Contains(err.Error(), "has no entry for it") {
					t.Errorf("%s: got %v", name, err)
				}
			}
			if err := tt.remedy(p, tt.of); err != nil {
				t.Fatal(err)
			}
			for name, err := range verified(t, p) {
				if (err != nil) != (name == tt.refused) {
					t.Errorf("%s, after that: %v", name, err)
				}
			}
		})
	}
}

// TestVerifyUnrecordedByHand checks that a copy, and a plugin with a handwritten origin, cannot be distinguished from a plugin
// that was written in place.
func TestVerifyUnrecordedByHand(t *testing.T) {
	t.Parallel()

	p := installed(t, sound())
	write(t, filepath.Join(p.Root, "fetched"), with(map[string]string{manifest.OriginFile: "url: https://git.example.com/fetched\ncommit: abc\n"}))
	if err := os.Remove(filepath.Join(p.Home, LockFile)); err != nil {
		t.Fatal(err)
	}
	for name, err := range verified(t, p) {
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
