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

// imagePolicy lets a file that is opened by itself do nothing, whatever a browser takes it for.
const imagePolicy = "default-src 'none'; sandbox"

// file serves a file of an image to anybody. Its bytes never change, so it may be kept for ever; its name says where it is, so the
// database is not asked.
func (h images) file(w http.ResponseWriter, r *httpapi.Request) error {
	storeID, err := httpapi.PathID[store.Store](r, "store_id", "image")
	if err != nil {
		return err
	}
	imageID, err := httpapi.PathID[imagefile.Image](r, "image_id", "image")
	if err != nil {
		return err
	}
	file, mediaType, err := h.images.Open(r.Context(), storeID, imageID, r.PathValue("file"))
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // it was only read
	head := w.Header()
	head.Set("Content-Type", mediaType)
	head.Set("Content-Security-Policy", imagePolicy)
	head.Set("Cache-Control", "public, max-age=31536000, immutable")
	head.Set("Cross-Origin-Resource-Policy", "cross-origin")
	head.Set("Access-Control-Allow-Origin", "*")
	head.Set("ETag", fmt.Sprintf(`"%s-%s"`, imageID, r.PathValue("file")))
	dropConditions(r, file.Size())
	http.ServeContent(w, r.Request, "", time.Time{}, file)
	return nil
}

var oneRange = regexp.MustCompile(`^bytes=(\d{0,18})-(\d{0,18})$`)

// dropConditions forgets what ServeContent would refuse in a form of its own: conditions that only make sense for writes, and ranges that
// the file does not have. A server may ignore those and send the file.
func dropConditions(r *httpapi.Request, size int64) {
	r.Header.Del("If-Match")
	r.Header.Del("If-Unmodified-Since")
	if !hasRange(r.Header.Get("Range"), size) {
		r.Header.Del("Range")
	}
}

// hasRange reports whether a file of that size has the one range that is asked for: from a byte, up to a byte or the end, or so many last
// bytes.
func hasRange(asked string, size int64) bool {
	wanted := oneRange.FindStringSubmatch(asked)
	if wanted == nil {
		return false
	}
	from, noFrom := strconv.ParseInt(wanted[1], 10, 64)
	to, noTo := strconv.ParseInt(wanted[2], 10, 64)
	if noFrom != nil {
		return noTo == nil && to > 0
	}
	return from < size && (noTo != nil || from <= to)
}
