package netgate

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/netip"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"github.com/idelchi/aura/internal/system/network"
)

// block is the block of addresses that stand for names. It is reserved for measurements of network devices, so no host has one of them.
var block = netip.MustParsePrefix("198.18.0.0/15")

const (
	// maxQuestion is the size of the largest question that is read, in bytes. The name has at most 255 bytes.
	maxQuestion = 1024
	// maxQuestions is how many questions of a namespace are answered in a second, and at once. The others are dropped unread.
	maxQuestions = 5000
	// maxStreamed is how many questions a connection may ask.
	maxStreamed = 50
	// maxStreams is how many connections to the resolver of a namespace are open at a time.
	maxStreams = 8
	// streamTime is how long a connection to the resolver may stay open. A client asks its questions at once.
	streamTime = 5 * time.Second
	// lifetime is how long a client may remember an answer, in seconds. The answer does not change while the process runs.
	lifetime = 60
)

// answerPackets answers questions that come as packets.
func (s *session) answerPackets(ctx context.Context, conn *net.UDPConn) {
	buffer, control := make([]byte, maxQuestion), make([]byte, controlSize)
	pace := newBudget(maxQuestions, maxQuestions)
	for {
		n, size, _, from, err := conn.ReadMsgUDPAddrPort(buffer, control)
		if err != nil {
			if ctx.Err() != nil || errors.Is(err, net.ErrClosed) {
				return
			}
			continue
		}
		if !pace.take() {
			continue // a client that does not get an answer asks again
		}
		if reply := s.answer(buffer[:n]); reply != nil {
			_, _, _ = conn.WriteMsgUDPAddrPort(reply, replyFrom(control[:size]), from)
		}
	}
}

// answerStream answers the questions of a connection.
func (s *session) answerStream(_ context.Context, conn net.Conn) {
	_ = conn.SetDeadline(time.Now().Add(streamTime))
	for range maxStreamed {
		var size [2]byte
		if _, err := io.ReadFull(conn, size[:]); err != nil {
			return
		}
		question := make([]byte, binary.BigEndian.Uint16(size[:]))
		if len(question) > maxQuestion {
			return
		}
		if _, err := io.ReadFull(conn, question); err != nil {
			return
		}
		reply := s.answer(question)
		if reply == nil {
			return
		}
		if _, err := conn.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(reply))), reply...)); err != nil {
			return
		}
	}
}

// answer returns the answer to a question; nil if there is none. A name that may be reached has one address, which means the name, and
// no other record. Nothing is asked outside, so no question carries data there.
func (s *session) answer(question []byte) []byte {
	var p dnsmessage.Parser
	head, err := p.Start(question)
	if err != nil || head.Response {
		return nil
	}
	reply := dnsmessage.Header{ID: head.ID, Response: true, OpCode: head.OpCode, RecursionDesired: head.RecursionDesired, RecursionAvailable: true}
	q, err := p.Question()
	if err != nil {
		reply.RCode = dnsmessage.RCodeFormatError
		return pack(reply, nil, netip.Addr{})
	}
	if _, err := p.Question(); !errors.Is(err, dnsmessage.ErrSectionDone) {
		reply.RCode = dnsmessage.RCodeFormatError
		return pack(reply, nil, netip.Addr{})
	}
	if head.OpCode != 0 || q.Class != dnsmessage.ClassINET {
		reply.RCode = dnsmessage.RCodeNotImplemented
		return pack(reply, &q, netip.Addr{})
	}
	var addr netip.Addr
	reply.RCode, addr = s.lookUp(q)
	return pack(reply, &q, addr)
}

// lookUp returns the address for a question, if there is one.
func (s *session) lookUp(q dnsmessage.Question) (dnsmessage.RCode, netip.Addr) {
	name, err := network.Name(q.Name.String())
	if err != nil || !s.rules.Answerable(name) {
		asksAddress := q.Type == dnsmessage.TypeA || q.Type == dnsmessage.TypeAAAA
		if err == nil && asksAddress {
			s.reports.add(Event{Host: name, Rule: s.rules.Decide(name, httpsPort).Rule})
		}
		return dnsmessage.RCodeNameError, netip.Addr{}
	}
	if q.Type != dnsmessage.TypeA {
		return dnsmessage.RCodeSuccess, netip.Addr{}
	}
	addr := s.addressOf(name)
	if !addr.IsValid() {
		return dnsmessage.RCodeRefused, addr
	}
	return dnsmessage.RCodeSuccess, addr
}

// httpsPort is the port for which a refused name is explained.
const httpsPort = 443

// addressOf returns the address that means a name. It is not valid if there are too many names.
func (s *session) addressOf(name string) netip.Addr {
	s.mu.Lock()
	defer s.mu.Unlock()
	addr, ok := s.names[name]
	if !ok && len(s.names) < maxNames {
		addr = addressAt((s.before*maxNames + len(s.names)) % blockNames)
		s.names[name], s.hosts[addr] = addr, name
	}
	return addr
}

// blockNames is how many names the block has addresses for. Its first address stands for none.
const blockNames = 1<<17 - maxNames

// addressAt returns the address with a number in the block.
func addressAt(n int) netip.Addr {
	first := block.Addr().As4()
	return netip.AddrFrom4([4]byte(binary.BigEndian.AppendUint32(nil, binary.BigEndian.Uint32(first[:])+1+uint32(n))))
}

// pack returns an answer; nil if it cannot be written.
func pack(head dnsmessage.Header, q *dnsmessage.Question, addr netip.Addr) []byte {
	m := dnsmessage.Message{Header: head}
	if q != nil {
		m.Questions = []dnsmessage.Question{*q}
	}
	if addr.IsValid() {
		m.Answers = []dnsmessage.Resource{{
			Header: dnsmessage.ResourceHeader{Name: q.Name, Class: dnsmessage.ClassINET, TTL: lifetime},
			Body:   &dnsmessage.AResource{A: addr.As4()},
		}}
	}
	out, err := m.Pack()
	if err != nil {
		return nil
	}
	return out
}
