package setup

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/system/sandbox"
)

// TestSkillGrants checks which processes can read the directories of skills.
func TestSkillGrants(t *testing.T) {
	t.Parallel()
	work, home := t.TempDir(), t.TempDir()
	skill := func(kind config.HomeKind, file string) config.Skill {
		return config.Skill{Source: config.Source{File: filepath.Join(home, file), Home: config.Home{Dir: home, Kind: kind}}}
	}
	c := &config.Config{Workdir: work, Entities: config.Entities{Skills: map[string]config.Skill{
		"mine":   skill(config.HomeUser, "skills/mine/SKILL.md"),
		"single": skill(config.HomeUser, "skills/single.md"),
		"theirs": skill(config.HomeProject, "skills/theirs/SKILL.md"),
	}}}
	confined := NewConfinement(c, config.Features{}, "")
	for kind, granted := range map[sandbox.Kind]bool{sandbox.KindFiles: true, sandbox.KindShell: true, sandbox.KindPlugin: false} {
		var got []string
		for _, path := range slices.Concat(confined.Policy(kind).ReadOnly, confined.Policy(kind).ReadWrite) {
			if within, err := filepath.Rel(home, path); err == nil && filepath.IsLocal(within) {
				got = append(got, filepath.ToSlash(within))
			}
		}
		if want := []string{"skills/mine"}; slices.Equal(got, want) != granted || !granted && len(got) > 0 {
			t.Errorf("%v: got %v", kind, got)
		}
	}
}
