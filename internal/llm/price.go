package llm

import (
	"math"
	"math/bits"
)

// Cost is an amount of money in millionths of a millionth of a US dollar, so that sums are exact.
type Cost int64

// dollar is one US dollar.
const dollar = 1e12

// Price is what one token costs. The price of a million tokens in dollars has at most six decimals, so it is a whole number.
type Price int64

// PerMillion is the price of a token of which a million cost so many dollars.
func PerMillion(dollars float64) Price { return Price(math.Round(dollars * dollar / 1e6)) }

// Dollars is an amount as a number with at most six decimals, which is how it is shown.
func (c Cost) Dollars() float64 { return math.Round(float64(c)/dollar*1e6) / 1e6 }

// CostOf is an amount of dollars.
func CostOf(dollars float64) Cost {
	if dollars >= math.MaxInt64/dollar {
		return math.MaxInt64
	}
	return Cost(math.Round(dollars * dollar))
}

// Add is the sum of two amounts, none of which is negative. One that is too large stays at the largest.
func (c Cost) Add(other Cost) Cost {
	if c > math.MaxInt64-other {
		return math.MaxInt64
	}
	return c + other
}

// Prices are what the tokens of a model cost.
type Prices struct {
	Input, Output Price
	// CacheRead and CacheWrite are those of input tokens that were read from the service's cache, and written to it.
	CacheRead, CacheWrite Price
}

// Cost is what a call has cost by the service's own count. A service counts as it likes: what is no count costs nothing.
func (p Prices) Cost(u Usage) Cost {
	read := max(u.CacheRead, 0)
	write := max(u.CacheWrite, 0)
	plain := max(u.Input-read-write, 0)
	return p.Input.times(plain).Add(p.CacheRead.times(read)).Add(p.CacheWrite.times(write)).Add(p.Output.times(max(u.Output, 0)))
}

func (p Price) times(tokens int) Cost {
	high, low := bits.Mul64(uint64(max(p, 0)), uint64(tokens)) //nolint:gosec // neither is negative
	if high > 0 || low > math.MaxInt64 {
		return math.MaxInt64
	}
	return Cost(low)
}
