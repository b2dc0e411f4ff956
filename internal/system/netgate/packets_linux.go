package netgate

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// controlSize is the size of the control message that says which address a packet was sent to.
const controlSize = 64

// replyFrom returns the control message that sends a reply from the address that the question was sent to; nil if that is not known. The
// resolver has every address, so that it answers whichever address the settings of the machine name.
func replyFrom(control []byte) []byte {
	messages, err := unix.ParseSocketControlMessage(control)
	if err != nil {
		return nil
	}
	for _, m := range messages {
		if m.Header.Level != unix.IPPROTO_IP || m.Header.Type != unix.IP_PKTINFO || len(m.Data) < unix.SizeofInet4Pktinfo {
			continue
		}
		info := *(*unix.Inet4Pktinfo)(unsafe.Pointer(&m.Data[0]))
		return unix.PktInfo4(&unix.Inet4Pktinfo{Spec_dst: info.Addr})
	}
	return nil
}
