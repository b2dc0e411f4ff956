// Command release makes everything that a release of aura holds: archives, packages for Linux, container images, checksums, a list of
// components, provenance, and the files by which Homebrew and Scoop install it. The same commit and the same Go release give the same bytes.
//
// Usage, from the root of the repository:
//
//	go run -C tools/release . -root ../.. -dist ../../dist
//
// It refuses a tree with changes that are not committed, a version without an entry in CHANGELOG.md, and a version whose tag names another
// commit.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// allPlatforms are those of a complete release.
const allPlatforms = "linux-amd64,linux-arm64,darwin-amd64,darwin-arm64,windows-amd64,windows-arm64"

// options are what the command line says.
type options struct {
	root, dist, key, url string
	platforms            []platform
	notes                bool
}

func parse(args []string) (options, error) {
	var o options
	flags := flag.NewFlagSet("release", flag.ContinueOnError)
	flags.StringVar(&o.root, "root", ".", "directory of the repository")
	flags.StringVar(&o.dist, "dist", "dist", "directory to write the release to; it is replaced")
	flags.StringVar(&o.key, "key", "", "file with an Ed25519 private key (PEM, PKCS #8) that signs the provenance")
	flags.StringVar(&o.url, "url", "https://github.com/idelchi/aura/releases/download", "address below which releases are published")
	flags.BoolVar(&o.notes, "notes", false, "print the release notes and make nothing")
	list := flags.String("platforms", allPlatforms, "platforms to build for")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if flags.NArg() > 0 {
		return o, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	var err error
	o.platforms, err = parsePlatforms(*list)
	if err != nil {
		return o, err
	}
	for _, dir := range []*string{&o.root, &o.dist} {
		if *dir, err = filepath.Abs(*dir); err != nil {
			return o, err
		}
	}
	return o, nil
}

// platform is a system and an architecture, as Go names them.
type platform struct{ os, arch string }

func (p platform) String() string { return p.os + "-" + p.arch }

// exe returns the file name of a program.
func (p platform) exe(name string) string {
	if p.os == "windows" {
		return name + ".exe"
	}
	return name
}

func parsePlatforms(list string) ([]platform, error) {
	var out []platform
	for name := range strings.SplitSeq(list, ",") {
		system, arch, ok := strings.Cut(name, "-")
		if !ok || !strings.Contains(","+allPlatforms+",", ","+name+",") {
			return nil, fmt.Errorf("unknown platform %q: the platforms of a release are %s", name, allPlatforms)
		}
		out = append(out, platform{system, arch})
	}
	return out, nil
}

// run writes the result to out, and what it is doing to progress.
func run(ctx context.Context, args []string, out, progress io.Writer) error {
	o, err := parse(args)
	if errors.Is(err, flag.ErrHelp) {
		return nil
	}
	if err != nil {
		return err
	}
	src, err := readSource(ctx, o.root)
	if err != nil {
		return err
	}
	if o.notes {
		_, err := fmt.Fprint(out, src.notes)
		return err
	}
	sign, err := readKey(o.key)
	if err != nil {
		return err
	}
	scratch, err := os.MkdirTemp("", "aura-release-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(scratch) }()
	b, err := compile(ctx, src, o.platforms, scratch, progress)
	if err != nil {
		return err
	}
	if err := src.confirm(b.version); err != nil {
		return err
	}
	fmt.Fprintln(progress, "writing archives, packages and images")
	return write(o, src, b, sign, out)
}

// write makes the files of the release. It replaces the directory only after all of them are complete.
func write(o options, src source, b build, sign signer, out io.Writer) error {
	next := o.dist + ".next"
	if err := errors.Join(os.RemoveAll(next), os.MkdirAll(next, 0o755)); err != nil {
		return fmt.Errorf("making room for the release: %w", err)
	}
	defer func() { _ = os.RemoveAll(next) }()
	r := releaser{src: src, build: b, dir: next, url: o.url, sign: sign}
	if err := r.all(); err != nil {
		return err
	}
	if err := errors.Join(os.RemoveAll(o.dist), os.Rename(next, o.dist)); err != nil {
		return fmt.Errorf("putting the release in place: %w", err)
	}
	for _, a := range r.made {
		fmt.Fprintf(out, "%s  %s\n", a.sha256, a.name)
	}
	return nil
}
