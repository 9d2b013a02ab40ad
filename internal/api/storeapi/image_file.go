package storeapi

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/blob"
	"vitrine/internal/shop/imagefile"
	"vitrine/internal/shop/store"
)

// imageCSP is the Content-Security-Policy of image files. If a browser opens a file as a page, it runs no scripts and
// loads no resources, even if it takes the file for HTML.
const imageCSP = "default-src 'none'; sandbox"

// serveFile serves a file of an image without authentication. The content of a file never changes, so clients may cache
// it forever. The path contains the ids of the store and of the image, so no database query is needed.
func (h imageHandlers) serveFile(w http.ResponseWriter, r *httpapi.Request) error {
	storeID := httpapi.PathID[store.Store](r, "store_id", "image")
	imageID := httpapi.PathID[imagefile.Image](r, "image_id", "image")

	name := r.PathValue("file")
	width := readWidth(r, name)

	if err := r.Err(); err != nil {
		return err
	}

	var file blob.File
	var mediaType string
	var err error
	if width == 0 {
		file, mediaType, err = h.images.Open(r.Context(), storeID, imageID, name)
	} else {
		file, name, mediaType, err = h.images.OpenWidth(r.Context(), storeID, imageID, name, width)
	}
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // read only, so an error of Close loses nothing

	head := w.Header()
	head.Set("Content-Type", mediaType)
	head.Set("Content-Security-Policy", imageCSP)
	head.Set("Cache-Control", "public, max-age=31536000, immutable")
	head.Set("Cross-Origin-Resource-Policy", "cross-origin")
	head.Set("Access-Control-Allow-Origin", "*")
	head.Set("ETag", fmt.Sprintf(`"%s-%s"`, imageID, name))
	dropUnsupportedConditions(r, file.Size())
	http.ServeContent(w, r.Request, "", time.Time{}, file)

	return nil
}

// readWidth reads the query parameter w, the width in which the original is asked for; 0 if there is none. Unlike
// other parameters, which links to files may have, a wrong one is malformed.
func readWidth(r *httpapi.Request, name string) int64 {
	text, given := r.Query.Param("w")
	if !given {
		return 0
	}

	width, err := strconv.ParseInt(text, 10, 64)
	switch {
	case err != nil || !slices.Contains(imagefile.Widths, width) || strconv.FormatInt(width, 10) != text:
		r.Query.BadParam("w", "must be one of the widths 160, 320, 640, 960, 1280, 1920")
	case !strings.HasPrefix(name, string(imagefile.Original)+"."):
		r.Query.BadParam("w", "is for the original; the thumbnails have one size each")
	}
	return width
}

var singleRange = regexp.MustCompile(`^bytes=(\d{0,18})-(\d{0,18})$`)

// dropUnsupportedConditions deletes the request headers that http.ServeContent would refuse with a response that is not
// in this API's format: conditions for writes, and ranges that are not satisfiable. RFC 9110 allows a server to ignore
// a range and send the whole file.
func dropUnsupportedConditions(r *httpapi.Request, size int64) {
	r.Header.Del("If-Match")
	r.Header.Del("If-Unmodified-Since")
	if !isSatisfiableRange(r.Header.Get("Range"), size) {
		r.Header.Del("Range")
	}
}

// isSatisfiableRange reports whether the header asks for a single range that a file of the given size has. The range
// has a first byte and an optional last byte, or is a number of bytes at the end.
func isSatisfiableRange(header string, size int64) bool {
	bounds := singleRange.FindStringSubmatch(header)
	if bounds == nil {
		return false
	}
	from, noFrom := strconv.ParseInt(bounds[1], 10, 64)
	to, noTo := strconv.ParseInt(bounds[2], 10, 64)
	if noFrom != nil {
		return noTo == nil && to > 0
	}
	return from < size && (noTo != nil || from <= to)
}
