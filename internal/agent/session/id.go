package session

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"time"
)

// newID returns a UUID of version 7: 48 bits of milliseconds, then random bits, so that the names of journals sort by age.
func newID(now time.Time) string {
	var id [16]byte
	binary.BigEndian.PutUint64(id[:8], uint64(now.UnixMilli())<<16)
	// Read never fails: it ends the program if the system has no source of randomness.
	_, _ = rand.Read(id[6:])
	id[6] = id[6]&0x0f | 0x70
	id[8] = id[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", id[0:4], id[4:6], id[6:8], id[8:10], id[10:16])
}
