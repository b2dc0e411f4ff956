package tokens

import "container/heap"

// encode calls yield with each token of a text, which must be valid UTF-8.
func (v vocabulary) encode(text string, yield func(token string)) {
	for text != "" {
		n := word(text)
		piece := text[:n]
		text = text[n:]
		if v.rank(piece) != noRank {
			yield(piece)
			continue
		}
		v.merge(piece, yield)
	}
}

// part is a byte of a piece, or several that were merged.
type part struct {
	// prev and next are the parts beside it, or -1.
	prev, next int
	// rank is that of the token that it forms with the next part.
	rank uint32
}

// candidate is a pair of parts that can be merged, named by the first of them.
type candidate struct {
	rank uint32
	at   int
}

// candidates is a heap: the lowest rank first, and of equal ones the leftmost.
type candidates []candidate

func (c candidates) Len() int { return len(c) }
func (c candidates) Less(i, j int) bool {
	return c[i].rank < c[j].rank || c[i].rank == c[j].rank && c[i].at < c[j].at
}
func (c candidates) Swap(i, j int) { c[i], c[j] = c[j], c[i] }
func (c *candidates) Push(x any)   { *c = append(*c, x.(candidate)) } //nolint:forcetypeassert // only merge pushes
func (c *candidates) Pop() any {
	last := (*c)[len(*c)-1]
	*c = (*c)[:len(*c)-1]
	return last
}

// merge splits a piece that is no token itself: it begins with the bytes and merges the pair with the lowest rank until there is
// none. The heap keeps the time for a long piece, such as a text without spaces, from growing with the square of its length.
func (v vocabulary) merge(piece string, yield func(token string)) {
	parts := make([]part, len(piece)+1)
	for i := range parts {
		parts[i] = part{prev: i - 1, next: i + 1, rank: noRank}
	}
	parts[len(piece)].next = -1
	var queue candidates
	rate := func(i int) {
		parts[i].rank = noRank
		if second := parts[i].next; second >= 0 && parts[second].next >= 0 {
			parts[i].rank = v.rank(piece[i:parts[second].next])
		}
	}
	for i := range len(piece) {
		if rate(i); parts[i].rank != noRank {
			queue = append(queue, candidate{parts[i].rank, i})
		}
	}
	heap.Init(&queue)
	for len(queue) > 0 {
		top := heap.Pop(&queue).(candidate) //nolint:forcetypeassert // only candidates are pushed
		if parts[top.at].rank != top.rank {
			continue // one of its parts was merged with another since
		}
		gone := parts[top.at].next
		parts[gone].rank = noRank
		parts[top.at].next = parts[gone].next
		parts[parts[gone].next].prev = top.at
		for _, i := range []int{top.at, parts[top.at].prev} {
			if i < 0 {
				continue
			}
			if rate(i); parts[i].rank != noRank {
				heap.Push(&queue, candidate{parts[i].rank, i})
			}
		}
	}
	for i := 0; i < len(piece); i = parts[i].next {
		yield(piece[i:parts[i].next])
	}
}
