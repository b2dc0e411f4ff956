package sandbox

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"slices"

	"golang.org/x/sys/unix"
)

// redirectAll leads every connection of this namespace over TCP to a port of 127.0.0.1, except for those to the loopback addresses and those to
// the port of DNS. So one listener serves all ports. It needs the packet filter of the kernel (nf_tables with NAT), which some kernels lack.
func redirectAll(port uint16) error {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.NETLINK_NETFILTER)
	if err != nil {
		return fmt.Errorf("opening the packet filter: %w", err)
	}
	defer func() { _ = unix.Close(fd) }()
	if err := unix.Sendto(fd, redirectBatch(port), 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		return fmt.Errorf("writing the packet filter: %w", err)
	}
	if err := readAck(fd); err != nil {
		return fmt.Errorf("writing the packet filter: %w", err)
	}
	return nil
}

// readAck reads the kernel's answer to messages of netlink: an error, or that all were followed.
func readAck(fd int) error {
	reply := make([]byte, os.Getpagesize())
	n, _, err := unix.Recvfrom(fd, reply, 0)
	if err != nil {
		return err
	}
	if n < unix.SizeofNlMsghdr+4 || binary.NativeEndian.Uint16(reply[4:]) != unix.NLMSG_ERROR {
		return errors.New("the kernel gave an unexpected answer")
	}
	if code := int32(binary.NativeEndian.Uint32(reply[unix.SizeofNlMsghdr:])); code != 0 {
		return unix.Errno(-code)
	}
	return nil
}

// The parts of nf_tables that are used here and that x/sys does not name.
const (
	redirectName   = "aura"
	redirectReg    = unix.NFT_REG_1
	natPriority    = -100 // where NAT of destinations belongs among the hooks
	protocolOffset = 9    // in a header of IPv4
	targetOffset   = 16   // in a header of IPv4
	portOffset     = 2    // in a header of TCP
)

// redirectBatch returns the messages that make a table with one chain and one rule.
func redirectBatch(port uint16) []byte {
	name := []byte(redirectName + "\x00")
	hook := slices.Concat(attr32(unix.NFTA_HOOK_HOOKNUM, unix.NF_INET_LOCAL_OUT), attr32(unix.NFTA_HOOK_PRIORITY, natPriority&0xffffffff))
	rule := slices.Concat(
		compare(unix.NFT_PAYLOAD_NETWORK_HEADER, protocolOffset, unix.NFT_CMP_EQ, unix.IPPROTO_TCP),
		compare(unix.NFT_PAYLOAD_NETWORK_HEADER, targetOffset, unix.NFT_CMP_NEQ, 127),
		compare(unix.NFT_PAYLOAD_TRANSPORT_HEADER, portOffset, unix.NFT_CMP_NEQ, bigEndian(dnsPort)...),
		expression("immediate", attr32(unix.NFTA_IMMEDIATE_DREG, redirectReg), nested(unix.NFTA_IMMEDIATE_DATA, attr(unix.NFTA_DATA_VALUE, bigEndian(port)))),
		expression("redir", attr32(unix.NFTA_REDIR_REG_PROTO_MIN, redirectReg)),
	)
	const tables = unix.NFNL_SUBSYS_NFTABLES << 8
	return slices.Concat(
		filterMessage(unix.NFNL_MSG_BATCH_BEGIN, 0, unix.AF_UNSPEC, unix.NFNL_SUBSYS_NFTABLES),
		filterMessage(tables|unix.NFT_MSG_NEWTABLE, unix.NLM_F_CREATE, unix.AF_INET, 0, attr(unix.NFTA_TABLE_NAME, name)),
		filterMessage(tables|unix.NFT_MSG_NEWCHAIN, unix.NLM_F_CREATE, unix.AF_INET, 0,
			attr(unix.NFTA_CHAIN_TABLE, name), attr(unix.NFTA_CHAIN_NAME, name), nested(unix.NFTA_CHAIN_HOOK, hook), attr(unix.NFTA_CHAIN_TYPE, []byte("nat\x00"))),
		filterMessage(tables|unix.NFT_MSG_NEWRULE, unix.NLM_F_CREATE|unix.NLM_F_APPEND|unix.NLM_F_ACK, unix.AF_INET, 0,
			attr(unix.NFTA_RULE_TABLE, name), attr(unix.NFTA_RULE_CHAIN, name), nested(unix.NFTA_RULE_EXPRESSIONS, rule)),
		filterMessage(unix.NFNL_MSG_BATCH_END, 0, unix.AF_UNSPEC, unix.NFNL_SUBSYS_NFTABLES),
	)
}

// filterMessage returns a message to the packet filter.
func filterMessage(kind, flags uint16, family byte, resource uint16, attrs ...[]byte) []byte {
	body := slices.Concat(append([][]byte{{family, 0}, bigEndian(resource)}, attrs...)...)
	order := binary.NativeEndian
	m := order.AppendUint32(nil, uint32(unix.SizeofNlMsghdr+len(body)))
	m = order.AppendUint16(m, kind)
	m = order.AppendUint16(m, unix.NLM_F_REQUEST|flags)
	m = append(m, make([]byte, 8)...) // sequence and sender
	return append(m, body...)
}

// attr returns an attribute of netlink, filled up to a multiple of 4 bytes.
func attr(kind uint16, content []byte) []byte {
	out := binary.NativeEndian.AppendUint16(nil, uint16(unix.SizeofRtAttr+len(content)))
	out = append(binary.NativeEndian.AppendUint16(out, kind), content...)
	return append(out, make([]byte, -len(out)&3)...)
}

func attr32(kind uint16, n uint32) []byte { return attr(kind, binary.BigEndian.AppendUint32(nil, n)) }

func nested(kind uint16, content []byte) []byte { return attr(kind|unix.NLA_F_NESTED, content) }

func bigEndian(n uint16) []byte { return binary.BigEndian.AppendUint16(nil, n) }

// expression returns one step of a rule.
func expression(name string, attrs ...[]byte) []byte {
	return nested(unix.NFTA_LIST_ELEM, slices.Concat(attr(unix.NFTA_EXPR_NAME, []byte(name+"\x00")), nested(unix.NFTA_EXPR_DATA, slices.Concat(attrs...))))
}

// compare returns the steps that compare bytes of a header with a value. If the comparison fails, the rule ends.
func compare(header, offset, op uint32, value ...byte) []byte {
	return slices.Concat(
		expression("payload", attr32(unix.NFTA_PAYLOAD_DREG, redirectReg), attr32(unix.NFTA_PAYLOAD_BASE, header),
			attr32(unix.NFTA_PAYLOAD_OFFSET, offset), attr32(unix.NFTA_PAYLOAD_LEN, uint32(len(value)))),
		expression("cmp", attr32(unix.NFTA_CMP_SREG, redirectReg), attr32(unix.NFTA_CMP_OP, op), nested(unix.NFTA_CMP_DATA, attr(unix.NFTA_DATA_VALUE, value))),
	)
}
