package tokens

import (
	_ "embed"
)

// vocabulary finds the rank of a token. Both tables are used where they lie in the program, so that a process pays for what it looks up, and
// nothing at its start.
type vocabulary struct {
	// tokens has, for each token in the order of ranks, its length in one byte and its bytes.
	tokens string
	// slots is a hash table with linear probing. A slot has four bytes, little-endian: where the token's bytes begin in tokens, in the lower
	// 20 bits, and 12 bits of the token's hash. A free slot is zero.
	slots string
}

// known is the cl100k vocabulary that OpenAI publishes with tiktoken (MIT license). It is the smallest of the modern ones, and Llama 3's
// vocabulary is derived from it. A source file with the same content takes a minute to compile and 5 MB of the program.
var known = vocabulary{cl100kTokens, cl100kSlots}

var (
	//go:embed cl100k.tokens
	cl100kTokens string
	// The slots are made of the tokens by "go test ./internal/agent/tokens -run TestSlots -update".
	//go:embed cl100k.slots
	cl100kSlots string
)

const (
	slotSize  = 4
	startBits = 20
	startMask = 1<<startBits - 1
)

// noRank is the rank of what is not a token.
const noRank = ^uint32(0)

// hash is FNV-1a, whose result is the same in every process.
func hash(token string) uint32 {
	h := uint32(2166136261)
	for i := range len(token) {
		h = (h ^ uint32(token[i])) * 16777619
	}
	return h
}

// slot returns the content of a slot.
func (v vocabulary) slot(at uint32) uint32 {
	s := v.slots[at*slotSize : at*slotSize+slotSize]
	return uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24
}

// rank returns the rank of a token, or noRank. The lower of two ranks is merged first. The rank is where the token begins in the table of
// tokens, which is in that order.
func (v vocabulary) rank(token string) uint32 {
	h := hash(token)
	mask := uint32(len(v.slots)/slotSize) - 1 //nolint:gosec // the table is small
	for at := h & mask; ; at = (at + 1) & mask {
		slot := v.slot(at)
		if slot == 0 {
			return noRank
		}
		start := slot & startMask
		if slot>>startBits != h>>startBits || int(v.tokens[start-1]) != len(token) {
			continue
		}
		if v.tokens[start:int(start)+len(token)] == token {
			return start
		}
	}
}
