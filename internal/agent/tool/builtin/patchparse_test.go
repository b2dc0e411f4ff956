package builtin

import (
	"strings"
	"testing"
)

// FuzzPatch checks that every parsed patch can be written and parsed again with the same result, and can be applied to any
// text.
func FuzzPatch(f *testing.F) {
	for _, patch := range []string{
		"", "x", "*** Begin Patch\n*** End Patch", "*** Begin Patch\n*** Add File: a\n+x\n\n*** End Patch",
		"*** Begin Patch\n*** Update File: a\n*** Move to: b\n@@ f\n@@ g\n x\n-y\n+z\n\n*** End of File\n@@\n-q\n*** Delete File: c\n*** End Patch\n",
		"*** Begin Patch\r\n*** Update File: a\r\n@@ -1 +1 @@\r\n-x\r\n\\ No newline at end of file\r\n*** End Patch",
		"*** Begin Patch\n*** Update File: a\n*** End of File\n*** End Patch",
	} {
		f.Add(patch, "x\ny\r\nq")
	}
	f.Fuzz(func(t *testing.T, patch, text string) {
		changes, err := parsePatch(patch)
		if err != nil {
			if !strings.Contains(err.Error(), "patch") {
				t.Errorf("an error that does not say what is wrong: %v", err)
			}
			return
		}
		if len(changes) == 0 {
			t.Error("a patch without a change")
		}
		again, err := parsePatch(written(changes))
		if err != nil || written(again) != written(changes) {
			t.Errorf("%v\n%q\n%q", err, written(changes), written(again))
		}
		for _, c := range changes {
			if c.path == "" {
				t.Error("a change of no file")
			}
			got, err := applyHunks(text, c.hunks)
			if len(c.hunks) == 0 && (err != nil || got != text) {
				t.Errorf("no hunk made %q of %q, %v", got, text, err)
			}
		}
	})
}

// written returns a patch as text.
func written(changes []change) string {
	out := []string{patchBegin}
	for _, c := range changes {
		out = append(out, c.head+c.path)
		if c.move != "" {
			out = append(out, patchMove+c.move)
		}
		for line := range strings.Lines(c.content) {
			out = append(out, "+"+strings.TrimSuffix(line, "\n"))
		}
		for _, h := range c.hunks {
			out = append(out, patchHunk)
			for _, a := range h.anchors {
				out = append(out, patchHunk+" "+a+" "+patchHunk)
			}
			for _, l := range h.lines {
				out = append(out, string(l.kind)+l.text)
			}
			if h.last {
				out = append(out, patchEOF)
			}
		}
	}
	return strings.Join(append(out, patchEnd), "\n")
}
