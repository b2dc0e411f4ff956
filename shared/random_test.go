package shared

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"reflect"
	"time"
)

// random creates values of any SDK type. It prefers values that encodings tend to change: nil and empty maps, pointers to empty
// strings, whole floats, extreme integers, and text that is not UTF-8.
type random struct{ *rand.Rand }

func (r random) fill(v reflect.Value, depth int) {
	switch v.Type() {
	case reflect.TypeFor[time.Time]():
		v.Set(reflect.ValueOf(r.time()))
		return
	case reflect.TypeFor[any]():
		if x := r.dynamic(depth); x != nil {
			v.Set(reflect.ValueOf(x))
		}
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for _, f := range v.Fields() {
			r.fill(f, depth)
		}
	case reflect.Pointer:
		if r.IntN(3) > 0 {
			v.Set(reflect.New(v.Type().Elem()))
			r.fill(v.Elem(), depth)
		}
	case reflect.Slice:
		if n := r.length(depth); n >= 0 {
			v.Set(reflect.MakeSlice(v.Type(), n, n))
			for i := range n {
				r.fill(v.Index(i), depth-1)
			}
		}
	case reflect.Map:
		r.fillMap(v, depth)
	case reflect.String:
		v.SetString(r.text())
	case reflect.Bool:
		v.SetBool(r.IntN(2) == 0)
	case reflect.Float64:
		v.SetFloat(r.float())
	case reflect.Uint8:
		v.SetUint(uint64(r.IntN(256)))
	default:
		v.SetInt(r.integer())
	}
}

func (r random) fillMap(v reflect.Value, depth int) {
	n := r.length(depth)
	if n < 0 {
		return
	}
	v.Set(reflect.MakeMap(v.Type()))
	for range n {
		e := reflect.New(v.Type().Elem()).Elem()
		r.fill(e, depth-1)
		v.SetMapIndex(reflect.ValueOf(r.text()), e)
	}
}

// length returns -1 for a nil list, and the length of the list otherwise.
func (r random) length(depth int) int {
	if depth <= 0 {
		return r.IntN(2) - 1
	}
	return r.IntN(5) - 1
}

func (r random) text() string {
	return []string{"", "plain", "päivää\n", "\xff\xfe not utf-8 \xc3", "\x00", "𝄞"}[r.IntN(6)]
}

func (r random) integer() int64 {
	return []int64{0, 1, -1, 23, 24, 1 << 40, math.MaxInt64, math.MinInt64}[r.IntN(8)]
}

func (r random) float() float64 {
	return []float64{0, 1, -1, 3, 0.1, 1e300, math.SmallestNonzeroFloat64, math.Inf(1)}[r.IntN(8)]
}

// time returns a time without a monotonic part, which is meaningless in another process, and with a fixed offset, because the
// name of a zone is not sent.
func (r random) time() time.Time {
	switch r.IntN(3) {
	case 0:
		return time.Time{}
	case 1:
		return time.Unix(r.Int64N(4e9), r.Int64N(1e9)).UTC()
	default:
		return time.Unix(r.Int64N(4e9), r.Int64N(1e9)).In(time.FixedZone("", 3600*(r.IntN(24)-12)))
	}
}

func (r random) dynamic(depth int) any {
	switch r.IntN(9) {
	case 0:
		return nil
	case 1:
		return int(r.integer())
	case 2:
		return r.float()
	case 3:
		return r.text()
	case 4:
		return r.IntN(2) == 0
	case 5:
		// A zero time inside an interface is the only value that arrives as nil.
		return r.time().AddDate(1, 0, 0)
	case 6:
		return json.Number([]string{"9223372036854775808", "-123456789012345678901234567890"}[r.IntN(2)])
	case 7:
		list := []any{}
		for range r.length(depth) {
			list = append(list, r.dynamic(depth-1))
		}
		return list
	default:
		m := map[string]any{}
		for range r.length(depth) {
			m[r.text()] = r.dynamic(depth - 1)
		}
		return m
	}
}
