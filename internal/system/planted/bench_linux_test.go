package planted_test

import (
	"testing"

	"github.com/idelchi/aura/internal/system/planted"
)

// BenchmarkLook measures what a call costs more in a place of usual size: 330 directories, of which nothing changes.
func BenchmarkLook(b *testing.B) {
	p := newPlace(b)
	p.sh("for i in $(seq 30); do mkdir -p d$i; for j in $(seq 10); do mkdir d$i/e$j; done; done; sleep 0.05")
	w := planted.In(p.Place)
	w.Begin()
	w.End()
	for b.Loop() {
		w.Begin()
		w.End()
	}
}
