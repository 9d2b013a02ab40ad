package catalog

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/outbound"
	"vitrine/internal/kit/queue"
	"vitrine/internal/shop/imagefile"
	"vitrine/internal/shop/store"
)

const (
	// downloadKind is the sort of background work that fetches images. A lane is a host.
	downloadKind = "image.download"
	// downloadTime bounds an attempt: the guard ends the request itself after 30 s, and its bytes are stored in imagefile.UploadTime.
	downloadTime = imagefile.UploadTimeout + 2*time.Minute
	// waitAtMost is the longest that a host can put a download off.
	waitAtMost = time.Hour
)

// ImageSources are the addresses that products have images from: it asks for them in the background and brings what is there to the
// products. It is safe for concurrent use.
//
// An address has a row from the push that names it on, and a job while it is to be asked for. What the job finds is judged by what the row and the
// product are then: if either is gone, nothing is attached.
type ImageSources struct{ ImageSourcesDeps }

// ImageSourcesDeps is what ImageSources needs.
type ImageSourcesDeps struct {
	DB      *database.DB
	Catalog *Service
	Files   *imagefile.Files
	Guard   *outbound.Guard
	Queue   *queue.Queue
	// Report tells of an item of a run, whose product has that external id, that an image was given up, in the transaction that does so.
	Report func(ctx context.Context, q database.Querier, storeID store.ID, from Origin, externalID *string, f fault.Field) error
}

// NewImageSources makes it. Its Kind is to be registered at the queue.
func NewImageSources(deps ImageSourcesDeps) *ImageSources { return &ImageSources{deps} }

// WithImages has pushed addresses of images asked for; without it they are passed over with a warning. It is called before the service is used.
func (s *Service) WithImages(sources *ImageSources) { s.sources = sources }

// Kind is the sort of background work that downloads are.
func (s *ImageSources) Kind() queue.Kind {
	return queue.Kind{
		Name: downloadKind, Slots: 4, Total: 16, Timeout: downloadTime, Run: s.download, Dead: s.giveUp,
		Retries: []time.Duration{time.Second, 10 * time.Second, time.Minute, 10 * time.Minute},
	}
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
	place           string
}

// check returns an address as it is asked for, and the lane in which that is done, or why it never will be. A nil s asks for nothing.
func (s *ImageSources) check(given string) (address, lane string, refused *fault.Error) {
	if s == nil {
		return "", "", fault.New(fault.Invalid, "images_unavailable", "Images are not downloaded here; the address was passed over.")
	}
	u, err := s.Guard.CheckURL(given)
	if errors.As(err, &refused) {
		return "", "", refused
	}
	if err != nil {
		return "", "", fault.New(fault.Invalid, outbound.InvalidURL, "This address cannot be asked for; it was passed over.").Because(err)
	}
	return u.String(), u.Host, nil
}

// queueDownloads adds jobs for sources in the caller's transaction; one that waits or runs already is asked for once more.
func (s *ImageSources) queueDownloads(ctx context.Context, q database.Querier, storeID store.ID, asked []*imageSource) error {
	if len(asked) == 0 {
		return nil
	}
	jobs := make([]queue.Job, len(asked))
	for i, src := range asked {
		jobs[i] = queue.Job{Kind: downloadKind, Lane: src.lane, Unique: strconv.FormatInt(src.key, 10), Payload: sourceRef{storeID, src.key}.payload()}
	}
	return s.Queue.Add(ctx, q, jobs...)
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
