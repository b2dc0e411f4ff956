package audit

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"time"
)

// syslogSockets are where the systems listen.
var syslogSockets = []string{"/dev/log", "/var/run/syslog", "/var/run/log"}

// priority is that of all lines: the facility authpriv, whose files are not for everybody, and the severity notice.
const priority = 10<<3 | 5

// syslogger is the log of the system, which adds the time and, on some systems, which user and process sent a line.
type syslogger struct {
	// sockets are tried in order.
	sockets []string
	conn    net.Conn
	// framed is set for a connection on which a newline ends a message; else each write is one.
	framed bool
}

func newSyslog() *syslogger { return &syslogger{sockets: syslogSockets} }

func (s *syslogger) write(ctx context.Context, lines [][]byte) (int, error) {
	if s.conn == nil {
		if err := s.dial(ctx); err != nil {
			return 0, err
		}
	}
	deadline, _ := ctx.Deadline()
	if err := s.conn.SetWriteDeadline(deadline); err != nil {
		return 0, err
	}
	for i, line := range lines {
		message := fmt.Appendf(nil, "<%d>%s aura[%d]: %s", priority, time.Now().Format(time.Stamp), os.Getpid(), bytes.TrimSuffix(line, []byte{'\n'}))
		if s.framed {
			message = append(message, '\n')
		}
		if _, err := s.conn.Write(message); err != nil {
			_ = s.conn.Close() // it is of no use; the next attempt connects again
			s.conn = nil
			return i, fmt.Errorf("sending to syslog: %w", err)
		}
	}
	return len(lines), nil
}

// dial connects to the first socket that answers.
func (s *syslogger) dial(ctx context.Context) error {
	var last error
	for _, path := range s.sockets {
		for _, kind := range []string{"unixgram", "unix"} {
			conn, err := new(net.Dialer).DialContext(ctx, kind, path)
			if err == nil {
				s.conn, s.framed = conn, kind == "unix"
				return nil
			}
			if last == nil {
				last = err
			}
		}
	}
	return fmt.Errorf("connecting to syslog: %w", last)
}
