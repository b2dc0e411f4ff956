package main

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// The user that the image runs as. Many images have an ordinary user of this number.
const imageUser = 65532

const (
	typeManifest = "application/vnd.oci.image.manifest.v1+json"
	typeIndex    = "application/vnd.oci.image.index.v1+json"
	typeConfig   = "application/vnd.oci.image.config.v1+json"
	typeLayer    = "application/vnd.oci.image.layer.v1.tar+gzip"
)

// descriptor names a blob of an image.
type descriptor struct {
	MediaType   string            `json:"mediaType"`
	Digest      string            `json:"digest"`
	Size        int64             `json:"size"`
	Platform    *imagePlatform    `json:"platform,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
}

type imagePlatform struct {
	Architecture string `json:"architecture"`
	OS           string `json:"os"`
}

// manifest is the manifest of an image, or with Manifests an index of images.
type manifest struct {
	SchemaVersion int               `json:"schemaVersion"`
	MediaType     string            `json:"mediaType"`
	Config        *descriptor       `json:"config,omitempty"`
	Layers        []descriptor      `json:"layers,omitempty"`
	Manifests     []descriptor      `json:"manifests,omitempty"`
	Annotations   map[string]string `json:"annotations,omitempty"`
}

// imageConfig is what the image-spec calls the configuration: how to run the image, and its layers uncompressed.
type imageConfig struct {
	Created string `json:"created"`
	imagePlatform
	Config struct {
		User       string            `json:"User"`
		Env        []string          `json:"Env"`
		Entrypoint []string          `json:"Entrypoint"`
		WorkingDir string            `json:"WorkingDir"`
		Labels     map[string]string `json:"Labels"`
	} `json:"config"`
	RootFS struct {
		Type    string   `json:"type"`
		DiffIDs []string `json:"diff_ids"`
	} `json:"rootfs"`
	History []imageHistory `json:"history"`
}

type imageHistory struct {
	Created   string `json:"created"`
	CreatedBy string `json:"created_by"`
}

// image writes a container image as an archive in the OCI image layout. It has one layer and no base image.
func (r *releaser) image(p platform, docs []file) error {
	scratch, err := os.CreateTemp("", "aura-layer-")
	if err != nil {
		return err
	}
	defer func() { _ = errors.Join(scratch.Close(), os.Remove(scratch.Name())) }()
	layer, diff, err := r.layer(scratch, p, docs)
	if err != nil {
		return fmt.Errorf("writing the layer of the image: %w", err)
	}
	config, configBlob, err := blob(typeConfig, r.imageConfig(p, diff))
	if err != nil {
		return err
	}
	about := map[string]string{
		"org.opencontainers.image.created":  r.src.stamp(),
		"org.opencontainers.image.licenses": "MIT",
		"org.opencontainers.image.revision": r.src.commit,
		"org.opencontainers.image.source":   "https://github.com/idelchi/aura",
		"org.opencontainers.image.title":    "aura",
		"org.opencontainers.image.version":  r.src.version,
	}
	top, manifestBlob, err := blob(typeManifest, manifest{SchemaVersion: 2, MediaType: typeManifest, Config: &config, Layers: []descriptor{layer}, Annotations: about})
	if err != nil {
		return err
	}
	top.Platform = &imagePlatform{p.arch, p.os}
	top.Annotations = map[string]string{"org.opencontainers.image.ref.name": r.src.version}
	_, index, err := blob(typeIndex, manifest{SchemaVersion: 2, MediaType: typeIndex, Manifests: []descriptor{top}})
	if err != nil {
		return err
	}
	const dir = fs.ModeDir | 0o755
	files := []file{
		{name: "blobs/", mode: dir},
		{name: "blobs/sha256/", mode: dir},
		{name: blobName(config), mode: 0o644, data: configBlob},
		{name: blobName(layer), mode: 0o644, path: scratch.Name()},
		{name: blobName(top), mode: 0o644, data: manifestBlob},
		{name: "index.json", mode: 0o644, data: index},
		{name: "oci-layout", mode: 0o644, data: []byte(`{"imageLayoutVersion":"1.0.0"}`)},
	}
	return r.create(r.name(p, "oci.tar"), p, func(w io.Writer) error { return writeTar(w, files, r.src.date) })
}

func blobName(d descriptor) string { return "blobs/sha256/" + d.Digest[len("sha256:"):] }

// blob returns a value as JSON and the descriptor of that.
func blob(mediaType string, value any) (descriptor, []byte, error) {
	data, err := json.Marshal(value)
	if err != nil {
		return descriptor{}, nil, err
	}
	sum := sha256.Sum256(data)
	return descriptor{MediaType: mediaType, Digest: "sha256:" + hex.EncodeToString(sum[:]), Size: int64(len(data))}, data, nil
}

// layer writes the compressed root file system. It returns the descriptor, and the digest of the layer before compression.
func (r *releaser) layer(out *os.File, p platform, docs []file) (descriptor, string, error) {
	compressed, plain := sha256.New(), sha256.New()
	zw, err := gzip.NewWriterLevel(io.MultiWriter(out, compressed), gzip.BestCompression)
	if err != nil {
		return descriptor{}, "", err
	}
	err = errors.Join(writeTar(io.MultiWriter(zw, plain), r.rootFS(p, docs), r.src.date), zw.Close())
	if err != nil {
		return descriptor{}, "", err
	}
	info, err := out.Stat()
	if err != nil {
		return descriptor{}, "", err
	}
	return descriptor{MediaType: typeLayer, Digest: "sha256:" + hex.EncodeToString(compressed.Sum(nil)), Size: info.Size()},
		"sha256:" + hex.EncodeToString(plain.Sum(nil)), nil
}

// rootFS is the image's root file system: aura, what its connections need, and directories that the user can write to. It has no shell and no
// other program: whoever wants them builds an image on a distribution and copies aura into it.
func (r *releaser) rootFS(p platform, docs []file) []file {
	const dir = fs.ModeDir | 0o755
	out := []file{
		{name: "etc/", mode: dir},
		{name: "etc/group", mode: 0o644, data: fmt.Appendf(nil, "root:x:0:\naura:x:%d:\n", imageUser)},
		{name: "etc/passwd", mode: 0o644, data: fmt.Appendf(nil, "root:x:0:0:root:/root:/sbin/nologin\naura:x:%d:%d:aura:/home/aura:/sbin/nologin\n", imageUser, imageUser)},
		{name: "etc/ssl/", mode: dir},
		{name: "etc/ssl/certs/", mode: dir},
		{name: "etc/ssl/certs/ca-certificates.crt", mode: 0o644, data: certificates()},
		{name: "home/", mode: dir},
		{name: "home/aura/", mode: fs.ModeDir | 0o700, owner: imageUser},
		{name: "proc/", mode: dir},
		{name: "tmp/", mode: fs.ModeDir | fs.ModeSticky | 0o777},
		{name: "usr/", mode: dir},
		{name: "usr/bin/", mode: dir},
	}
	out = append(out, r.programFiles(p, "usr/bin/")...)
	out = append(out, file{name: "usr/share/", mode: dir}, file{name: "usr/share/doc/", mode: dir}, file{name: "usr/share/doc/aura/", mode: dir})
	for _, f := range docs {
		f.name = "usr/share/doc/aura/" + f.name
		out = append(out, f)
	}
	return append(out, file{name: "work/", mode: dir, owner: imageUser})
}

// certificates returns the root certificates of Mozilla as PEM. Those that hold only under a condition are left out, because PEM cannot
// express the condition.
func certificates() []byte {
	var out bytes.Buffer
	for root := range bundle.Roots() {
		if root.Constraint == nil {
			_ = pem.Encode(&out, &pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate}) // a buffer takes everything
		}
	}
	return out.Bytes()
}

func (r *releaser) imageConfig(p platform, diff string) imageConfig {
	c := imageConfig{Created: r.src.stamp(), imagePlatform: imagePlatform{p.arch, p.os}}
	c.Config.User = fmt.Sprintf("%d:%d", imageUser, imageUser)
	c.Config.Env = []string{"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=/home/aura"}
	c.Config.Entrypoint = []string{"/usr/bin/aura"}
	c.Config.WorkingDir = "/work"
	c.Config.Labels = map[string]string{"org.opencontainers.image.version": r.src.version, "org.opencontainers.image.revision": r.src.commit}
	c.RootFS.Type, c.RootFS.DiffIDs = "layers", []string{diff}
	c.History = []imageHistory{{Created: r.src.stamp(), CreatedBy: "tools/release"}}
	return c
}
