package gate

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/app/migrate"
	"github.com/idelchi/aura/internal/lab/testneed"
	"github.com/idelchi/aura/internal/settings/config"
)

// TestMoveState checks whose old state is moved. A project contains data of a plugin, or a link in the place of the data.
func TestMoveState(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		// link is what the link at the path leads to, relative to the directory of the path; at is empty for no link.
		at, link string
		agreed   bool
		moved    bool
		told     string
	}{
		"agreed":            {agreed: true, moved: true, told: "moved 0 sessions and the data of 1 plugin from "},
		"text only":         {told: "data of an earlier version of aura in WORK/.aura: not moved, because you have not agreed to this directory"},
		"link, text only":   {at: ".aura/data", link: "../../elsewhere", told: "WORK/.aura/data is a link"},
		"link":              {at: ".aura/data", link: "../../elsewhere", agreed: true, told: "WORK/.aura/data is a link"},
		"link inside":       {at: ".aura/data", link: "config", agreed: true, told: "WORK/.aura/data is a link"},
		"linked sessions":   {at: ".aura/sessions", link: "../../elsewhere", agreed: true, moved: true, told: "WORK/.aura/sessions is a link"},
		"linked home":       {at: ".aura", link: "../other", agreed: true, told: "WORK/.aura is a link"},
		"linked plugin":     {at: ".aura/data/p", link: "../../../elsewhere/p", agreed: true},
		"link out of sight": {at: ".aura/logs", link: "../../elsewhere", agreed: true, moved: true, told: "moved 0 sessions"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := newGrounds(t, map[string]string{"elsewhere/p/note": "mine", "other/data/p/note": "mine"})
			path := filepath.Join(g.o.Workdir, row.at)
			if row.at != ".aura" {
				g.write("work/.aura/config/agents/a.md", "---\nname: a\n---\n")
			}
			if !strings.HasPrefix(row.at, ".aura/data") && row.at != ".aura" {
				g.write("work/.aura/data/p/note", "kept")
			}
			if row.at != "" {
				if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
					t.Fatal(err)
				}
				testneed.Link(t, row.link, path)
			}
			gate := &Gate{Trust: row.agreed}
			c, err := gate.Load(t.Context(), g.o)
			if err != nil {
				t.Fatal(err)
			}
			var told []string
			migrate.State(c, func(text string) { told = append(told, text) })
			_, err = os.Stat(filepath.Join(c.State.Data(), "p", "note"))
			if (err == nil) != row.moved {
				t.Errorf("moved: %t", err == nil)
			}
			if text := strings.Join(told, "\n"); !strings.Contains(text, strings.ReplaceAll(row.told, "WORK", g.o.Workdir)) || row.told == "" && text != "" {
				t.Errorf("told %q", text)
			}
			for _, kept := range []string{"elsewhere/p/note", "other/data/p/note"} {
				if _, err := os.Stat(filepath.Join(filepath.Dir(g.o.Workdir), kept)); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// TestMoveUserState checks that the user's own home needs no consent, and may be a link.
func TestMoveUserState(t *testing.T) {
	t.Parallel()
	g := newGrounds(t, map[string]string{"dotfiles/data/p/note": "mine"})
	testneed.Link(t, "../dotfiles", filepath.Join(g.o.UserHome, config.DirName))
	c, err := (&Gate{}).Load(t.Context(), g.o)
	if err != nil {
		t.Fatal(err)
	}
	migrate.State(c, func(string) {})
	if _, err := os.Stat(filepath.Join(c.State.User().Data(), "p", "note")); err != nil {
		t.Error(err)
	}
}
