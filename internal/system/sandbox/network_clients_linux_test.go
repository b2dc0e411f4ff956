package sandbox_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/idelchi/aura/internal/lab/testneed"
	"github.com/idelchi/aura/internal/system/netgate"
	"github.com/idelchi/aura/internal/system/sandbox"
)

// clients are programs that fetch something. Each prints hello if it got it. They use no proxy and know nothing of the gate; the variables of
// clientEnv only name our certificate. HOST and SSHHOST are names.
var clients = map[string]struct {
	needs   []testneed.Ability
	command string
	// long is set for clients that take seconds to start, and that resolve and connect as another one does.
	long bool
}{
	"curl":              {[]testneed.Ability{"curl"}, `curl -sS https://$HOST/hello`, false},
	"wget":              {[]testneed.Ability{"wget"}, `wget -nv --ca-certificate=$SSL_CERT_FILE -O- https://$HOST/hello`, false},
	"git over https":    {[]testneed.Ability{"git"}, `git clone -q https://$HOST/repo.git . && cat greeting`, false},
	"git over ssh":      {[]testneed.Ability{"git", "ssh"}, `git clone -q ssh://git@$SSHHOST/ . && cat greeting`, false},
	"go get":            {[]testneed.Ability{"go"}, `export GOPROXY=https://$HOST/proxy && go mod init x && go get example.com/hello@v1.0.0 && cat go.mod`, true},
	"npm":               {[]testneed.Ability{"npm"}, `npm install --registry=https://$HOST/npm/ --no-audit --no-fund hello && cat node_modules/hello/greeting`, true},
	"pip":               {[]testneed.Ability{"pip"}, `python3 -m pip download -q --no-deps --index-url=https://$HOST/simple -d . hello && ls`, true},
	"fetch of Node":     {[]testneed.Ability{"node"}, `node -e 'fetch("https://"+process.env.HOST+"/hello").then(r=>r.text()).then(console.log).catch(e=>{console.error(e.cause||e); process.exit(1)})'`, false},
	"Python":            {[]testneed.Ability{"python"}, `python3 -c 'import os,urllib.request as r; print(r.urlopen("https://"+os.environ["HOST"]+"/hello").read())'`, false},
	"sockets of Python": {[]testneed.Ability{"python"}, `python3 -c 'import os,socket,ssl; h=os.environ["HOST"]; s=ssl.create_default_context().wrap_socket(socket.create_connection((h,443)),server_hostname=h); s.sendall(b"GET /hello HTTP/1.0\r\nHost: "+h.encode()+b"\r\n\r\n"); print(s.makefile().read())'`, false},
	"requests":          {[]testneed.Ability{"requests"}, `python3 -c 'import os,requests; print(requests.get("https://"+os.environ["HOST"]+"/hello").text)'`, false},
	"a static program":  {nil, "", false},
}

// clientTime is how long a client may take. Some need seconds to start.
const clientTime = 2 * time.Minute

func init() {
	networkDeeds["client"] = func(_ context.Context, line string) (string, error) {
		// The limit of other deeds does not hold here.
		ctx, cancel := context.WithTimeout(context.Background(), clientTime)
		defer cancel()
		return deed{"shell", line}.do(ctx)
	}
	networkDeeds["get"] = func(_ context.Context, address string) (string, error) {
		r, err := http.Get(address) //nolint:gosec,noctx // the address is ours
		if err != nil {
			return "", err
		}
		defer func() { _ = r.Body.Close() }()
		text, err := io.ReadAll(r.Body)
		return string(text), err
	}
}

// TestNetworkClients fetches from servers of ours, and from a host that no rule names. The second fails with a clear error, and the result names the host.
func TestNetworkClients(t *testing.T) {
	t.Parallel()
	c, _ := netScene(t)
	web, certificate := packageServer(t, c.Dir)
	sshPort := gitServer(t)
	if os.Getenv(ownNetwork) != "" {
		serveInternet(t, map[uint16]uint16{443: web, 22: sshPort})
	}
	c.Policy = freePaths(t, c)
	for name, client := range clients {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if client.long {
				testneed.Long(t)
			}
			for _, need := range client.needs {
				testneed.Program(t, need)
			}
			for _, domain := range []string{"example", "test"} {
				c := c
				host, sshHost := fmt.Sprintf("p%d.%s", web, domain), fmt.Sprintf("p%d.%s", sshPort, domain)
				work := filepath.Join(c.Dir, strings.ReplaceAll(name, " ", "-")+"-"+domain)
				if err := os.Mkdir(work, 0o755); err != nil {
					t.Fatal(err)
				}
				c.Env = append(clientEnv(work, certificate), "HOST="+host, "SSHHOST="+sshHost)
				do := deed{"client", "cd '" + work + "' && " + client.command}
				if client.command == "" {
					do = deed{"get", "https://" + host + "/hello"}
				}
				c.Call.Args, _ = json.Marshal(do)
				start := time.Now()
				r, err := sandbox.Run(t.Context(), c)
				t.Logf("%s: %s: %.200s, %v", host, time.Since(start).Round(time.Millisecond), r.Value, err)
				named := slices.ContainsFunc(r.Refused, func(e netgate.Event) bool { return e.Host == host || e.Host == sshHost })
				switch domain {
				case "example":
					if err != nil || !strings.Contains(string(r.Value), "hello") || len(r.Refused) > 0 {
						t.Errorf("%s: got %s, %v, refused %v", host, r.Value, err, r.Refused)
					}
				default:
					if err == nil || strings.TrimSpace(err.Error()) == "exit status 1" || !named {
						t.Errorf("%s: got %s, %v, refused %v", host, r.Value, err, r.Refused)
					}
				}
			}
		})
	}
}

// freePaths is the policy of the scene with the programs of this machine.
func freePaths(t *testing.T, c sandbox.Command) sandbox.Policy {
	t.Helper()
	var g sandbox.Grants
	t.Cleanup(g.Close)
	g.UseHelper(c.Executable)
	p := command(t, "network").Policy
	p.ReadWrite, p.Network, p.Hosts = append(p.ReadWrite, c.Dir), false, c.Policy.Hosts
	for _, bin := range programDirs() {
		p.ReadOnly = append(p.ReadOnly, filepath.Dir(bin))
	}
	return g.Open(p)
}

// programDirs are the directories of the programs of Go and Python, which can be in the home directory.
func programDirs() []string {
	var out []string
	if path, err := exec.LookPath("go"); err == nil {
		out = append(out, filepath.Dir(path))
	}
	if prefix, err := exec.Command("python3", "-I", "-c", "import sys; print(sys.base_prefix)").Output(); err == nil {
		out = append(out, filepath.Join(strings.TrimSpace(string(prefix)), "bin"))
	}
	return out
}

// clientEnv is the environment of clients.
func clientEnv(dir, certificate string) []string {
	path := strings.Join(append(programDirs(), "/usr/local/bin", "/usr/bin", "/bin"), ":")
	env := []string{
		quickExit, "PATH=" + path, "HOME=" + dir, "GOFLAGS=-mod=mod", "GOSUMDB=off", "GOTOOLCHAIN=local", "GOMODCACHE=" + dir + "/mod", "GOCACHE=" + dir + "/cache", "GOTELEMETRY=off",
		"GIT_SSH_COMMAND=ssh -F none -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR", "PIP_NO_CACHE_DIR=1", "PIP_DISABLE_PIP_VERSION_CHECK=1",
		"npm_config_update_notifier=false", "npm_config_fetch_retries=0", "PIP_RETRIES=0", "npm_config_cache=" + dir + "/npm",
	}
	for _, name := range []string{"SSL_CERT_FILE", "CURL_CA_BUNDLE", "GIT_SSL_CAINFO", "NODE_EXTRA_CA_CERTS", "PIP_CERT", "npm_config_cafile", "REQUESTS_CA_BUNDLE"} {
		env = append(env, name+"="+certificate)
	}
	return env
}

// packageServer serves a file, a repository, and packages, over TLS. It returns its port and the file of its certificate.
func packageServer(t *testing.T, dir string) (port uint16, certificate string) {
	t.Helper()
	mux := http.NewServeMux()
	text := func(path string, content []byte) {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(content) })
	}
	text("/hello", []byte("hello"))
	if repo := greetingRepo(t); repo != "" {
		mux.Handle("/repo.git/", http.StripPrefix("/repo.git/", http.FileServer(http.Dir(filepath.Join(repo, ".git")))))
	}
	const module = "module example.com/hello\n"
	text("/proxy/example.com/hello/@v/list", []byte("v1.0.0\n"))
	text("/proxy/example.com/hello/@v/v1.0.0.info", []byte(`{"Version":"v1.0.0","Time":"2020-01-01T00:00:00Z"}`))
	text("/proxy/example.com/hello/@v/v1.0.0.mod", []byte(module))
	text("/proxy/example.com/hello/@v/v1.0.0.zip", zipped(t, map[string]string{"example.com/hello@v1.0.0/go.mod": module, "example.com/hello@v1.0.0/hello.go": "package hello\n"}))
	text("/npm/hello.tgz", tarred(t, map[string]string{"package/package.json": `{"name":"hello","version":"1.0.0"}`, "package/greeting": "hello"}))
	mux.HandleFunc("/npm/hello", func(w http.ResponseWriter, r *http.Request) {
		_, _ = fmt.Fprintf(w, `{"name":"hello","dist-tags":{"latest":"1.0.0"},"versions":{"1.0.0":{"name":"hello","version":"1.0.0","dist":{"tarball":"https://%s/npm/hello.tgz"}}}}`, r.Host)
	})
	const wheel = "hello-1.0-py3-none-any.whl"
	text("/simple/hello/", []byte(`<!DOCTYPE html><html><body><a href="/`+wheel+`">`+wheel+`</a></body></html>`))
	text("/"+wheel, zipped(t, map[string]string{
		"hello.py": "", "hello-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: hello\nVersion: 1.0\n", "hello-1.0.dist-info/RECORD": "",
		"hello-1.0.dist-info/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
	}))
	server := httptest.NewUnstartedServer(mux)
	port = netip.MustParseAddrPort(server.Listener.Addr().String()).Port()
	pair, authority := certificateFor(t, dir, fmt.Sprintf("p%d.example", port))
	server.TLS = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
	server.StartTLS()
	t.Cleanup(server.Close)
	return port, authority
}

// certificateFor makes a certificate for a name, and a file with it in a directory.
func certificateFor(t *testing.T, dir, name string) (pair tls.Certificate, file string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	about := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"}, DNSNames: []string{name}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, about, about, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(dir, "certificate.pem")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o644); err != nil { //nolint:gosec // confined processes read it
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, file
}

func zipped(t *testing.T, files map[string]string) []byte {
	t.Helper()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for name, content := range files {
		w, err := z.Create(name)
		if err == nil {
			_, err = io.WriteString(w, content)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func tarred(t *testing.T, files map[string]string) []byte {
	t.Helper()
	var out bytes.Buffer
	g := gzip.NewWriter(&out)
	w := tar.NewWriter(g)
	for name, content := range files {
		err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(content))})
		if err == nil {
			_, err = io.WriteString(w, content)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// greetingRepo makes a repository with a file that can be fetched without a program on the server's side; empty if git is missing.
func greetingRepo(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		return ""
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "greeting"), []byte("hello\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"init", "-q"}, {"add", "."}, {"-c", "user.name=x", "-c", "user.email=x", "commit", "-q", "-m", "x"}, {"update-server-info"},
	} {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
	}
	return dir
}

// gitServer serves the repository over ssh to everybody, and returns its port.
func gitServer(t *testing.T) uint16 {
	t.Helper()
	repo := greetingRepo(t)
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := ssh.NewSignerFromKey(key)
	if err != nil {
		t.Fatal(err)
	}
	config := &ssh.ServerConfig{NoClientAuth: true}
	config.AddHostKey(signer)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go serveGit(conn, config, repo)
		}
	}()
	return netip.MustParseAddrPort(l.Addr().String()).Port()
}

// serveGit answers every command of a connection with the repository.
func serveGit(raw net.Conn, config *ssh.ServerConfig, repo string) {
	conn, channels, requests, err := ssh.NewServerConn(raw, config)
	if err != nil {
		return
	}
	defer func() { _ = conn.Close() }()
	go ssh.DiscardRequests(requests)
	for ch := range channels {
		channel, requests, err := ch.Accept()
		if err != nil {
			return
		}
		for r := range requests {
			_ = r.Reply(r.Type == "exec", nil)
			if r.Type != "exec" {
				continue
			}
			cmd := exec.Command("git-upload-pack", repo)
			cmd.Stdout = channel
			in, err := cmd.StdinPipe()
			if err == nil {
				err = cmd.Start()
			}
			if err != nil {
				return
			}
			go func() {
				_, _ = io.Copy(in, channel)
				_ = in.Close()
			}()
			_ = cmd.Wait()
			_, _ = channel.SendRequest("exit-status", false, ssh.Marshal(struct{ Status uint32 }{}))
			_ = channel.Close()
			break
		}
	}
}
