// Command aura-fleet is the server of a fleet's queue. 'aura fleet serve' starts it and sends it its options on standard input. It ends
// at a signal, or when its input ends.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/idelchi/aura/internal/fleet/server"
)

func main() { os.Exit(run(os.Stdin, os.Stdout, os.Stderr)) }

func run(in io.Reader, out, errs io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	if err := serve(ctx, bufio.NewReader(in), out); err != nil {
		fmt.Fprintln(errs, "aura-fleet:", err)
		return 1
	}
	return 0
}

// serve runs a server until ctx ends or the input does.
func serve(ctx context.Context, in *bufio.Reader, out io.Writer) error {
	line, err := in.ReadBytes('\n')
	if err != nil {
		return errors.New("it is started by 'aura fleet serve', which sends it its options")
	}
	var o server.Options
	if err := json.Unmarshal(line, &o); err != nil {
		return fmt.Errorf("reading the options: %w", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		_, _ = io.Copy(io.Discard, in)
		cancel()
	}()
	s, err := server.Start(o)
	if err != nil {
		return err
	}
	defer s.Stop()
	fmt.Fprintf(out, "listening on %s\n", s.URL())
	if err := s.Prepare(ctx); err != nil {
		if ctx.Err() != nil {
			return nil //nolint:nilerr // the server was ended before its cluster was complete
		}
		return err
	}
	fmt.Fprintln(out, "ready")
	select {
	case <-ctx.Done():
		return nil
	case <-s.Done():
		return errors.New("the server ended")
	}
}
