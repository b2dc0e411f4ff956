// Command vulnerabilities looks for known vulnerabilities in built programs, with govulncheck. Without its database it says so and succeeds: a
// machine without a network can check everything else.
//
// Usage, from the root of the repository:
//
//	go run -C tools/release ./vulnerabilities ../../bin/aura ../../bin/aura-plugin-host ../../bin/aura-tool-host
//
// GOVULNDB names another database, such as a copy: file:///path/to/it. With -required, a database that cannot be reached is an error.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"path/filepath"
	"time"

	"golang.org/x/vuln/scan"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Getenv("GOVULNDB"), os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "vulnerabilities:", err)
		os.Exit(1)
	}
}

// official is the database that govulncheck uses by itself.
const official = "https://vuln.go.dev"

// patience is how long the database may take to answer.
const patience = 20 * time.Second

func run(ctx context.Context, args []string, database string, out io.Writer) error {
	flags := flag.NewFlagSet("vulnerabilities", flag.ContinueOnError)
	required := flags.Bool("required", false, "fail if the database cannot be reached")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() == 0 {
		return errors.New("no program given")
	}
	if database == "" {
		database = official
	}
	if err := reach(ctx, database); err != nil {
		err = fmt.Errorf("the database of vulnerabilities cannot be reached, set GOVULNDB to a copy of it: %w", err)
		if *required {
			return err
		}
		fmt.Fprintln(out, "skipped:", err)
		return nil
	}
	for _, program := range flags.Args() {
		cmd := scan.Command(ctx, "-db", database, "-mode", "binary", program)
		cmd.Stdout, cmd.Stderr = out, out
		if err := errors.Join(cmd.Start(), cmd.Wait()); err != nil {
			return fmt.Errorf("checking %s: %w", program, err)
		}
	}
	return nil
}

// reach reports whether a database answers.
func reach(ctx context.Context, database string) error {
	u, err := url.Parse(database)
	if err != nil {
		return err
	}
	const index = "index/db.json"
	if u.Scheme == "file" {
		_, err := os.Stat(filepath.Join(filepath.FromSlash(u.Path), filepath.FromSlash(index)))
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, u.JoinPath(index).String(), nil)
	if err != nil {
		return err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answers %s", request.URL, answer.Status)
	}
	return nil
}
