//go:build !race

package prompt_test

import (
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/base/limit"
)

// TestRenderIsBounded renders templates that would exhaust the memory or run forever.
func TestRenderIsBounded(t *testing.T) {
	t.Parallel()
	const (
		steps = "it runs more than 100000 blocks and functions; shorten its loops"
		work  = "its functions make values of more than 64 MiB; use smaller ones"
		size  = "it renders to more than 1 MiB"
		deep  = "a value contains itself, or is nested too deeply"
	)
	for name, tt := range map[string]struct{ body, want string }{
		"long loop":            {`{{ range 1000000000 }}{{ end }}`, steps},
		"loops in loops":       {`{{ range until 1000 }}{{ range until 1000 }}{{ end }}{{ end }}`, steps},
		"endless recursion":    {`{{ define "a" }}{{ template "a" }}{{ end }}{{ template "a" }}`, steps},
		"growing recursion":    {`{{ define "a" }}{{ if lt . 100 }}{{ template "a" add . 1 }}{{ template "a" add . 1 }}{{ end }}{{ end }}{{ template "a" 0 }}`, steps},
		"slow function":        {`{{ range until 30 }}{{ $x := genPrivateKey "ed25519" }}{{ end }}`, steps},
		"much output":          {`{{ range until 2000 }}` + strings.Repeat("x", 1000) + `{{ end }}`, size},
		"repeat":               {`{{ $x := repeat 1000000000 "x" }}`, work},
		"repeat, overflow":     {`{{ $x := repeat 4611686018427387904 "xxxx" }}`, work},
		"until":                {`{{ $x := until 1000000000 }}`, work},
		"until, downward":      {`{{ $x := until -1000000000 }}`, work},
		"untilStep":            {`{{ $x := untilStep 0 1000000000 1 }}`, work},
		"seq":                  {`{{ $x := seq 1 1000000000 }}`, work},
		"seq with a step":      {`{{ $x := seq 0 2 1000000000 }}`, work},
		"indent":               {`{{ $x := indent 1000000000 "x" }}`, work},
		"nindent":              {`{{ $x := "x" | nindent 1000000000 }}`, work},
		"random text":          {`{{ $x := randAlphaNum 1000000000 }}`, work},
		"random bytes":         {`{{ $x := randBytes 1000000000 }}`, work},
		"printf, wide":         {`{{ $x := printf (repeat 1000 "%[1]999999d") 1 }}`, work},
		"printf, width given":  {`{{ $x := printf (repeat 1000 "%[1]*[2]d") 999999 1 }}`, work},
		"printf, many":         {`{{ $y := repeat 1000000 "x" }}{{ $x := printf (repeat 1000 "%[1]s") $y }}`, work},
		"doubled text":         {`{{ $x := "xx" }}{{ range until 100 }}{{ $x = print $x $x }}{{ end }}`, work},
		"doubled by a pipe":    {`{{ $x := "xx" }}{{ range until 100 }}{{ $x = cat $x $x }}{{ end }}`, work},
		"doubled list":         {`{{ $x := list 1 2 }}{{ range until 100 }}{{ $x = concat $x $x }}{{ end }}`, work},
		"doubled by reference": {`{{ $x := dict }}{{ range until 100 }}{{ $x = dict "a" $x "b" $x }}{{ end }}{{ $x }}`, work},
		"replace":              {`{{ $x := repeat 10000 "x" }}{{ $y := replace "x" $x $x }}`, work},
		"replace by pattern":   {`{{ $x := repeat 10000 "x" }}{{ $y := regexReplaceAll "x" $x $x }}`, work},
		"must replace":         {`{{ $x := repeat 10000 "x" }}{{ $y := mustRegexReplaceAll "x" $x $x }}`, work},
		"join":                 {`{{ $x := repeat 100000 "x" }}{{ $y := join $x (until 10000) }}`, work},
		"wrapWith":             {`{{ $x := repeat 10000 "x" }}{{ $y := wrapWith 1 $x $x }}`, work},
		"read again and again": {`{{ $x := repeat 1000000 "x" }}{{ range until 10000 }}{{ $y := contains "yz" $x }}{{ end }}`, work},
		"holds itself":         {`{{ $x := dict }}{{ $y := set $x "a" $x }}{{ $x }}`, deep},
		"merged into itself":   {`{{ $x := dict }}{{ $y := merge $x (dict "a" $x) }}{{ $x }}`, deep},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := render("base", "\n"+tt.body, data)
			if err == nil || !strings.HasSuffix(err.Error(), tt.want) || got != "" {
				t.Errorf("%d bytes, %.500v, want %s", len(got), err, tt.want)
			}
		})
	}
}

// TestRenderWithinTheLimits renders large templates that are still allowed.
func TestRenderWithinTheLimits(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]int{
		`{{ repeat 1000000 "x" }}`:                                1000000,
		`{{ range until 10000 }}x{{ end }}`:                       10000,
		`{{ range until 1000 }}{{ printf "%-10s" "x" }}{{ end }}`: 10000,
		`{{ indent 4 "a\nb" }}`:                                   11,
		`{{ seq 1 3 }}`:                                           5,
		`{{ $x := list }}{{ range until 500 }}{{ $x = append $x . }}{{ end }}{{ len $x }}`: 3,
		`{{ join ", " (list "a" "b") }}`:                            4,
		`{{ html "<" }}{{ js "'" }}{{ urlquery " " }}{{ println }}`: 8,
		`{{ dict "a" (dict "b" (list 1 2)) | toJson }}`:             17,
		`{{ bcrypt "a" | len }}`:                                    2,
	} {
		if got, err := render("base", body, data); err != nil || len(got) != want {
			t.Errorf("%s is %.100q of %d bytes, %v, want %d", body, got, len(got), err, want)
		}
	}
	if got, err := render("base", strings.Repeat("x", 2*limit.Prompt), data); err != nil || len(got) != 2*limit.Prompt {
		t.Errorf("a text without a template becomes %d bytes, %v", len(got), err)
	}
}
