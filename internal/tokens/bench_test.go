package tokens

import (
	"fmt"
	"testing"
	"time"
	"runtime"
	"strings"

	"github.com/tiktoken-go/tokenizer/codec"
)

func TestCost(t *testing.T) {
	for _, mk := range []func() *codec.Codec{codec.NewCl100kBase, codec.NewO200kBase} {
		var a, b runtime.MemStats
		runtime.GC(); runtime.ReadMemStats(&a)
		s := time.Now()
		c := mk()
		d := time.Since(s)
		s = time.Now()
		n, _ := c.Count("hello world")
		d2 := time.Since(s)
		runtime.GC(); runtime.ReadMemStats(&b)
		text := strings.Repeat("The quick brown fox jumps over the lazy dog; func main() { return 1 }\n", 1000)
		s = time.Now()
		m, _ := c.Count(text)
		d3 := time.Since(s)
		fmt.Println(c.GetName(), d, d2, n, "heap", (b.HeapAlloc-a.HeapAlloc)>>10, "KB; 70KB:", d3, m)
		long := strings.Repeat("a", 100000)
		s = time.Now()
		m, _ = c.Count(long)
		fmt.Println("100k of a", time.Since(s), m)
		long = strings.Repeat(" ", 100000)
		s = time.Now()
		m, _ = c.Count(long)
		fmt.Println("100k of space", time.Since(s), m)
		long = strings.Repeat("\xff\x00", 50000)
		s = time.Now()
		m, _ = c.Count(long)
		fmt.Println("100k binary", time.Since(s), m)
		long = strings.Repeat("QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo", 3000)
		s = time.Now()
		m, _ = c.Count(long)
		fmt.Println("100k base64", time.Since(s), m)
	}
}
