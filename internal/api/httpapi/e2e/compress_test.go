package e2e

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"vitrine/internal/testkit/apitest"
)

// Responses are compressed with gzip or zstd if the client accepts it, and decompress to the plain response.
func TestResponse_isCompressed(t *testing.T) {
	s := startServer(t)
	var values []string
	for i := range 500 {
		values = append(values, fmt.Sprintf(`{"name": "value %d"}`, i))
	}

	path := optionsPath + "/" +
		s.OK(201, "POST", optionsPath, `{"name": "x", "values": [`+strings.Join(values, ",")+`]}`).Text("data.id") +
		"?with=values"
	plain := s.Get(path)
	if plain.Header.Get("Content-Length") != fmt.Sprint(len(plain.Body)) {
		t.Errorf("Content-Length is %s for %d bytes", plain.Header.Get("Content-Length"), len(plain.Body))
	}

	for accept, want := range map[string]string{
		"": "", "identity": "", "br": "", "gzip": "gzip", "GZIP": "gzip", "gzip, deflate, br, zstd": "zstd",
		"zstd;q=1.0, gzip;q=0.5": "zstd", "gzip;q=0": "", "gzip;q=0.0": "", "zstd;q=0, gzip": "gzip",
		"gzip ; q=0.1":                 "gzip",
		"deflate, gzip;q=1.0, *;q=0.5": "gzip", "gzip;q=x": "", "gzip;": "gzip", ",,": "",
	} {
		r := s.Get(path, withHeader("Accept-Encoding", accept))
		if got := r.Header.Get("Content-Encoding"); got != want {
			t.Errorf("Accept-Encoding %q gets %q, want %q", accept, got, want)
			continue
		}

		if !strings.Contains(strings.Join(r.Header.Values("Vary"), ", "), "Accept-Encoding") {
			t.Errorf("Vary is %q", r.Header.Values("Vary"))
		}
		if got := decompressed(t, r); !bytes.Equal(got, plain.Body) {
			t.Errorf("%s decompresses to %d other bytes, want %d", want, len(got), len(plain.Body))
		}
		if want != "" && len(r.Body) > len(plain.Body)/2 {
			t.Errorf("%s takes %d bytes of %d", want, len(r.Body), len(plain.Body))
		}

		if r.Header.Get("ETag") != plain.Header.Get("ETag") {
			t.Errorf("%s has another ETag", want)
		}
	}

	// Short responses and problems are not compressed.
	for _, short := range []string{"/v2/store", optionsPath + "/x"} {
		r := s.Do("GET", short, nil, withHeader("Accept-Encoding", "gzip, zstd"))
		if got := r.Header.Get("Content-Encoding"); got != "" {
			t.Errorf("%s is compressed with %s", short, got)
		}
	}

	head := s.Do("HEAD", path, nil, withHeader("Accept-Encoding", "gzip"))
	if head.Header.Get("Content-Encoding") != "gzip" || len(head.Body) > 0 {
		t.Errorf("HEAD says %q", head.Header.Get("Content-Encoding"))
	}
}

func decompressed(t *testing.T, r *apitest.Response) []byte {
	t.Helper()
	var source io.Reader = bytes.NewReader(r.Body)
	switch r.Header.Get("Content-Encoding") {
	case "gzip":
		z, err := gzip.NewReader(source)
		if err != nil {
			t.Fatal(err)
		}
		source = z

	case "zstd":
		z, err := zstd.NewReader(source)
		if err != nil {
			t.Fatal(err)
		}
		defer z.Close()
		source = z
	}

	body, err := io.ReadAll(source)
	if err != nil {
		t.Fatal(err)
	}

	return body
}
