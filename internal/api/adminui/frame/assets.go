package frame

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/fault"
)

//go:embed assets/*.css assets/*.js assets/*.svg assets/*.txt
var embeddedAssets embed.FS

// assetFiles are the files that the pages load. The URL of a file contains a hash of its content, so browsers may cache
// the file forever.
type assetFiles struct {
	byHashedName map[string]assetFile // by the last segment of the URL path
	urlPaths     map[string]string    // URL paths by the name of the embedded file
}

type assetFile struct {
	mediaType string
	plain     []byte
	gzipped   func() []byte // compresses on the first call
}

func loadAssets() assetFiles {
	fsys := mustBuiltIn(fs.Sub(embeddedAssets, "assets"))
	all := assetFiles{byHashedName: map[string]assetFile{}, urlPaths: map[string]string{}}
	for _, entry := range mustBuiltIn(fs.ReadDir(fsys, ".")) {
		name := entry.Name()
		content := mustBuiltIn(fs.ReadFile(fsys, name))
		sum := sha256.Sum256(content)
		extension := path.Ext(name)
		hashed := strings.TrimSuffix(name, extension) + "." + hex.EncodeToString(sum[:8]) + extension
		all.byHashedName[hashed] = assetFile{mediaType: assetMediaType(extension), plain: content,
			gzipped: sync.OnceValue(func() []byte { return gzipContent(content) })}
		all.urlPaths[name] = "/assets/" + hashed
	}
	return all
}

// assetMediaType returns the media type of a file name extension. It does not use the MIME table of the system, which
// differs between machines.
func assetMediaType(extension string) string {
	switch extension {
	case ".css":
		return "text/css; charset=utf-8"
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	case ".txt":
		return "text/plain; charset=utf-8"
	}
	panic("frame: no media type for " + extension)
}

// gzipContent compresses content. It ignores errors, since writes to memory cannot fail.
func gzipContent(content []byte) []byte {
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.BestCompression)
	_, _ = z.Write(content)
	_ = z.Close()
	return b.Bytes()
}

// urlPath returns the URL path of a file. It panics if there is no such file.
func (all assetFiles) urlPath(name string) string {
	urlPath, ok := all.urlPaths[name]
	if !ok {
		panic("frame: no file " + name)
	}
	return urlPath
}

func (all assetFiles) serve(w http.ResponseWriter, r *httpapi.Request) error {
	f, ok := all.byHashedName[r.PathValue("file")]
	if !ok {
		return fault.New(fault.NotFound, "not_found", "There is no such file.")
	}

	h := w.Header()
	h.Set("Content-Type", f.mediaType)
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	h.Set("Vary", "Accept-Encoding")
	content := f.plain

	if httpapi.AcceptsEncoding(r.Header.Get("Accept-Encoding"), "gzip") {
		h.Set("Content-Encoding", "gzip")
		content = f.gzipped()
	}

	h.Set("Content-Length", strconv.Itoa(len(content)))
	_, _ = w.Write(content) // a client that disconnected needs no response
	return nil
}

// mustBuiltIn panics on an error. It is for embedded files and constants, which are valid in a correct build.
func mustBuiltIn[T any](v T, err error) T {
	if err != nil {
		panic("frame: " + err.Error())
	}
	return v
}
