package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"
)

// file is a file of the release. Its bytes are data, or those of the file at path.
type file struct {
	name string
	mode fs.FileMode
	data []byte
	path string
	// owner is the numeric user and group, for images.
	owner int
}

// open returns the bytes of a file and their number.
func (f file) open() (io.ReadCloser, int64, error) {
	if f.path == "" {
		return io.NopCloser(bytes.NewReader(f.data)), int64(len(f.data)), nil
	}
	in, err := os.Open(f.path)
	if err != nil {
		return nil, 0, err
	}
	info, err := in.Stat()
	if err != nil {
		return nil, 0, errors.Join(err, in.Close())
	}
	return in, info.Size(), nil
}

// copyTo writes the bytes of a file.
func (f file) copyTo(w io.Writer) error {
	in, _, err := f.open()
	if err != nil {
		return err
	}
	_, err = io.Copy(w, in)
	return errors.Join(err, in.Close())
}

// writeTarGz writes an archive. Nothing in it depends on the machine or on the moment.
func writeTarGz(w io.Writer, files []file, date time.Time) error {
	zw, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	return errors.Join(writeTar(zw, files, date), zw.Close())
}

// writeTar writes files in the given order. A name that ends in a slash is a directory.
func writeTar(w io.Writer, files []file, date time.Time) error {
	tw := tar.NewWriter(w)
	for _, f := range files {
		if err := addTar(tw, f, date); err != nil {
			return fmt.Errorf("archiving %s: %w", f.name, err)
		}
	}
	return tw.Close()
}

func addTar(tw *tar.Writer, f file, date time.Time) error {
	header := &tar.Header{Name: f.name, Mode: tarMode(f.mode), ModTime: date, Uid: f.owner, Gid: f.owner, Format: tar.FormatUSTAR}
	if f.mode.IsDir() {
		header.Typeflag = tar.TypeDir
		return tw.WriteHeader(header)
	}
	in, size, err := f.open()
	if err != nil {
		return err
	}
	header.Typeflag, header.Size = tar.TypeReg, size
	err = tw.WriteHeader(header)
	if err == nil {
		_, err = io.Copy(tw, in)
	}
	return errors.Join(err, in.Close())
}

// tarMode returns permissions as archives have them; a directory for everybody has the sticky bit.
func tarMode(m fs.FileMode) int64 {
	const sticky = 0o1000
	mode := int64(m.Perm())
	if m&fs.ModeSticky != 0 {
		mode |= sticky
	}
	return mode
}

// writeZip writes an archive for Windows.
func writeZip(w io.Writer, files []file, date time.Time) error {
	zw := zip.NewWriter(w)
	for _, f := range files {
		header := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: date}
		header.SetMode(f.mode)
		out, err := zw.CreateHeader(header)
		if err == nil {
			err = f.copyTo(out)
		}
		if err != nil {
			return fmt.Errorf("archiving %s: %w", f.name, err)
		}
	}
	return zw.Close()
}
