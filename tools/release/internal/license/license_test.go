package license

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestOf(t *testing.T) {
	t.Parallel()
	mit, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "LICENSE"))
	if err != nil {
		t.Fatal(err)
	}
	for name, row := range map[string]struct {
		files   map[string]string
		ids     []string
		refused []string
		texts   int
		fault   string
	}{
		"one license":         {files: map[string]string{"LICENSE": string(mit)}, ids: []string{"MIT"}, texts: 1},
		"another name":        {files: map[string]string{"License.md": string(mit), "main.go": ""}, ids: []string{"MIT"}, texts: 1},
		"with a notice":       {files: map[string]string{"COPYING": string(mit), "NOTICE": "thanks"}, ids: []string{"MIT"}, texts: 2},
		"a choice":            {files: map[string]string{"LICENSE": "/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */\nand so on"}, ids: []string{"BSD-3-Clause"}, texts: 1},
		"no good choice":      {files: map[string]string{"LICENSE": "SPDX-License-Identifier: GPL-2.0-only OR AGPL-3.0\n"}, fault: "of this text is known"},
		"none":                {files: map[string]string{"main.go": "package main"}, fault: "no license found"},
		"source of that name": {files: map[string]string{"license.go": "package license"}, fault: "no license found"},
		"an unknown text":     {files: map[string]string{"LICENSE": "Do as I say."}, fault: "only 0% of this text is known"},
		"not allowed":         {files: map[string]string{"LICENSE": "This program is free software: you can redistribute it and/or modify it under the terms of the GNU Affero General Public License as published by the Free Software Foundation, either version 3 of the License, or (at your option) any later version. This program is distributed in the hope that it will be useful, but WITHOUT ANY WARRANTY; without even the implied warranty of MERCHANTABILITY or FITNESS FOR A PARTICULAR PURPOSE. See the GNU Affero General Public License for more details. You should have received a copy of the GNU Affero General Public License along with this program. If not, see <https://www.gnu.org/licenses/>."}, ids: []string{"AGPL-3.0-or-later"}, refused: []string{"AGPL-3.0-or-later"}, texts: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for file, text := range row.files {
				if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			got, err := Of(dir)
			if row.fault != "" {
				if err == nil || !strings.Contains(err.Error(), row.fault) {
					t.Errorf("got %v, want %q", err, row.fault)
				}
				return
			}
			if err != nil || !slices.Equal(got.IDs, row.ids) || !slices.Equal(got.Refused(), row.refused) || len(got.Texts) != row.texts {
				t.Errorf("got %v, refused %v, %d texts (%v)", got.IDs, got.Refused(), len(got.Texts), err)
			}
		})
	}
}
