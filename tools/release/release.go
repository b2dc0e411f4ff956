package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// releaser writes the files of a release into a directory.
type releaser struct {
	src   source
	build build
	dir   string
	url   string
	sign  signer
	made  []artifact
}

// artifact is a file of the release.
type artifact struct {
	name, sha256 string
	// platform is what an archive is for; other files have none.
	platform platform
}

// checksums is the file that lists all others.
const checksums = "SHA256SUMS"

// all writes everything. Later files are about earlier ones: the checksums about all but themselves.
func (r *releaser) all() error {
	docs, err := r.documents()
	if err != nil {
		return err
	}
	for _, p := range r.build.platforms {
		if err := r.archive(p, docs); err != nil {
			return err
		}
		if p.os != "linux" {
			continue
		}
		if err := errors.Join(r.packages(p, docs), r.image(p, docs)); err != nil {
			return err
		}
	}
	for _, step := range []func() error{r.installers, r.registry, r.components, r.releaseNotes, r.provenance, r.sums} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// name returns the name of a file about a platform.
func (r *releaser) name(p platform, extension string) string {
	return fmt.Sprintf("aura-%s-%s-%s.%s", r.src.version, p.os, p.arch, extension)
}

// documents are the files for people that every archive, package and image holds.
func (r *releaser) documents() ([]file, error) {
	var out []file
	for _, name := range []string{"LICENSE", "README.md"} {
		text, err := os.ReadFile(filepath.Join(r.src.root, name))
		if err != nil {
			return nil, err
		}
		if name == "README.md" {
			text = absoluteLinks(text, r.src.commit)
		}
		out = append(out, file{name: name, mode: 0o644, data: text})
	}
	return append(out,
		file{name: "CHANGELOG.md", mode: 0o644, data: []byte(r.src.notes)},
		file{name: "THIRD-PARTY-LICENSES.txt", mode: 0o644, data: r.build.licenses}), nil
}

// absoluteLinks lets the links and the pictures of the README lead somewhere outside of a clone.
func absoluteLinks(text []byte, commit string) []byte {
	raw := "https://github.com/idelchi/aura/raw/" + commit + "/"
	text = relativePicture.ReplaceAll(text, []byte(`${1}="`+strings.ReplaceAll(raw, "$", "$$")+`${2}"`))
	base := "https://github.com/idelchi/aura/blob/" + commit + "/"
	return relativeLink.ReplaceAll(text, []byte("](${1}"+strings.ReplaceAll(base, "$", "$$")+"${2})"))
}

// programFiles are the programs, with the names that they have below a directory.
func (r *releaser) programFiles(p platform, dir string) []file {
	var out []file
	for _, name := range programs {
		out = append(out, file{name: dir + p.exe(name), mode: 0o755, path: r.build.program(p, name)})
	}
	return out
}

// archive writes the archive of a platform. Everything in it is in one directory.
func (r *releaser) archive(p platform, docs []file) error {
	top := fmt.Sprintf("aura-%s-%s/", r.src.version, p)
	files := r.programFiles(p, "")
	for _, more := range [][]file{docs, r.build.completions, r.build.man} {
		files = append(files, more...)
	}
	for i := range files {
		files[i].name = top + files[i].name
	}
	extension, format := "tar.gz", writeTarGz
	if p.os == "windows" {
		extension, format = "zip", writeZip
	}
	return r.create(r.name(p, extension), p, func(w io.Writer) error { return format(w, files, r.src.date) })
}

// create writes a file and remembers its checksum.
func (r *releaser) create(name string, p platform, write func(io.Writer) error) error {
	out, err := os.OpenFile(filepath.Join(r.dir, name), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644) //nolint:gosec // everybody may read a release
	if err != nil {
		return err
	}
	sum := sha256.New()
	err = errors.Join(write(io.MultiWriter(out, sum)), out.Close())
	if err != nil {
		return fmt.Errorf("writing %s: %w", name, err)
	}
	r.made = append(r.made, artifact{name: name, sha256: hex.EncodeToString(sum.Sum(nil)), platform: p})
	return nil
}

// text writes a file that was made in memory.
func (r *releaser) text(name string, data []byte) error {
	return r.create(name, platform{}, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// releaseNotes writes what a page about the release shows.
func (r *releaser) releaseNotes() error {
	return r.text("release-notes.md", []byte(r.src.notes))
}

// sums writes the checksums in the form that sha256sum --check reads.
func (r *releaser) sums() error {
	var b strings.Builder
	for _, a := range r.made {
		fmt.Fprintf(&b, "%s  %s\n", a.sha256, a.name)
	}
	return r.text(checksums, []byte(b.String()))
}

// archiveOf returns the archive of a platform, if the release has it.
func (r *releaser) archiveOf(p platform) (artifact, bool) {
	for _, a := range r.made {
		if a.platform == p && (strings.HasSuffix(a.name, ".tar.gz") || strings.HasSuffix(a.name, ".zip")) {
			return a, true
		}
	}
	return artifact{}, false
}
