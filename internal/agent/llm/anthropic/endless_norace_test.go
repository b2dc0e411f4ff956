//go:build !race

package anthropic_test

import "testing"

func TestEndless(t *testing.T) {
	t.Parallel()
	suite().RunEndless(t)
}
