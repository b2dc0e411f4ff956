package pipeline

import (
	"cmp"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/plugin/hookpoint"
)

// Placed is a Handler whose place among others does not follow from its name alone. Without it, the rank is 0 and the directory is empty.
type Placed interface {
	// Rank precedes all else: handlers of a lower rank are called first.
	Rank() int
	// Directory is the name of the directory, without its parents.
	Directory() string
}

// Sorted returns handlers in the order in which they are called and their results are folded: by rank, then by name or, if the point has that
// order, by directory. Handlers that are equal in this keep their order.
func Sorted[H Handler](order hookpoint.Order, handlers []H) []H {
	return slices.SortedStableFunc(slices.Values(handlers), func(a, b H) int {
		rankA, directoryA := place(a)
		rankB, directoryB := place(b)
		if order == hookpoint.ByDirectory {
			return cmp.Or(cmp.Compare(rankA, rankB), strings.Compare(directoryA, directoryB))
		}
		return cmp.Or(cmp.Compare(rankA, rankB), strings.Compare(a.Name(), b.Name()))
	})
}

func place(h Handler) (rank int, directory string) {
	if p, ok := h.(Placed); ok {
		return p.Rank(), p.Directory()
	}
	return 0, ""
}
