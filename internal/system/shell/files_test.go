package shell_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/system/shell"
)

// awkward lists names that a shell would split, expand or run if they were not quoted.
var awkward = []string{
	"/d/plain.go", "/d/two words.go", "/d/it's.go", `/d/say "hi".go`, "/d/new\nline.go", "/d/$(touch ran).go", "/d/`touch ran`.go",
	"/d/;touch ran;.go", "/d/*", "/d/[id].tsx", `/d/back\slash.go`, "/d/$HOME", "/d/{a,b}", "/d/tab\there", " ", "~", "/d/é\xff.go",
}

func lines(words []string) string {
	var out strings.Builder
	for _, w := range words {
		out.WriteString("<" + w + ">\n")
	}

	return out.String()
}

func TestFiles(t *testing.T) {
	t.Parallel()

	each := func(change func(string) string) (out []string) {
		for _, name := range awkward {
			out = append(out, change(name))
		}

		return out
	}
	suffixed := slices.Clone(awkward)
	suffixed[0] = "--in=" + suffixed[0]
	suffixed[len(suffixed)-1] += "!"

	const show = `show() { for w in "$@"; do printf '<%s>\n' "$w"; done; }; `

	tests := map[string]struct {
		line string
		want []string
	}{
		"one word each":              {`show $FILE`, awkward},
		"in braces":                  {`show ${FILE}`, awkward},
		"joined in quotes":           {`show "$FILE"`, []string{strings.Join(awkward, " ")}},
		"the array":                  {`show "${FILES[@]}"`, awkward},
		"the array without quotes":   {`show ${FILES[@]}`, awkward},
		"the array without an index": {`show $FILES`, awkward},
		"one element":                {`show "${FILES[1]}"`, awkward[1:2]},
		"a part of the array":        {`show ${FILES[@]:1:2}`, awkward[1:3]},
		"how many":                   {`show ${#FILES[@]}`, []string{"17"}},
		"text around it":             {`show --in=$FILE!`, suffixed},
		"loop":                       {`for f in $FILE; do show $f; done`, awkward},
		"loop over the array":        {`for f in "${FILES[@]}"; do show "$f"; done`, awkward},
		"loop with a program":        {`for f in $FILE; do printf '<%s>\n' $f; done`, awkward},
		"loop in a function":         {`g() { for f in $FILE; do show ${f}; done; }; g`, awkward},
		"loop by the same name":      {`for FILE in $FILE; do show $FILE; done`, awkward},
		"loop that sets its name":    {`for f in $FILE; do f="a b"; show $f; break; done`, []string{"a", "b"}},
		"loop over something else":   {`x="a b"; for f in "$x"; do show $f; done`, []string{"a", "b"}},
		"array of them":              {`a=($FILE); show "${a[@]}"`, awkward},
		"positional":                 {`set -- $FILE; show "$@"`, awkward},
		"substitution":               {`for f in $FILE; do show "$(printf %s $f)"; done`, awkward},
		"pipe and subshell":          {`(show $FILE) | cat`, awkward},
		"suffix removed":             {`show ${FILE%.go}`, each(func(s string) string { return strings.TrimSuffix(s, ".go") })},
		"text replaced":              {`show ${FILE/.go/.rs}`, each(func(s string) string { return strings.Replace(s, ".go", ".rs", 1) })},
		"or else something":          {`show ${FILE:-none} && for f in ${FILE?none}; do :; done`, awkward},
		"assigned elsewhere":         {`x=$FILE; show "$x"`, []string{strings.Join(awkward, " ")}},
		"a value of its own":         {`FILE="a b"; show $FILE`, []string{"a", "b"}},
		"read":                       {`read FILE; show $FILE`, []string{"from", "input"}},
		"programs see it joined":     {`show "$(sh -c 'printf %s "$FILE"')"`, []string{strings.Join(awkward, " ")}},
		"programs do not see FILES":  {`show "$(sh -c 'printf %s "${FILES-none}"')"`, []string{"none"}},
		"bracket":                    {`[[ $FILE == *plain* ]] && case $FILE in /d/plain*) show yes;; esac`, []string{"yes"}},
	}

	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			c := command(t, show+tt.line)
			c.Files = awkward
			c.Stdin = []byte("from input\n")

			got, err := shell.Run(t.Context(), c)
			if err != nil || got.ExitCode != 0 || len(got.Stderr) > 0 {
				t.Fatalf("got %d, %q, %v", got.ExitCode, got.Stderr, err)
			}

			if want := lines(tt.want); string(got.Stdout) != want {
				t.Errorf("got %q, want %q", got.Stdout, want)
			}

			if left, err := os.ReadDir(c.Dir); err != nil || len(left) > 0 {
				t.Errorf("something ran: %v, %v", left, err)
			}
		})
	}
}

func TestNoFiles(t *testing.T) {
	t.Parallel()

	c := command(t, `echo "${FILE-none} ${FILES-none}"`)

	got, err := shell.Run(t.Context(), c)
	if err != nil || string(got.Stdout) != "none none\n" {
		t.Errorf("got %q, %v", got.Stdout, err)
	}
}

// A single file is passed correctly also where the shell does not split words: behind a redirection, in a test, in quotes.
func TestOneFile(t *testing.T) {
	t.Parallel()

	c := command(t, `echo text > $FILE; [[ -f $FILE ]] && cat "$FILE" && cat < $FILE && cat $FILE`)
	path := filepath.Join(c.Dir, "it's $(a) name")
	c.Files = []string{path}

	got, err := shell.Run(t.Context(), c)
	if err != nil || string(got.Stdout) != "text\ntext\ntext\n" {
		t.Errorf("got %q, %q, %v", got.Stdout, got.Stderr, err)
	}
}

// The files exceed the limits of an environment variable and of program arguments. The line still gets all of them, and
// programs still start.
func TestManyFiles(t *testing.T) {
	t.Parallel()

	c := command(t, `n=0; for f in $FILE; do n=$((n+1)); done; echo $n ${#FILES[@]}; sh -c 'echo "${FILE-none}"'`)
	c.Files = slices.Repeat([]string{"/a/" + strings.Repeat("very/", 200) + "long/path/to/a/file.go"}, 5000)

	got, err := shell.Run(t.Context(), c)
	if err != nil || string(got.Stdout) != "5000 5000\nnone\n" {
		t.Errorf("got %.200q, %.200q, %v", got.Stdout, got.Stderr, err)
	}
}
