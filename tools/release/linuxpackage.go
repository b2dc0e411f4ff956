package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"

	"github.com/goreleaser/nfpm/v2"
	_ "github.com/goreleaser/nfpm/v2/apk" // the formats register themselves
	_ "github.com/goreleaser/nfpm/v2/deb"
	nfpmfiles "github.com/goreleaser/nfpm/v2/files"
	_ "github.com/goreleaser/nfpm/v2/rpm"
)

// packageFormat is what differs between the kinds of packages.
type packageFormat struct {
	name string
	// zsh is where this system's zsh looks for completions of packages. license is where it keeps licenses.
	zsh, license string
}

var packageFormats = []packageFormat{
	{"deb", "/usr/share/zsh/vendor-completions/_aura", "/usr/share/doc/aura/copyright"},
	{"rpm", "/usr/share/zsh/site-functions/_aura", "/usr/share/licenses/aura/LICENSE"},
	{"apk", "/usr/share/zsh/site-functions/_aura", "/usr/share/licenses/aura/LICENSE"},
}

const summary = "coding agent for the terminal whose plugins run in processes of their own"

// packages writes the packages of a platform.
func (r *releaser) packages(p platform, docs []file) error {
	scratch, err := os.MkdirTemp("", "aura-package-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(scratch) }()
	for _, format := range packageFormats {
		files, err := r.installed(p, format, docs)
		if err != nil {
			return err
		}
		contents, err := stage(filepath.Join(scratch, format.name), files)
		if err != nil {
			return err
		}
		if err := r.pack(p, format.name, contents); err != nil {
			return err
		}
	}
	return nil
}

// installed returns the files of a package, with the paths that they have on the user's machine.
func (r *releaser) installed(p platform, format packageFormat, docs []file) ([]file, error) {
	out := r.programFiles(p, "/usr/bin/")
	for _, f := range docs {
		f.name = "/usr/share/doc/aura/" + f.name
		if path.Base(f.name) == "LICENSE" {
			f.name = format.license
		}
		out = append(out, f)
	}
	for _, f := range r.build.completions {
		if place, ok := map[string]string{
			"aura.bash": "/usr/share/bash-completion/completions/aura",
			"aura.fish": "/usr/share/fish/vendor_completions.d/aura.fish",
			"_aura":     format.zsh,
		}[path.Base(f.name)]; ok {
			f.name = place
			out = append(out, f)
		}
	}
	for _, f := range r.build.man {
		zipped, err := gzipped(f.data)
		if err != nil {
			return nil, err
		}
		out = append(out, file{name: "/usr/share/" + f.name + ".gz", mode: f.mode, data: zipped})
	}
	return out, nil
}

func gzipped(data []byte) ([]byte, error) {
	var out bytes.Buffer
	zw, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	_, err = zw.Write(data)
	err = errors.Join(err, zw.Close())
	return out.Bytes(), err
}

// stage writes files that exist only in memory to a directory, because packages are made from files.
func stage(dir string, files []file) (nfpmfiles.Contents, error) {
	var out nfpmfiles.Contents
	for _, f := range files {
		source := f.path
		if source == "" {
			source = filepath.Join(dir, filepath.FromSlash(f.name))
			if err := errors.Join(os.MkdirAll(filepath.Dir(source), 0o755), os.WriteFile(source, f.data, 0o600)); err != nil {
				return nil, err
			}
		}
		out = append(out, &nfpmfiles.Content{Source: source, Destination: f.name, FileInfo: &nfpmfiles.ContentFileInfo{Mode: f.mode}})
	}
	return out, nil
}

// pack writes one package.
func (r *releaser) pack(p platform, format string, contents nfpmfiles.Contents) error {
	packager, err := nfpm.Get(format)
	if err != nil {
		return err
	}
	info := nfpm.WithDefaults(&nfpm.Info{
		Name: "aura", Arch: p.arch, Platform: p.os, Version: r.src.version, Release: "1", Section: "devel", Priority: "optional",
		Maintainer: "the aura authors <aura@users.noreply.github.com>", Vendor: "the aura authors",
		Homepage: "https://github.com/idelchi/aura", License: "MIT",
		Description: summary, DisableGlobbing: true, MTime: r.src.date,
		Overridables: nfpm.Overridables{
			Contents: contents,
			// aura runs without them, but hardly anybody works without them.
			Recommends: recommended(format),
			// The name of the machine would otherwise be in the package.
			RPM: nfpm.RPM{BuildHost: "localhost", Summary: summary},
		},
	})
	if err := nfpm.PrepareForPackager(info, format); err != nil {
		return fmt.Errorf("preparing the %s package: %w", format, err)
	}
	return r.create(r.name(p, format), p, func(w io.Writer) error { return packager.Package(info, w) })
}

// recommended returns the packages of programs that the tools of aura use. An apk package cannot recommend others.
func recommended(format string) []string {
	if format == "apk" {
		return nil
	}
	return []string{"bash", "ca-certificates", "git"}
}
