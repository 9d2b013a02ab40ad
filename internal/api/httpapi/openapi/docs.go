package openapi

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"html/template"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"vitrine/internal/api/httpapi"
)

// documentTag is the tag of the routes that serve the document.
const documentTag = "This document"

// docsPolicy is the Content-Security-Policy of the pages. It allows no connection to other servers and no framing.
// RapiDoc writes styles into the page, so styles may be inline; scripts may not.
const docsPolicy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: " +
	"blob:; font-src 'self' data:; " +
	"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// The values of Cache-Control: cacheImmutable for a file whose name contains a hash of its content, cacheRevalidate for
// all others.
const (
	cacheImmutable  = "public, max-age=31536000, immutable"
	cacheRevalidate = "no-cache"
)

//go:embed assets/docs.html assets/hello.html assets/start.js assets/rapidoc.js.gz assets/rapidoc-license.txt
var assets embed.FS

// pageIntro is the paragraph that the introduction on the page at /docs begins with. Programs need the document with
// the examples of all parameters, which the page lacks.
const pageIntro = "For programs: [openapi.json](/openapi.json).\n\n"

// renderedDocuments are the forms of the document: the usual one, the one with ISO dates, and the one for /docs.
type renderedDocuments struct{ usual, iso, forPage []byte }

// documentFiles are the static files of the document: its JSON, the pages that show it, and the scripts of the pages.
type documentFiles struct {
	openapi, openapiISO, docs, startHTML, startJSON *docsFile
	agents                                          *docsFile            // nil without About.Agents
	hashed                                          map[string]*docsFile // by the file name under /docs/
}

// docsFile is a static file, which is compressed once, in advance.
type docsFile struct {
	mediaType string
	cache     string
	gzipped   []byte
	etag      string
}

// documentRoutes returns the routes that serve the document and its pages.
func (d *Document) documentRoutes(about About) []httpapi.Route {
	routes := []httpapi.Route{
		{
			Method: http.MethodGet, Path: "/{$}", OperationID: "getStart", Tag: documentTag, Status: http.StatusOK,
			PlainMediaType: "application/json", Response: start{},
			Summary:     "Where to begin",
			Description: "Names this server and where its documentation is. A browser gets the same as a page.",
			ResponseExamples: []httpapi.Example{{Name: "A server",
				JSON: `{"name":"Vitrine API","version":"1.0.0","docs":"/docs","openapi":"/openapi.json"}`}},
			Handler: func(w http.ResponseWriter, r *httpapi.Request) error {
				w.Header().Add("Vary", "Accept")
				return d.serve(w, r, func(p *documentFiles) *docsFile {
					if strings.Contains(r.Header.Get("Accept"), "text/html") {
						return p.startHTML
					}

					return p.startJSON
				})
			},
		},
		{
			Method: http.MethodGet, Path: "/docs", OperationID: "getDocs", Tag: documentTag, Status: http.StatusOK,
			PlainMediaType: "text/html",
			Summary:        "This document as a page",
			Description: "Shows this document and lets you try the operations with a key of yours. The page needs " +
				"no other server.",
			Handler: func(w http.ResponseWriter, r *httpapi.Request) error {
				return d.serve(w, r, func(p *documentFiles) *docsFile { return p.docs })
			},
		},
		{
			Method: http.MethodGet, Path: "/docs/{file}", OperationID: "getDocsFile", Tag: documentTag,
			Status: http.StatusOK, PlainMediaType: "text/javascript",
			Summary: "A file of that page",
			Description: "The scripts of `/docs`, and what they show. Their names change with their content, so they " +
				"may be kept for ever.",
			PathParams: []httpapi.Param{{Name: "file", Description: "The name, as the page links it."}},
			Handler: func(w http.ResponseWriter, r *httpapi.Request) error {
				return d.serve(w, r, func(p *documentFiles) *docsFile { return p.hashed[r.PathValue("file")] })
			},
		},
		{
			Method: http.MethodGet, Path: "/openapi.json", OperationID: "getOpenAPI", Tag: documentTag,
			Status: http.StatusOK, PlainMediaType: "application/json",
			Summary: "This document for programs",
			Description: "The OpenAPI 3.1 description of every route of this server: generate a client from it, " +
				"or load it into your tools. It may be read from any origin. With `dates=iso` it describes the " +
				"answers to requests with that parameter: dates are strings.",
			QueryParams: []httpapi.Param{{Name: "dates", Enum: []string{"iso"},
				Description: "`iso` describes dates as ISO 8601 strings."}},
			Refusals: []httpapi.Refusal{{Status: 400, Code: "malformed_query", When: "`dates` is not `iso`"}},
			Handler: func(w http.ResponseWriter, r *httpapi.Request) error {
				w.Header().Set("Access-Control-Allow-Origin", "*")
				dates, given := r.Query.Param("dates")
				if given && dates != "iso" {
					r.Query.BadParam("dates", "must be iso; leave it out for date objects")
				}
				if err := r.Err(); err != nil {
					return err
				}

				return d.serve(w, r, func(p *documentFiles) *docsFile {
					if given {
						return p.openapiISO
					}
					return p.openapi
				})
			},
		},
	}

	if len(about.Agents) > 0 {
		routes = append(routes, httpapi.Route{
			Method: http.MethodGet, Path: "/llms.txt", OperationID: "getAgentsGuide", Tag: documentTag,
			Status: http.StatusOK, PlainMediaType: "text/markdown",
			Summary: "What coding agents should know first",
			Description: "The rules of this server in one page, for programs that write code, in the form of " +
				"[llms.txt](https://llmstxt.org).",
			Handler: func(w http.ResponseWriter, r *httpapi.Request) error {
				w.Header().Set("Access-Control-Allow-Origin", "*")
				return d.serve(w, r, func(p *documentFiles) *docsFile { return p.agents })
			},
		})
	}
	return routes
}

// serve responds with the file that pick returns, or with 404 if it returns nil.
func (d *Document) serve(w http.ResponseWriter, r *httpapi.Request, pick func(*documentFiles) *docsFile) error {
	p, err := d.files()
	if err != nil {
		return err
	}
	f := pick(p)
	if f == nil {
		return httpapi.NoSuchPath()
	}
	return f.serve(w, r.Request)
}

// start is the JSON of the response to GET /.
type start struct {
	Name    string `json:"name" doc:"What this is."`
	Version string `json:"version" doc:"The version of the server."`
	Docs    string `json:"docs" doc:"The documentation as a page."`
	OpenAPI string `json:"openapi" doc:"The documentation for programs."`
}

func newDocumentFiles(about About, rendered renderedDocuments) (*documentFiles, error) {
	p := &documentFiles{hashed: map[string]*docsFile{}}
	names := map[string]string{"Title": about.Title, "Version": about.Version}
	for _, asset := range []struct{ key, name, mediaType string }{
		{"RapiDoc", "rapidoc.js.gz", "text/javascript; charset=utf-8"},
		{"Start", "start.js", "text/javascript; charset=utf-8"},
		{"Licence", "rapidoc-license.txt", "text/plain; charset=utf-8"},
	} {
		content, err := assets.ReadFile("assets/" + asset.name)
		if err != nil {
			return nil, err
		}

		name, compressed := strings.CutSuffix(asset.name, ".gz")
		if !compressed {
			content = gzipDocsFile(content)
		}

		f := &docsFile{
			mediaType: asset.mediaType, cache: cacheImmutable, gzipped: content, etag: docsFileDigest(content),
		}
		stem, extension, _ := strings.Cut(name, ".")
		names[asset.key] = stem + "." + f.etag + "." + extension
		p.hashed[names[asset.key]] = f
	}

	page := newDocsFile("application/json", rendered.forPage)
	page.cache = cacheImmutable
	names["Document"] = "document." + page.etag + ".json"
	p.hashed[names["Document"]] = page

	var err error
	if p.docs, err = renderDocsPage("docs.html", names); err != nil {
		return nil, err
	}
	if p.startHTML, err = renderDocsPage("hello.html", names); err != nil {
		return nil, err
	}

	startText, err := json.Marshal(start{Name: about.Title, Version: about.Version, Docs: "/docs",
		OpenAPI: "/openapi.json"})
	if err != nil {
		return nil, err
	}

	p.startJSON = newDocsFile("application/json", append(startText, '\n'))
	p.openapi = newDocsFile("application/json", rendered.usual)
	p.openapiISO = newDocsFile("application/json", rendered.iso)
	if len(about.Agents) > 0 {
		p.agents = newDocsFile("text/markdown; charset=utf-8", about.Agents)
	}
	return p, nil
}

func renderDocsPage(name string, data any) (*docsFile, error) {
	t, err := template.ParseFS(assets, "assets/"+name)
	if err != nil {
		return nil, err
	}
	var page bytes.Buffer
	if err := t.Execute(&page, data); err != nil {
		return nil, fmt.Errorf("render %s: %w", name, err)
	}
	return newDocsFile("text/html; charset=utf-8", page.Bytes()), nil
}

// newDocsFile returns a file that clients revalidate each time.
func newDocsFile(mediaType string, content []byte) *docsFile {
	return &docsFile{
		mediaType: mediaType, cache: cacheRevalidate, gzipped: gzipDocsFile(content), etag: docsFileDigest(content),
	}
}

// gzipDocsFile compresses content with gzip. It ignores errors, since writing to memory cannot fail.
func gzipDocsFile(content []byte) []byte {
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.BestCompression)
	_, _ = z.Write(content)
	_ = z.Close()
	return b.Bytes()
}

// docsFileDigest returns the first 8 bytes of the SHA-256 in hexadecimal: short enough for a URL, long enough to be
// unique.
func docsFileDigest(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:8])
}

// serve responds with the file, or with 304 if the client has it already.
func (f *docsFile) serve(w http.ResponseWriter, r *http.Request) error {
	h := w.Header()
	h.Set("Content-Type", f.mediaType)
	h.Set("Cache-Control", f.cache)

	// The tag is weak, since the compressed and the plain form share it.
	h.Set("ETag", `W/"`+f.etag+`"`)
	h.Add("Vary", "Accept-Encoding")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Content-Security-Policy", docsPolicy)
	content := f.gzipped

	if httpapi.AcceptsEncoding(r.Header.Get("Accept-Encoding"), "gzip") {
		h.Set("Content-Encoding", "gzip")
	} else {
		var err error
		if content, err = f.decompress(); err != nil {
			return err
		}
	}

	// http.ServeContent would respond to a bad range or a failed precondition with an error that is not a problem. No
	// client needs these headers for these files, so they are ignored.
	for _, name := range []string{"Range", "If-Range", "If-Match", "If-Unmodified-Since"} {
		r.Header.Del(name)
	}

	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
	return nil
}

func (f *docsFile) decompress() ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(f.gzipped))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(z)
}
