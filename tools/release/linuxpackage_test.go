package main

import (
	"bytes"
	"strconv"
	"strings"
	"testing"
)

// TestPackages reads the deb and apk packages. docs/install-aura.md installs the deb and rpm packages of a real release.
func TestPackages(t *testing.T) {
	t.Parallel()
	made := make1(t, nil, platform{"linux", "arm64"})
	// An apk package is several compressed archives, one after the other.
	apk := untar(t, gunzip(t, made["aura-0.1.0-linux-arm64.apk"]))
	deb := unar(t, made["aura-0.1.0-linux-arm64.deb"])
	control, debFiles := untar(t, gunzip(t, deb["control.tar.gz"])), untar(t, gunzip(t, deb["data.tar.gz"]))
	for _, row := range []struct{ what, text, want string }{
		{"apk", apk[".PKGINFO"], "pkgver = 0.1.0-r1\n"},
		{"apk", apk[".PKGINFO"], "arch = aarch64\n"},
		{"apk", apk["usr/bin/aura"], "0755 program aura for linux-arm64"},
		{"apk", apk["usr/share/zsh/site-functions/_aura"], "#compdef"},
		{"deb", control["./control"], "\nVersion: 0.1.0-1\n"},
		{"deb", control["./control"], "\nArchitecture: arm64\n"},
		{"deb", control["./control"], "\nRecommends: bash, ca-certificates, git\n"},
		{"deb", debFiles["./usr/bin/aura-plugin-host"], "0755 program aura-plugin-host for linux-arm64"},
		{"deb", debFiles["./usr/bin/aura-tool-host"], "0755 program aura-tool-host for linux-arm64"},
		{"deb", debFiles["./usr/share/doc/aura/copyright"], "0644 MIT"},
		{"deb", debFiles["./usr/share/bash-completion/completions/aura"], "complete"},
	} {
		if !strings.Contains(row.text, row.want) {
			t.Errorf("%s: no %q in %q", row.what, row.want, row.text)
		}
	}
	page := strings.TrimPrefix(debFiles["./usr/share/man/man1/aura.1.gz"], "0644 ")
	if got := gunzip(t, []byte(page)); string(got) != ".TH aura 1\n" {
		t.Errorf("got manual page %q", got)
	}
}

// unar returns the files in an ar archive.
func unar(t *testing.T, data []byte) map[string][]byte {
	t.Helper()
	const header, name, size, sizeEnd = 60, 16, 48, 58
	data, ok := bytes.CutPrefix(data, []byte("!<arch>\n"))
	if !ok {
		t.Fatal("not an ar archive")
	}
	out := map[string][]byte{}
	for len(data) >= header {
		n, err := strconv.Atoi(strings.TrimSpace(string(data[size:sizeEnd])))
		if err != nil {
			t.Fatal(err)
		}
		out[strings.TrimRight(string(data[:name]), " /")] = data[header : header+n]
		data = data[min(header+n+n%2, len(data)):]
	}
	return out
}
