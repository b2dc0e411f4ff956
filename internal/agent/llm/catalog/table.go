package catalog

import (
	_ "embed"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/idelchi/aura/internal/agent/llm"
)

//go:embed models.txt
var models string

// listed is what the table says of a model.
type listed struct {
	context int
	prices  llm.Prices
}

// table is the table of models: its date, and its rows by the names of the models.
type table struct {
	date string
	rows map[string]listed
	// searches holds the prices of a search, by the beginnings of the names of models.
	searches map[string]llm.Price
}

// known is parsed on first use: most commands describe no model.
var known = sync.OnceValue(func() table {
	t, err := parseTable(models)
	if err != nil {
		panic(err) // the table is part of the program
	}
	return t
})

// parseTable parses a table. Its first line is its date, in the form 2006-01-02.
func parseTable(text string) (table, error) {
	date, rest, _ := strings.Cut(text, "\n")
	t := table{date: date, rows: map[string]listed{}, searches: map[string]llm.Price{}}
	for line := range strings.Lines(rest) {
		f := strings.Fields(line)
		if len(f) == 0 || f[0] == "#" {
			continue
		}
		if len(f) == 3 && f[0] == "search" {
			price, err := strconv.ParseFloat(f[2], 64)
			if err != nil {
				return t, fmt.Errorf("the table of models: the price of a search with %q: %w", f[1], err)
			}
			t.searches[f[1]] = llm.PerThousand(price)
			continue
		}
		if len(f) != 6 && len(f) != 10 {
			return t, fmt.Errorf("the table of models: %q has %d columns", f[0], len(f))
		}
		var n [10]float64
		for i, text := range f[1:] {
			var err error
			if n[i+1], err = number(text, n[2+5*((i+1)/7)]); err != nil {
				return t, fmt.Errorf("the table of models: %q: %w", f[0], err)
			}
		}
		row := listed{context: int(n[1]), prices: prices(n[2], n[3], n[4], n[5])}
		if len(f) == 10 {
			row.prices.LongFrom, row.prices.Long = int(n[6]), new(prices(n[7], n[8], n[9], n[7]))
		}
		t.rows[f[0]] = row
	}
	return t, nil
}

// number returns a number of the table. A dash stands for the price of input.
func number(text string, input float64) (float64, error) {
	if text == "-" {
		return input, nil
	}
	return strconv.ParseFloat(text, 64)
}

func prices(input, output, read, write float64) llm.Prices {
	return llm.Prices{Input: llm.PerMillion(input), Output: llm.PerMillion(output), CacheRead: llm.PerMillion(read), CacheWrite: llm.PerMillion(write)}
}

// version matches the end of a name that names a version of the same model.
var version = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`-(latest|\d{8}|\d{4}-\d\d-\d\d)$`) })

// find returns the row of a model: that of its whole name, or else that of its name without a version. Nothing follows from the beginning of a
// name: the next model of a family has another price.
func (t table) find(name string) (listed, bool) {
	bare := strings.ToLower(name[strings.LastIndex(name, "/")+1:])
	if row, ok := t.rows[bare]; ok {
		return row, true
	}
	row, ok := t.rows[version().ReplaceAllString(bare, "")]
	return row, ok
}

// Prices returns the list prices of a model, and the date of the table that has them.
func Prices(name string) (p llm.Prices, date string, ok bool) {
	row, ok := known().find(name)
	row.prices.Search = SearchPrice(name)
	return row.prices, known().date, ok
}

// SearchPrice returns the list price of a search of the web with a model, or 0 if the table has none.
func SearchPrice(name string) llm.Price {
	bare := strings.ToLower(name[strings.LastIndex(name, "/")+1:])
	for prefix, price := range known().searches {
		if strings.HasPrefix(bare, prefix) {
			return price
		}
	}
	return 0
}
