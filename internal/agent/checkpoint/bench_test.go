package checkpoint

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// BenchmarkPrompt measures the snapshots of a second prompt that changes one file.
func BenchmarkPrompt(b *testing.B) {
	for _, count := range []int{10_000, 100_000} {
		b.Run(fmt.Sprint(count), func(b *testing.B) {
			tree := b.TempDir()
			for i := range count {
				dir := filepath.Join(tree, fmt.Sprint(i/50))
				if i%50 == 0 {
					if err := os.Mkdir(dir, 0o755); err != nil {
						b.Fatal(err)
					}
				}
				if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("file%d.go", i)), fmt.Appendf(nil, "package p%d\n", i), 0o644); err != nil {
					b.Fatal(err)
				}
			}
			if err := os.WriteFile(filepath.Join(tree, ".gitignore"), []byte("*.log\n*.o\nbin/\n/out\n*.tmp\n"), 0o644); err != nil {
				b.Fatal(err)
			}
			s, err := Open(filepath.Join(b.TempDir(), "store"), tree, DefaultLimits())
			if err != nil {
				b.Fatal(err)
			}
			began := time.Now()
			if err := s.Snapshot(b.Context(), Before, began, false); err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(time.Since(began).Milliseconds()), "ms/first")
			if err := s.Snapshot(b.Context(), After, began, true); err != nil { // reads again what changed shortly before
				b.Fatal(err)
			}
			for b.Loop() {
				if err := os.WriteFile(filepath.Join(tree, "0", "file1.go"), []byte(time.Now().String()), 0o644); err != nil {
					b.Fatal(err)
				}
				if err := s.Snapshot(b.Context(), Before, time.Now(), false); err != nil {
					b.Fatal(err)
				}
			}
			if err := s.Close(); err != nil {
				b.Fatal(err)
			}
		})
	}
}
