package config_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/settings/config"
)

// TestRoots has a row for each rule about which directories of plugins and extensions are used, and in which order.
func TestRoots(t *testing.T) {
	t.Parallel()
	none, other := "", "other"
	for name, row := range map[string]struct {
		o    config.Options
		want string
	}{
		"all": {config.Options{}, "user:me/.agents/plugins user:me/.aar/extensions user:me/.aura/extensions user:me/.aura/plugins " +
			"project:work/.agents/plugins project:work/.agent/extensions project:work/.aura/extensions project:work/.aura/plugins"},
		"no home": {config.Options{Home: &none}, "project:work/.agents/plugins project:work/.agent/extensions project:work/.aura/extensions project:work/.aura/plugins"},
		"another home": {config.Options{Home: &other}, "user:work/other/extensions user:work/other/plugins " +
			"project:work/.agents/plugins project:work/.agent/extensions project:work/.aura/extensions project:work/.aura/plugins"},
		"named": {config.Options{Configs: []string{"named"}}, "user:me/.agents/plugins user:me/.aar/extensions user:me/.aura/extensions user:me/.aura/plugins " +
			"project:work/named/extensions project:work/named/plugins"},
		"safe": {config.Options{Safe: true}, "user:me/.agents/plugins user:me/.aar/extensions user:me/.aura/extensions user:me/.aura/plugins"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := files{"work/named/x": "", "me/x": "", "work/.aura/x": "", "work/.agent/extensions/a.py": ""}.options(t)
			row.o.Workdir, row.o.UserHome, row.o.Environ = o.Workdir, o.UserHome, []string{}
			base := filepath.Dir(o.Workdir)
			var got []string
			for _, r := range load(t, row.o).Roots() {
				rel, err := filepath.Rel(base, r.Dir)
				if err != nil || r.Python != (filepath.Base(r.Dir) == "extensions") {
					t.Errorf("%+v: %v", r, err)
				}
				got = append(got, string(r.Home.Kind)+":"+filepath.ToSlash(rel))
			}
			if !slices.Equal(got, strings.Fields(row.want)) {
				t.Errorf("got  %s\nwant %s", strings.Join(got, " "), row.want)
			}
			found, err := config.Find(row.o)
			if excluded := row.o.Safe || len(row.o.Configs) > 0; err != nil || (found.Extensions() == "") != excluded {
				t.Errorf("found %+v, %v", found, err)
			}
		})
	}
}
