package web

import (
	"cmp"
	"compress/gzip"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/base/limit"
	"github.com/idelchi/aura/internal/base/plaintext"
)

// The limits of a fetch.
const (
	// patience is how long a server may take until its answer begins, and then for the rest of it.
	patience = 30 * time.Second
	// maxHeader is the maximum size of the header of an answer, in bytes.
	maxHeader = 64 << 10
)

// Fetcher fetches pages.
type Fetcher struct {
	// Dial opens connections. It must refuse what must not be reached.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// Patience is how long a server may take until its answer begins, and then for the rest of it. Zero means half a minute.
	Patience time.Duration
	// TLS may be nil.
	TLS *tls.Config
	// Decode reads what is not UTF-8. Without it, a page in another encoding is an error.
	Decode Decode
}

// Decode returns data in UTF-8. The type that a server names, a byte order mark and the data itself name its encoding.
type Decode func(data []byte, contentType string) []byte

// Page is what a URL led to.
type Page struct {
	// URL is the address of the page, after redirects.
	URL string
	// Type is the media type.
	Type string
	// Status is empty for a success.
	Status string
	// Elsewhere is the URL on another host that the server redirects to. The page has no content then.
	Elsewhere string
	// Text is the text of the page. Shortened is set if the page goes on after it.
	Text      string
	Shortened bool
	// Data is a media file in the place of a text.
	Data []byte
	// Other is the size of a content that is neither, in bytes.
	Other int
}

// errTooSlow is the cause of a fetch that lost patience.
var errTooSlow = errors.New("the server is too slow")

// Get fetches a page.
func (f Fetcher) Get(ctx context.Context, address *url.URL) (Page, error) {
	wait := cmp.Or(f.Patience, patience)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	client := http.Client{CheckRedirect: follow, Transport: &http.Transport{
		DialContext: f.Dial, TLSClientConfig: f.TLS, TLSHandshakeTimeout: wait, ResponseHeaderTimeout: wait,
		MaxResponseHeaderBytes: maxHeader, DisableCompression: true, DisableKeepAlives: true,
	}}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address.String(), nil)
	if err != nil {
		return Page{}, errors.New("it is no URL")
	}
	request.Header.Set("User-Agent", "Mozilla/5.0 (compatible; aura)")
	request.Header.Set("Accept", "text/markdown, text/html;q=0.9, text/*;q=0.8, */*;q=0.5")
	request.Header.Set("Accept-Encoding", "gzip")
	response, err := client.Do(request)
	if err != nil {
		return Page{}, explain(ctx, err)
	}
	defer func() { _ = response.Body.Close() }()
	slow := time.AfterFunc(wait, func() { cancel(errTooSlow) })
	defer slow.Stop()
	page, err := f.read(response)
	if err != nil {
		return Page{}, explain(ctx, err)
	}
	return page, nil
}

// explain returns the reason of a failure without the words of the library around it, which repeat the URL.
func explain(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if e, ok := errors.AsType[*url.Error](err); ok {
		err = e.Err
	}
	if e, ok := errors.AsType[net.Error](err); ok && e.Timeout() {
		return errTooSlow
	}
	return err
}

// follow lets a redirect to the same host happen. Of any other, the client returns the answer itself.
func follow(next *http.Request, via []*http.Request) error {
	if len(via) > limit.PageRedirects {
		return fmt.Errorf("the server redirects more than %d times", limit.PageRedirects)
	}
	secure(next.URL)
	if !sameHost(next.URL, via[0].URL) || next.URL.Scheme != via[0].URL.Scheme || next.URL.User != nil {
		return http.ErrUseLastResponse
	}
	next.Header.Del("Referer")
	return nil
}

// read reads an answer.
func (f Fetcher) read(r *http.Response) (Page, error) {
	page := Page{URL: r.Request.URL.String()}
	if to := r.Header.Get("Location"); r.StatusCode/100 == 3 && to != "" {
		there, err := r.Request.URL.Parse(to)
		if err != nil {
			return Page{}, errors.New("the server redirects to something that is no URL")
		}
		page.Elsewhere = plaintext.Line(there.Redacted())
		return page, nil
	}
	if r.StatusCode/100 != 2 {
		page.Status = fmt.Sprintf("%d %s", r.StatusCode, cmp.Or(http.StatusText(r.StatusCode), "(unknown)"))
	}
	body, err := unpacked(r)
	if err != nil {
		return Page{}, err
	}
	head, err := io.ReadAll(io.LimitReader(body, files.Head))
	if err != nil {
		return Page{}, fmt.Errorf("reading the page: %w", err)
	}
	most := limit.PageSource
	page.Type = files.MediaType(head)
	if page.Type != "" {
		most = limit.Media(page.Type)
	}
	rest, err := io.ReadAll(io.LimitReader(body, int64(most-len(head)+1)))
	if err != nil {
		return Page{}, fmt.Errorf("reading the page: %w", err)
	}
	data := append(head, rest...)
	switch {
	case page.Type != "" && len(data) > most:
		return Page{}, fmt.Errorf("it is a file of type %s with more than %s", page.Type, limit.Size(most))
	case page.Type != "":
		page.Data = data
		return page, nil
	case len(data) > most:
		page.Shortened, data = true, data[:most]
	}
	said := r.Header.Get("Content-Type")
	page.Type, _, _ = mime.ParseMediaType(said)
	page.Type = plaintext.Line(page.Type)
	return page, page.fill(r.Request.URL, said, data, f.Decode)
}

// unpacked returns the body of an answer without its compression. It stops after the largest file that anybody takes, packed or not.
func unpacked(r *http.Response) (io.Reader, error) {
	packed := io.LimitReader(r.Body, int64(limit.PDF)+maxHeader)
	switch coding := strings.ToLower(r.Header.Get("Content-Encoding")); coding {
	case "", "identity":
		return packed, nil
	case "gzip", "x-gzip":
		body, err := gzip.NewReader(packed)
		if errors.Is(err, io.EOF) {
			return strings.NewReader(""), nil
		}
		if err != nil {
			return nil, fmt.Errorf("reading the page: %w", err)
		}
		return body, nil
	default:
		return nil, fmt.Errorf("the server sent the page in a coding that nobody asked for: %s", plaintext.Line(coding))
	}
}
