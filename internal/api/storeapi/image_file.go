package storeapi

import (
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"time"

	"vitrine/internal/api/httpapi"
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

	if err := r.Err(); err != nil {
		return err
	}

	file, mediaType, err := h.images.Open(r.Context(), storeID, imageID, r.PathValue("file"))
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
	head.Set("ETag", fmt.Sprintf(`"%s-%s"`, imageID, r.PathValue("file")))
	dropUnsupportedConditions(r, file.Size())
	http.ServeContent(w, r.Request, "", time.Time{}, file)

	return nil
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
