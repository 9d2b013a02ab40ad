package catalog

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"time"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/outbound"
	"vitrine/internal/kit/queue"
	"vitrine/internal/shop/imagefile"
	"vitrine/internal/shop/store"
)

const (
	// downloadKind is the sort of background work that fetches images. A lane is a host.
	downloadKind = "image.download"
	// downloadTimeout bounds an attempt: the guard ends the request itself after 30 s, and its bytes are stored in imagefile.UploadTimeout.
	downloadTimeout = imagefile.UploadTimeout + 2*time.Minute
	// maxRetryAfter is the longest that a host can put a download off.
	maxRetryAfter = time.Hour
)

// downloadQueue has images downloaded from addresses in the background.
type downloadQueue struct {
	guard *outbound.Guard
	queue *queue.Queue
}

// imageSource is an address that a product has an image from.
type imageSource struct {
	key, productKey int64
	url             string
	position        int64
	imageKey        int64 // 0 while there is none
	owns            bool  // the image goes when something else is found at the address
	etag, modified  string
	lane            string
	origin          Origin
	fieldPath       string
}

// check returns an address as it is asked for, and the lane in which that is done, or why it never will be. A nil queue takes nothing.
func (d *downloadQueue) check(given string) (address, lane string, refused *fault.Error) {
	if d == nil {
		return "", "", fault.New(fault.Invalid, "images_unavailable", "Images are not downloaded here; the address was passed over.")
	}
	u, err := d.guard.CheckURL(given)
	if errors.As(err, &refused) {
		return "", "", refused
	}
	if err != nil {
		return "", "", fault.New(fault.Invalid, outbound.InvalidURL, "This address cannot be asked for; it was passed over.").Because(err)
	}
	return u.String(), u.Host, nil
}

// add adds jobs for sources in the caller's transaction; one that waits or runs already is asked for once more.
func (d *downloadQueue) add(ctx context.Context, tx store.Tx, asked []*imageSource) error {
	if len(asked) == 0 {
		return nil
	}
	jobs := make([]queue.Job, len(asked))
	for i, src := range asked {
		jobs[i] = queue.Job{Kind: downloadKind, Lane: src.lane, UniqueName: strconv.FormatInt(src.key, 10), Payload: sourceRef{tx.StoreID(), src.key}.payload()}
	}
	return d.queue.Add(ctx, tx.Unscoped(), jobs...)
}

// sourceRef names a source of any store.
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
		return sourceRef{}, fmt.Errorf("the payload of a download has %d bytes", len(b))
	}
	return sourceRef{store.ID(b[:16]), int64(binary.BigEndian.Uint64(b[16:]))}, nil
}

// withoutQuery is an address as it may be shown: what follows the question mark can be a secret.
func withoutQuery(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	u.RawQuery, u.ForceQuery = "", false
	return u.String()
}
