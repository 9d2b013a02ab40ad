package e2e

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"vitrine/internal/kit/config"
	"vitrine/internal/testkit/apitest"
)

// A body whose Content-Type is neither application/json nor ends in +json gets a 415.
func TestBody_requiresJSONMediaType(t *testing.T) {
	s := startServer(t)
	path := createOption(s)
	for _, good := range []string{"application/json", "Application/JSON", "application/json; charset=utf-8",
		"application/json;charset=UTF-8", "application/vnd.api+json", "application/merge-patch+json",
		" application/json "} {
		s.OK(200, "PUT", path, `{}`, withHeader("Content-Type", good))
	}

	for _, bad := range []string{"", "text/plain", "text/json", "application/x-www-form-urlencoded",
		"multipart/form-data; boundary=x", "application/xml", "application/jsonp", "json",
		"application/json, text/plain",
		"application/json; charset", "application", "+json/x", "application/x-ndjson", ";"} {
		s.WantProblem("415 unsupported_media_type", "POST", optionsPath, optionBody, withHeader("Content-Type", bad))
		s.WantProblem("415 unsupported_media_type", "PUT", path, `{}`, withHeader("Content-Type", bad))
		s.WantProblem("415 unsupported_media_type", "DELETE",
			strings.Replace(path, optionsPath, "/v2/product-variants", 1), `{}`, withHeader("Content-Type", bad))
		s.WantProblem("415 unsupported_media_type", "POST", "/v2/products", `{"name": "x"}`,
			withHeader("Content-Type", bad))
	}
}

// Malformed JSON, a byte order mark, a second document after the first, invalid UTF-8, a lone surrogate, a duplicate
// member, or nesting over 64 levels (the root is level 1) gets a 400.
func TestBody_malformedJSONIs400(t *testing.T) {
	s := startServer(t)
	path := createOption(s)
	for _, bad := range []string{
		"", " ", "\n\t", `{`, `{"name"`, `{"name":`, `{"name":"x"`, `{"name": "x",}`, `{"name": 'x'}`, `{name: "x"}`,
		`{"name": "x"} {}`, `{"name": "x"}{"name": "y"}`, `{"name": "x"}]`, `{"name": "x"} x`, `{"name": "x"} null`,
		"\xef\xbb\xbf" + `{"name": "x"}`, "\ufeff{}", "\xfe\xff\x00{", "\x00{}", `{"name": "x` + "\n" + `"}`,
		`{"name": "x` + "\x00" + `"}`, "{\"name\": \"\xff\"}", "{\"name\": \"\xc3\x28\"}",
		"{\"name\": \"\xed\xa0\x80\"}",
		"{\"na\xffme\": \"x\"}", "{\"unknown\": \"\xff\", \"name\": \"x\"}",
		`{"name": "\ud800"}`, `{"name": "\udc00"}`, `{"name": "\ud83d\u0041"}`, `{"unknown": "\ud83d"}`,
		`{"\ud800": 1}`, `{"name": "\u00"}`, `{"name": "\x41"}`,
		`{"name": "x", "name": "y"}`, `{"name": "x", "n\u0061me": "y"}`, `{"unknown": {"a": 1, "a": 2}}`,
		`{"values": [{"name": "x", "name": "x"}]}`, `{"values": [], "values": []}`,
		`{"values": [{"name": "x", "extra": {"b": 1, "b": 1}}]}`,
		`{"name": 01}`, `{"name": .5}`, `{"name": 1.}`, `{"name": +1}`, `{"name": 1e}`, `{"name": NaN}`,
		`{"name": Infinity}`, `{"name": True}`, `{"name": nul}`, `// x` + "\n{}", `{"name": "x" /* y */}`, `<xml/>`,
		`name=x`,
		nestedJSON(65, `[`, ``, `]`), `{"unknown": ` + nestedJSON(64, `[`, ``, `]`) + `}`,
		`{"name": "x", "unknown": ` + nestedJSON(64, `{"a":`, `1`, `}`) + `}`,
		`{"values": [{"name": "x", "unknown": ` + nestedJSON(62, `[`, ``, `]`) + `}]}`,
		nestedJSON(100_000, `[`, ``, ``), nestedJSON(100_000, `{"a":`, ``, ``),
		`{"values": ` + nestedJSON(64, `[`, ``, `]`) + `}`,
	} {
		for _, at := range [][2]string{{"POST", optionsPath}, {"PUT", path}, {"POST", path + "/impact"},
			{"DELETE", strings.Replace(path, optionsPath, "/v2/product-variants", 1)}, {"POST", "/v2/features"},
			{"POST", "/v2/products"}} {
			r := s.Do(at[0], at[1], bad)
			if r.Problem() != "400 malformed_json" {
				t.Errorf("%s %s %.80q: %s", at[0], at[1], bad, r.Problem())
			}
		}
	}

	for _, good := range []string{
		`{"name": "x"}`, " \r\n\t{\"name\" : \"x\"}\n ", `{"name": "\ud83d\ude00 \u0041"}`,
		`{"name": "x", "Name": 1, "NAME": null, "nаme": []}`,
		`{"name": "x", "unknown": ` + nestedJSON(63, `[`, ``, `]`) + `}`,
		`{"name": "x", "unknown": ` + nestedJSON(63, `{"a":`, `1`, `}`) + `}`,
		`{"name": "x", "values": [{"name": "x", "unknown": ` + nestedJSON(61, `[`, ``, `]`) + `}]}`,
		`{"name": "x", "": 1, "unknown": {"": {"a": 1}, "b": {"a": 1}}}`, `{"unknown": 1e999, "name": "x"}`,
		`{"name": "x", "unknown": "\u0000"}`,
	} {
		for _, list := range []string{optionsPath, "/v2/features", "/v2/products"} {
			s.OK(201, "POST", list, good)
		}
	}
}

// A root that is not an object gets a 422, as any value of the wrong type does.
func TestBody_nonObjectRootIs422(t *testing.T) {
	s := startServer(t)
	path := createOption(s)
	for _, bad := range []string{`[]`, `[{"name": "x"}]`, `null`, `"x"`, `7`, `true`, nestedJSON(64, `[`, ``, `]`)} {
		for _, at := range [][2]string{{"POST", optionsPath}, {"PUT", path}, {"POST", path + "/impact"},
			{"DELETE", strings.Replace(path, optionsPath, "/v2/product-variants", 1)}, {"POST", "/v2/features"},
			{"POST", "/v2/products"}} {
			s.WantProblem("422 wrong_type", at[0], at[1], bad)
		}
	}
}

// A request without a body gets a 400, with and without a Content-Length.
func TestBody_missingIs400(t *testing.T) {
	s := startServer(t)
	for _, method := range []string{"POST", "PUT", "DELETE"} {
		path := optionsPath
		if method != "POST" {
			path = strings.Replace(createOption(s), optionsPath, "/v2/product-variants", 1)
		}
		s.WantProblem("400 malformed_json", method, path, nil)
		s.WantProblem("400 malformed_json", method, path, "")
		s.WantProblem("400 malformed_json", method, path, io.MultiReader()) // chunked encoding without any chunk
	}
}

// The default limit of a body is 8 MiB. Bodies of options and features have no limit: long ones are spooled to disk.
func TestBody_limit(t *testing.T) {
	s := startServer(t)
	const limit = 8 << 20

	// padded returns a body of exactly size bytes. Each of its strings is far below the limit of a single string.
	padded := func(size int) string {
		const head, tail = `{"name": "x", "unknown": [1`, `]}`
		part := `,"` + strings.Repeat("y", 100_000) + `"`
		rest := size - len(head) - len(tail)
		return head + strings.Repeat(part, rest/len(part)) + strings.Repeat(" ", rest%len(part)) + tail
	}
	s.OK(201, "POST", "/v2/products", padded(limit))
	s.WantProblem("413 body_too_large", "POST", "/v2/products", padded(limit+1))

	// This body is sent without a Content-Length.
	s.WantProblem("413 body_too_large", "POST", "/v2/products", strings.NewReader(padded(limit+1)))
	s.WantProblem("413 body_too_large", "POST", "/v2/products", gzipBytes(t, padded(limit+1)),
		withHeader("Content-Encoding", "gzip"))
	s.WantProblem("413 body_too_large", "POST", "/v2/products", zstdBytes(t, padded(limit+1)),
		withHeader("Content-Encoding", "zstd"))

	for _, size := range []int{1<<20 - 1, 1 << 20, 1<<20 + 1} { // from 1 MiB on, a body is spooled
		s.OK(200, "PUT", optionsPath+"/"+s.OK(201, "POST", optionsPath, padded(size)).Text("data.id"), padded(size))
	}

	id := s.OK(201, "POST", "/v2/features", gzipBytes(t, padded(2<<20)),
		withHeader("Content-Encoding", "gzip")).Text("data.id")
	s.OK(200, "PUT", "/v2/features/"+id, padded(limit+1))
	s.OK(201, "POST", optionsPath, padded(limit+1))

	// A single string is limited in these bodies too, since it must fit into memory. This one has 17 MiB.
	s.WantProblem("400 malformed_json", "POST", optionsPath,
		`{"name": "x", "unknown": "`+strings.Repeat("y", 2*limit+1<<20)+`"}`)
}

// The spool file of a long body is deleted after a success and after an error.
func TestBody_spoolFilesAreDeleted(t *testing.T) {
	var dir string
	s := apitest.StartServer(t, "sqlite", apitest.WithConfig(func(c *config.Serve) { dir = c.SpoolDir() }))
	long := `{"name": "x"` + strings.Repeat(" ", 3<<20) + `}` // spooled, since it has more than 1 MiB
	s.OK(201, "POST", optionsPath, long)
	s.WantProblem("400 malformed_json", "POST", optionsPath, long+"x")
	s.WantProblem("422 name wrong_type", "POST", optionsPath, strings.Replace(long, `"x"`, `[]`, 1))
	left, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(left) > 0 {
		t.Errorf("the spool directory contains %v, want no file; error %v", left, err)
	}
	if _, err := os.Stat(dir); err != nil {
		t.Error(err)
	}
}

func gzipBytes(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := io.WriteString(z, text); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func zstdBytes(t *testing.T, text string) []byte {
	t.Helper()
	z, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	return z.EncodeAll([]byte(text), nil)
}

// Request bodies may be compressed with gzip or zstd.
func TestBody_isDecompressed(t *testing.T) {
	s := startServer(t)
	gz := gzipBytes(t, optionBody)
	zs := zstdBytes(t, optionBody)

	half := len(optionBody) / 2
	for _, c := range []struct {
		encoding string
		body     []byte
	}{
		{"gzip", gz}, {"GZIP", gz}, {"x-gzip", gz}, {" gzip ", gz}, {"zstd", zs}, {"Zstd", zs},
		{"identity", []byte(optionBody)}, {"", []byte(optionBody)},
		{"gzip", append(gzipBytes(t, optionBody[:half]), gzipBytes(t, optionBody[half:])...)}, // two gzip members
		{"zstd", append(zstdBytes(t, optionBody[:half]), zstdBytes(t, optionBody[half:])...)}, // two zstd frames
	} {
		r := s.OK(201, "POST", optionsPath+"?with=values", c.body, withHeader("Content-Encoding", c.encoding))
		if r.Text("data.values.0.name") != "S" {
			t.Errorf("%s gives %s", c.encoding, r.Body)
		}
	}

	for _, c := range []struct {
		encoding, problem string
		body              []byte
	}{
		{"br", "415 unsupported_encoding", gz},
		{"deflate", "415 unsupported_encoding", gz},
		{"gzip, gzip", "415 unsupported_encoding", gz},
		{"gzip, zstd", "415 unsupported_encoding", gz},
		{"gzip", "400 malformed_encoding", []byte(optionBody)},
		{"gzip", "400 malformed_encoding", gz[:len(gz)-1]},
		{"gzip", "400 malformed_encoding", gz[:5]},
		{"gzip", "400 malformed_encoding", append(bytes.Clone(gz[:len(gz)-6]), 1, 2, 3, 4, 5, 6)}, // a wrong checksum
		{"gzip", "400 malformed_encoding", append(bytes.Clone(gz), "more"...)},
		{"gzip", "400 malformed_encoding", zs},
		{"zstd", "400 malformed_encoding", []byte(optionBody)},
		{"zstd", "400 malformed_encoding", zs[:len(zs)-3]},
		{"zstd", "400 malformed_encoding", gz},
		{"gzip", "400 malformed_json", gzipBytes(t, "")},
		{"gzip", "400 malformed_json", gzipBytes(t, optionBody+"x")},
	} {
		s.WantProblem(c.problem, "POST", optionsPath, c.body, withHeader("Content-Encoding", c.encoding))
	}
}

// Reading a decompression bomb stops at the limit of the body.
func TestBody_decompressionBombIsRefused(t *testing.T) {
	s := startServer(t)

	// A compressed MiB is repeated 1000 times: about a megabyte decompresses to a gigabyte.
	s.WantProblem("413 body_too_large", "POST", "/v2/products",
		bytes.Repeat(gzipBytes(t, strings.Repeat(" ", 1<<20)), 1000), withHeader("Content-Encoding", "gzip"))
	s.WantProblem("413 body_too_large", "POST", "/v2/products",
		bytes.Repeat(zstdBytes(t, strings.Repeat(" ", 1<<20)), 1000), withHeader("Content-Encoding", "zstd"))

	// A zstd window over 8 MiB is refused: the decoder would have to allocate it.
	var wide bytes.Buffer
	z, err := zstd.NewWriter(&wide, zstd.WithWindowSize(512<<20), zstd.WithSingleSegment(false))
	if err != nil {
		t.Fatal(err)
	}

	for range 2 { // after a single Write the encoder would choose a window of the size of the data
		if _, err := z.Write(bytes.Repeat([]byte(" "), 1<<20)); err != nil {
			t.Fatal(err)
		}
	}

	if err := z.Close(); err != nil {
		t.Fatal(err)
	}

	s.WantProblem("400 malformed_encoding", "POST", optionsPath, wide.Bytes(), withHeader("Content-Encoding", "zstd"))
}

// A request whose body is truncated changes nothing.
func TestBody_truncatedChangesNothing(t *testing.T) {
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		before := s.Dump()
		head := "POST " + optionsPath + " HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + s.Secret +
			"\r\nContent-Type: application/json\r\n"
		for _, rest := range []string{
			"Content-Length: 1000\r\n\r\n" + optionBody,
			// The last chunk is missing.
			"Transfer-Encoding: chunked\r\n\r\n" + fmt.Sprintf("%x\r\n%s\r\n", len(optionBody), optionBody),
		} {
			conn, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := io.WriteString(conn, head+rest); err != nil {
				t.Fatal(err)
			}

			_ = conn.(*net.TCPConn).CloseWrite()
			response, _ := io.ReadAll(conn)
			_ = conn.Close()
			if !strings.Contains(string(response), "400 Bad Request") ||
				!strings.Contains(string(response), "body_incomplete") {
				t.Errorf("the response to half a body is %.200q", response)
			}
		}

		s.WantUnchanged(before, "bodies that were cut off")
	})
}
