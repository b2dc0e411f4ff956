package tokens

import (
	"bytes"
	"compress/flate"
	_ "embed"
	"hash/maphash"
	"io"
	"sync"
)

// compressed is the cl100k vocabulary that OpenAI publishes with tiktoken (MIT license): for each token, in the order of ranks,
// its length in one byte and its bytes. A source file with the same content takes a minute to compile and 5 MB of the program.
//
//go:embed cl100k.deflate
var compressed []byte

// known is the cl100k vocabulary. It is the smallest of the modern ones, and Llama 3's vocabulary is derived from it.
// Building it takes about 10 ms and 3 MB, so it is built when the first text is counted.
var known = sync.OnceValue(func() *vocabulary {
	text, err := io.ReadAll(flate.NewReader(bytes.NewReader(compressed)))
	if err != nil {
		panic("the embedded vocabulary is damaged: " + err.Error()) // only a broken build can cause this
	}
	return newVocabulary(string(text))
})

// noRank is the rank of what is not a token.
const noRank = ^uint32(0)

// vocabulary finds the rank of a token.
type vocabulary struct {
	// text holds the tokens. starts holds where in the text each of them begins, after the byte of its length.
	text   string
	starts []uint32
	// slots is a hash table of ranks plus one. It takes a fifth of the memory of a map.
	slots []uint32
	seed  maphash.Seed
}

func newVocabulary(text string) *vocabulary {
	v := &vocabulary{text: text, seed: maphash.MakeSeed()}
	for at := 0; at < len(text); at += 1 + int(text[at]) {
		v.starts = append(v.starts, uint32(at+1))
	}
	size := 1
	for size < 2*len(v.starts) {
		size *= 2
	}
	v.slots = make([]uint32, size)
	for rank := range v.starts {
		v.slots[v.slot(v.token(rank))] = uint32(rank) + 1
	}
	return v
}

func (v *vocabulary) token(rank int) string {
	start := int(v.starts[rank])
	return v.text[start : start+int(v.text[start-1])]
}

// slot returns the slot of a token, or the free one that it belongs into. There is always a free one.
func (v *vocabulary) slot(token string) int {
	mask := len(v.slots) - 1
	at := int(maphash.String(v.seed, token)) & mask //nolint:gosec // every bit pattern is a valid hash
	for v.slots[at] != 0 && v.token(int(v.slots[at]-1)) != token {
		at = (at + 1) & mask
	}
	return at
}

// rank returns the rank of a token, or noRank. The lower of two ranks is merged first.
func (v *vocabulary) rank(token string) uint32 {
	if len(token) > 255 {
		return noRank
	}
	return v.slots[v.slot(token)] - 1 // a free slot becomes noRank
}
