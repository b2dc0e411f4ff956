//go:build unix

package clipboard_test

import (
	"encoding/base64"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/base/limit"
	"github.com/idelchi/aura/internal/system/clipboard"
)

const png = "\x89PNG\r\n\x1a\nclip"

// TestRead has a row for each program, kind of content and fault. The programs are scripts; DATA holds an image.
func TestRead(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		system   string
		programs map[string]string
		variable string
		// want is an image, a text after "text ", or the end of the error after "! ".
		want string
	}{
		"Wayland, an image":  {"linux", map[string]string{"wl-paste": `case $* in --list-types) echo text/html; echo image/png ;; *"--type image/png") cat DATA ;; *) exit 1 ;; esac`}, "WAYLAND_DISPLAY=w", png},
		"Wayland, a text":    {"linux", map[string]string{"wl-paste": `case $* in --list-types) echo text/plain ;; *"--type text") printf 'a\nb' ;; *) exit 1 ;; esac`}, "WAYLAND_DISPLAY=w", "text a\nb"},
		"Wayland, nothing":   {"linux", map[string]string{"wl-paste": `echo Nothing is copied >&2; exit 1`}, "WAYLAND_DISPLAY=w", "! the clipboard has no image and no text"},
		"X11, an image":      {"linux", map[string]string{"xclip": `case $* in *TARGETS*) echo TARGETS; echo image/jpeg; echo image/png ;; *"-t image/png -o") cat DATA ;; *) exit 1 ;; esac`}, "DISPLAY=:0", png},
		"X11, a text":        {"linux", map[string]string{"xclip": `case $* in *TARGETS*) echo STRING ;; "-selection clipboard -o") printf word ;; *) exit 1 ;; esac`}, "DISPLAY=:0", "text word"},
		"X11 for no display": {"linux", map[string]string{"xclip": `cat DATA`}, "WAYLAND_DISPLAY=w", "! nothing here reads the clipboard; install wl-paste or xclip"},
		"no program":         {"freebsd", nil, "DISPLAY=:0", "! nothing here reads the clipboard; install wl-paste or xclip"},
		"no real image":      {"linux", map[string]string{"wl-paste": `case $* in --list-types) echo image/png ;; *image/png) echo no image ;; *) exit 1 ;; esac`}, "WAYLAND_DISPLAY=w", "! the clipboard has no image and no text"},
		"too much":           {"linux", map[string]string{"wl-paste": `case $* in --list-types) echo image/png ;; *) cat DATA; head -c 20000000 /dev/zero ;; esac`}, "WAYLAND_DISPLAY=w", "! the clipboard has too much: more than " + limit.Size(2*limit.Image+limit.ErrorBody)},
		"pngpaste":           {"darwin", map[string]string{"pngpaste": `test "$1" = - && cat DATA`, "pbpaste": `printf text`}, "A=", png},
		"osascript":          {"darwin", map[string]string{"osascript": `printf '«data PNGf%s»\n' ` + strings.ToUpper(hex.EncodeToString([]byte(png)))}, "A=", png},
		"osascript, a text":  {"darwin", map[string]string{"osascript": `echo error >&2; exit 1`, "pbpaste": `printf text`}, "A=", "text text"},
		"PowerShell":         {"windows", map[string]string{"powershell.exe": `case $* in *GetImage*) echo ` + base64.StdEncoding.EncodeToString([]byte(png)) + `;; esac`}, "A=", png},
		"PowerShell, a text": {"windows", map[string]string{"powershell.exe": `case $* in *Get-Clipboard*) printf word ;; esac`}, "A=", "text word"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			write(t, filepath.Join(dir, "data"), png)
			for program, script := range row.programs {
				write(t, filepath.Join(dir, program), "#!/bin/sh\nPATH=/bin:/usr/bin\n"+strings.ReplaceAll(script, "DATA", filepath.Join(dir, "data"))+"\n")
			}
			got, err := clipboard.Read(t.Context(), clipboard.Options{System: row.system, Environ: []string{"PATH=" + dir, row.variable}, Dir: dir})
			switch failure, fails := strings.CutPrefix(row.want, "! "); {
			case fails:
				if err == nil || err.Error() != failure {
					t.Errorf("got %v", err)
				}
			case err != nil:
				t.Error(err)
			case got.Image == nil && "text "+got.Text != row.want, got.Image != nil && string(got.Image) != row.want:
				t.Errorf("got %q, %q", got.Image, got.Text)
			}
		})
	}
}

// TestRelativePath checks that no program of the working directory is started.
func TestRelativePath(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	write(t, filepath.Join(dir, "wl-paste"), "#!/bin/sh\ntouch "+filepath.Join(dir, "started")+"\n")
	for _, path := range []string{".", "", ":", "./"} {
		_, err := clipboard.Read(t.Context(), clipboard.Options{System: "linux", Environ: []string{"PATH=" + path, "WAYLAND_DISPLAY=w"}, Dir: dir})
		if err == nil || !strings.HasPrefix(err.Error(), "nothing here reads the clipboard") {
			t.Errorf("%q: %v", path, err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "started")); err == nil {
		t.Error("it was started")
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil { //nolint:gosec // it is a program
		t.Fatal(err)
	}
}
