// Package clipboard reads what the user copied, by the programs that the system has for it.
package clipboard

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/base/limit"
	"github.com/idelchi/aura/internal/system/process"
)

// patience is how long all programs together may take.
const patience = 5 * time.Second

// Options say where the clipboard is.
type Options struct {
	// System is the operating system, as runtime.GOOS names it.
	System string
	// Environ is the environment of the programs, whose PATH has no directory that confined code can write. Dir is where they start.
	Environ []string
	Dir     string
}

// Content is an image or a text.
type Content struct {
	Image []byte
	Text  string
}

var (
	// errNothing is the error of a clipboard without an image and text.
	errNothing = errors.New("the clipboard has no image and no text")
	errTooLong = errors.New("the clipboard has too much")
)

// way is how to read the clipboard by a program.
type way struct {
	program string
	// needs is a variable without which the program does not work; empty for none.
	needs string
	// list prints the types of the content; nil if the program cannot.
	list []string
	// image prints an image, in which TYPE stands for its type; text prints the text. Either is nil if the program cannot.
	image, text []string
	// decode reads what the program prints for an image; nil if that is the image.
	decode func([]byte) ([]byte, error)
}

const readImage = `Add-Type -AssemblyName System.Windows.Forms,System.Drawing; $i = [Windows.Forms.Clipboard]::GetImage(); ` +
	`if ($i) { $m = New-Object IO.MemoryStream; $i.Save($m, [Drawing.Imaging.ImageFormat]::Png); [Convert]::ToBase64String($m.ToArray()) }`

// ways lists the programs of a system, in the order in which they are tried.
func ways(system string) []way {
	switch system {
	case "darwin":
		return []way{
			{program: "pngpaste", image: []string{"-"}},
			{program: "osascript", image: []string{"-e", "the clipboard as «class PNGf»"}, decode: fromAppleScript},
			{program: "pbpaste", text: []string{}},
		}
	case "windows":
		shell := []string{"-NoProfile", "-NonInteractive", "-STA", "-Command"}
		return []way{{
			program: "powershell.exe", decode: fromBase64,
			image: append(slices.Clip(shell), readImage), text: append(slices.Clip(shell), "[Console]::OutputEncoding = [Text.Encoding]::UTF8; Get-Clipboard -Raw"),
		}}
	default:
		return []way{
			{
				program: "wl-paste", needs: "WAYLAND_DISPLAY", list: []string{"--list-types"},
				image: []string{"--no-newline", "--type", "TYPE"}, text: []string{"--no-newline", "--type", "text"},
			},
			{
				program: "xclip", needs: "DISPLAY", list: []string{"-selection", "clipboard", "-t", "TARGETS", "-o"},
				image: []string{"-selection", "clipboard", "-t", "TYPE", "-o"}, text: []string{"-selection", "clipboard", "-o"},
			},
		}
	}
}

// Read returns the image in the clipboard, or the text if there is no image.
func Read(ctx context.Context, o Options) (Content, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, patience, fmt.Errorf("reading the clipboard took more than %s", patience))
	defer cancel()
	var names []string
	found := false
	for _, want := range []func(context.Context, Options, way, string) (Content, error){image, text} {
		for _, w := range ways(o.System) {
			if names = append(names, w.program); w.needs != "" && o.variable(w.needs) == "" {
				continue
			}
			path := o.program(w.program)
			if path == "" {
				continue
			}
			found = true
			// A program fails if the content is of another kind, so that another program is tried.
			c, err := want(ctx, o, w, path)
			switch {
			case ctx.Err() != nil:
				return Content{}, context.Cause(ctx)
			case errors.Is(err, errTooLong):
				return Content{}, err
			case err == nil && (c.Image != nil || c.Text != ""):
				return c, nil
			}
		}
	}
	if !found {
		return Content{}, fmt.Errorf("nothing here reads the clipboard; install %s", strings.Join(names[:len(names)/2], " or "))
	}
	return Content{}, errNothing
}

// image reads an image.
func image(ctx context.Context, o Options, w way, path string) (Content, error) {
	kind := "image/png"
	if w.image == nil {
		return Content{}, nil
	}
	if w.list != nil {
		listed, err := o.output(ctx, path, w.list, limit.ErrorBody)
		if err != nil {
			return Content{}, err
		}
		types := strings.Fields(string(listed))
		at := slices.IndexFunc([]string{"image/png", "image/jpeg", "image/webp", "image/gif"}, func(t string) bool { return slices.Contains(types, t) })
		if at < 0 {
			return Content{}, nil
		}
		kind = []string{"image/png", "image/jpeg", "image/webp", "image/gif"}[at]
	}
	args := slices.Clone(w.image)
	if at := slices.Index(args, "TYPE"); at >= 0 {
		args[at] = kind
	}
	// An encoded image has at most twice the size.
	data, err := o.output(ctx, path, args, 2*limit.Image+limit.ErrorBody)
	if err == nil && w.decode != nil {
		data, err = w.decode(data)
	}
	if err != nil || !strings.HasPrefix(files.MediaType(data), "image/") {
		return Content{}, err
	}
	return Content{Image: data}, nil
}

// text reads a text.
func text(ctx context.Context, o Options, w way, path string) (Content, error) {
	if w.text == nil {
		return Content{}, nil
	}
	data, err := o.output(ctx, path, w.text, limit.Prompt)
	return Content{Text: strings.ToValidUTF8(string(data), "\uFFFD")}, err
}

// output runs a program and returns what it prints, at most some bytes.
func (o Options) output(ctx context.Context, path string, args []string, most int) ([]byte, error) {
	out := &bounded{most: most}
	err := process.Run(ctx, process.Spec{
		Path: path, Args: append([]string{filepath.Base(path)}, args...), Dir: o.Dir, Env: o.Environ, Stdout: out, Guard: true,
	})
	if out.over {
		return nil, fmt.Errorf("%w: more than %s", errTooLong, limit.Size(most))
	}
	return out.Bytes(), err
}

// bounded keeps the first bytes that are written to it.
type bounded struct {
	bytes.Buffer
	most int
	over bool
}

// Write implements io.Writer. It takes everything, so that the program does not wait.
func (b *bounded) Write(p []byte) (int, error) {
	if b.Len()+len(p) > b.most {
		b.over = true
		return len(p), nil
	}
	return b.Buffer.Write(p)
}

func (o Options) variable(name string) string {
	value := ""
	for _, entry := range o.Environ {
		if rest, ok := strings.CutPrefix(entry, name+"="); ok {
			value = rest
		}
	}
	return value
}

// program returns the path of a program in PATH, never one in a directory that is relative.
func (o Options) program(name string) string {
	for _, dir := range filepath.SplitList(o.variable("PATH")) {
		if !filepath.IsAbs(dir) {
			continue
		}
		if path, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			return path
		}
	}
	return ""
}

// fromAppleScript reads «data PNGf89504E...».
func fromAppleScript(out []byte) ([]byte, error) {
	text := strings.TrimSpace(string(out))
	text, ok := strings.CutPrefix(text, "«data PNGf")
	if !ok {
		return nil, nil
	}
	return hex.DecodeString(strings.TrimSuffix(text, "»"))
}

func fromBase64(out []byte) ([]byte, error) {
	return base64.StdEncoding.DecodeString(strings.TrimSpace(string(out)))
}
