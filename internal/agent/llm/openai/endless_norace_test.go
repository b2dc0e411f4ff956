//go:build !race

package openai_test

import "testing"

func TestEndless(t *testing.T) {
	t.Parallel()
	suite().RunEndless(t)
}
