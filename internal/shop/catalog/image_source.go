package catalog

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/outbound"
	"vitrine/internal/kit/queue"
	"vitrine/internal/shop/imagefile"
	"vitrine/internal/shop/store"
)

const (
	// downloadKind is the kind of the jobs that download images. Each host has its own lane in the queue.
	downloadKind = "image.download"
	// downloadTimeout limits an attempt. The guard limits the request to 30 s, and storing the bytes is limited to
	// imagefile.UploadTimeout. That leaves 90 s for the rest of the attempt.
	downloadTimeout = imagefile.UploadTimeout + 2*time.Minute
	// maxRetryAfter limits the delay that a host can ask for with Retry-After.
	maxRetryAfter = time.Hour
)

// DownloadQueue checks the URLs of images and queues their downloads.
type DownloadQueue struct {
	Guard *outbound.Guard
	Queue *queue.Queue
}

// ImageSource is a URL that a product, or one of its variants, gets an image from.
type ImageSource struct {
	Key, ProductKey int64
	VariantKey      int64 // the variant that gets the image; 0 if the product does
	URL             string
	Position        int64
	ImageKey        int64 // 0 if the source has no image
	Owns            bool  // the image is deleted when the URL returns another one
	etag, modified  string
	Lane            string
	Origin          Origin
	FieldPath       string
}

// PackagePicture begins the address of an image that came in a package of 1C. The digest of its content follows.
const PackagePicture = "commerceml:"

// CheckURL returns the URL in the form in which it is requested and the lane of its downloads, or a fault if the URL
// can never be downloaded. A nil DownloadQueue refuses all URLs.
func (d *DownloadQueue) CheckURL(given string) (address, lane string, refused *fault.Error) {
	if d == nil {
		return "", "", fault.New(fault.Invalid, "images_unavailable",
			"Images are not downloaded here; the address was passed over.")
	}

	if strings.HasPrefix(given, PackagePicture) {
		return given, PackagePicture, nil
	}

	u, err := d.Guard.CheckURL(given)
	if errors.As(err, &refused) {
		return "", "", refused
	}

	if err != nil {
		return "", "", fault.New(fault.Invalid, outbound.InvalidURL,
			"This address cannot be asked for; it was passed over.").Because(err)
	}

	return u.String(), u.Host, nil
}

// Add adds a job for each source in the caller's transaction. A source that has a job gets no second one; if the job is
// running, it runs again afterwards.
func (d *DownloadQueue) Add(ctx context.Context, tx store.Tx, requested []*ImageSource) error {
	if len(requested) == 0 {
		return nil
	}
	jobs := make([]queue.Job, len(requested))
	for i, src := range requested {
		jobs[i] = queue.Job{Kind: downloadKind, Lane: src.Lane, UniqueName: strconv.FormatInt(src.Key, 10),
			Payload: sourceRef{tx.StoreID(), src.Key}.payload()}
	}
	return d.Queue.Add(ctx, tx.Unscoped(), jobs...)
}

// sourceRef identifies an image source of a store.
type sourceRef struct {
	storeID store.ID
	key     int64
}

func (r sourceRef) payload() []byte {
	b := r.storeID.Bytes()
	return binary.BigEndian.AppendUint64(b[:], uint64(r.key))
}

func readSourceRef(b []byte) (sourceRef, error) {
	if len(b) != 24 {
		return sourceRef{}, fmt.Errorf("the payload of a download has %d bytes, want 24", len(b))
	}
	return sourceRef{store.ID(b[:16]), int64(binary.BigEndian.Uint64(b[16:]))}, nil
}

// imageURLWithoutQuery returns a URL as it may be shown: without the query, which may contain a secret.
func imageURLWithoutQuery(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	u.RawQuery = ""
	u.ForceQuery = false
	return u.String()
}
