package productapi

import (
	"strings"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/imagefile"
)

// ReadImage reads the file of an upload: the field file of a form, or the whole body. It accepts every image media type
// and application/octet-stream, since the format is detected from the content later.
func ReadImage(r *httpapi.Request) (*httpapi.File, error) {
	file, err := r.File("file", imagefile.MaxBytes, func(media string) bool {
		return strings.HasPrefix(media, "image/") || media == "application/octet-stream"
	})
	if fault.KindOf(err) == fault.TooLarge {
		return nil, fault.New(fault.TooLarge, "too_large",
			"The image is over the limit of %d MiB. Make it smaller and send it again.", imagefile.MaxBytes>>20)
	}
	return file, err
}

// StoreImage decodes and stores the file. Large images have slots of their own, so that small ones do not wait for
// them.
func StoreImage(r *httpapi.Request, images *imagefile.Files, file *httpapi.File) (imagefile.Upload, error) {
	large, err := images.IsLarge(r.Context(), file.Content)
	if err != nil {
		return imagefile.Upload{}, err
	}
	class := httpapi.ClassImage
	if large {
		class = httpapi.ClassLargeImage
	}
	release, err := r.Work.Admit(r.Context(), class)
	if err != nil {
		return imagefile.Upload{}, err
	}
	defer release()
	return images.Store(r.Context(), r.Principal.Store.ID, file.Content)
}

// DropImage removes the file of an upload whose image was not created, and returns the error of the request. After a
// database error the outcome of the transaction is unknown, so the file stays. If no image refers to it after an hour,
// the cleanup of orphaned files deletes it.
func DropImage(r *httpapi.Request, images *imagefile.Files, u imagefile.Upload, err error) error {
	if kind := fault.KindOf(err); kind == fault.Internal || kind == fault.Unavailable {
		return err
	}
	images.Drop(r.Context(), r.Principal.Store.ID, u)
	return err
}
