//go:build linux

package web

import (
	"bytes"
	"cmp"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/idelchi/aura/internal/lab/e2e/harness"
)

// The limits of the pictures of docs/web.md, in bytes, and how many colours each of them has.
const pictureSize, picturesSize, pictureColours = 60 << 10, 300 << 10, 128

// pictures are the pages that docs/web.md shows, each in light and dark, and their sizes in pixels.
var pictures = []struct {
	name          string
	width, height int
}{{"sessions", 1200, 540}, {"plugin", 1200, 1400}}

// TestWebPictures checks the pictures of docs/web.md: each is there, of its size and small, and the page names it with a text for those who do
// not see it. -update draws them. They are not compared with the pages, because each machine has other fonts.
func TestWebPictures(t *testing.T) {
	t.Parallel()
	docs := filepath.Join(harness.Repo(), "docs")
	if *harness.Update {
		drawPictures(t, filepath.Join(docs, "images"))
	}
	page, err := os.ReadFile(filepath.Join(docs, "web.md"))
	if err != nil {
		t.Fatal(err)
	}
	all := 0
	for _, p := range pictures {
		for _, theme := range []string{"light", "dark"} {
			name := fmt.Sprintf("web-%s-%s.png", p.name, theme)
			raw, err := os.ReadFile(filepath.Join(docs, "images", name))
			if err != nil {
				t.Fatal(err)
			}
			shot, err := png.Decode(bytes.NewReader(raw))
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if got := shot.Bounds().Size(); got != image.Pt(p.width, p.height) {
				t.Errorf("%s has %v pixels, want %d times %d", name, got, p.width, p.height)
			}
			if len(raw) > pictureSize {
				t.Errorf("%s has %d bytes, want at most %d", name, len(raw), pictureSize)
			}
			all += len(raw)
		}
		want := fmt.Sprintf(`<source media="\(prefers-color-scheme: dark\)" srcset="images/web-%s-dark\.png">\n\s*<img alt="[^"]{20,}" src="images/web-%s-light\.png" width="%d" height="%d">`, p.name, p.name, p.width, p.height)
		if !regexp.MustCompile(want).Match(page) {
			t.Errorf("docs/web.md has no pictures of %s with a text beside them and their size", p.name)
		}
	}
	if all > picturesSize {
		t.Errorf("the pictures have %d bytes, want at most %d", all, picturesSize)
	}
}

// drawPictures draws the pictures into a directory: a session that runs a tool, one that waits for an approval, and a plugin that crashed.
func drawPictures(t *testing.T, dir string) {
	t.Helper()
	p := harness.NewProject(t)
	p.Run("run", "Which files are large?")
	asking(p)
	p.Write(".aura/config/talk.yaml", harness.TalkWith("tool_calls: [{name: Ls, arguments: {path: .}}]"))
	p.Plugin("bad", "env: [DEPLOY_KEY]\n", crashing)
	release := p.Held()
	defer release()
	b := browse(p)
	s := web(p)
	b.do(chromedp.Navigate("http://" + s.addr + "/#" + s.token))
	b.shows(text("#sessions") + ".includes('runs a tool') && " + text("#sessions") + ".includes('Bash touch')")
	b.drawPicture(dir, 0)
	b.do(chromedp.Navigate("http://" + s.addr + "/plugins"))
	b.shows("[...document.querySelectorAll('#plugins a')].some(a => a.innerText === 'bad')")
	b.eval("[...document.querySelectorAll('#plugins a')].find(a => a.innerText === 'bad').click()")
	b.shows("document.querySelectorAll('#crashes pre').length > 1")
	b.drawPicture(dir, 1)
}

// drawPicture draws the page in the tab in light and dark. The directories of the test get the names that they have for a user.
func (b *browser) drawPicture(dir string, number int) {
	b.T.Helper()
	picture := pictures[number]
	for _, theme := range []string{"light", "dark"} {
		b.do(chromedp.EmulateViewport(int64(picture.width), int64(picture.height)), emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: theme}}))
		b.eval(fmt.Sprintf(`(() => {
			const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
			while (walk.nextNode()) walk.currentNode.data = walk.currentNode.data.replaceAll(%q, "/home/you/.local/state/aura/projects/project").replaceAll(%q, "/home/you/project");
		})()`, b.State, b.Dir))
		var raw []byte
		b.do(chromedp.CaptureScreenshot(&raw))
		shot, err := png.Decode(bytes.NewReader(raw))
		b.Check(err)
		var out bytes.Buffer
		b.Check((&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&out, fewColours(shot)))
		b.Check(os.WriteFile(filepath.Join(dir, strings.Join([]string{"web", picture.name, theme}, "-")+".png"), out.Bytes(), 0o644)) //nolint:gosec // it is part of the source
	}
}

// fewColours returns a picture with the most frequent colours of another one. Each other colour becomes the nearest of them.
func fewColours(from image.Image) image.Image {
	counts := map[color.Color]int{}
	bounds := from.Bounds()
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			counts[from.At(x, y)]++
		}
	}
	colours := slices.SortedFunc(maps.Keys(counts), func(a, b color.Color) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), strings.Compare(fmt.Sprint(a), fmt.Sprint(b)))
	})
	out := image.NewPaletted(bounds, colours[:min(len(colours), pictureColours)])
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			out.Set(x, y, from.At(x, y))
		}
	}
	return out
}
