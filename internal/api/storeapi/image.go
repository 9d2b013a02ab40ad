package storeapi

import (
	"context"
	"net/http"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/api/storeapi/spec"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/imagefile"
	"vitrine/internal/shop/store"
)

// imagesPath is the path of the collection.
const imagesPath = "/v2/images"

// images has the handlers of images.
type images struct{ *API }

func (h images) list(w http.ResponseWriter, r *httpapi.Request) error {
	base, dates := h.imageBase(r), r.Dates()
	return httpapi.ListOf(w, r, func(ctx context.Context, tx store.Tx, limit, offset int64) ([]catalog.Image, int64, error) {
		return h.catalog.Images.List(ctx, tx, seesArchived(r), limit, offset)
	}, func(im *catalog.Image) spec.Image { return imageOf(base, r.Principal.Store.ID, im, dates) })
}

// seesArchived reports whether the principal may see the images of archived products.
func seesArchived(r *httpapi.Request) bool { return r.Principal.May(access.CatalogWrite) }

func (h images) one(w http.ResponseWriter, r *httpapi.Request) error {
	imageID, err := h.pathID(r)
	if err != nil {
		return err
	}
	if _, err := r.With(); err != nil {
		return err
	}
	return r.Read(w, false, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		im, err := h.catalog.Images.Find(ctx, tx, imageID, seesArchived(r))
		if err == nil {
			h.answer(r, out, &im)
		}
		return err
	})
}

// create stores the file and then creates the image in a transaction. Replay runs before both, so that a repeated
// request stores no file.
func (h images) create(w http.ResponseWriter, r *httpapi.Request) error {
	if _, err := r.With(); err != nil {
		return err
	}
	file, err := readImageFile(r)
	if err != nil {
		return err
	}
	defer file.Close()
	e, err := readImageForm(file)
	if err != nil {
		return err
	}
	if replayed, err := r.Replay(w, file.Body); err != nil || replayed {
		return err
	}
	upload, err := h.images.Store(r.Context(), r.Principal.Store.ID, file.Content)
	if err != nil {
		return err
	}
	err = r.Write(w, file.Body, false, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		im, err := h.catalog.Images.Create(ctx, tx, upload, e)
		if err != nil {
			return err
		}
		out.Status = http.StatusCreated
		out.Location = imagesPath + "/" + im.ID.String()
		h.answer(r, out, &im)
		return nil
	})
	if err != nil {
		return h.drop(r, upload, err)
	}
	h.images.QueueThumbnails(r.Principal.Store.ID, upload.ID)
	return nil
}

// drop removes the file of an upload whose image was not created, and returns the error of the request. After a
// database error the outcome of the transaction is unknown, so the file stays: the removal of orphans deletes it after
// an hour if it has no image.
func (h images) drop(r *httpapi.Request, u imagefile.Upload, refused error) error {
	if kind := fault.KindOf(refused); kind == fault.Internal || kind == fault.Unavailable {
		return refused
	}
	h.images.Drop(r.Context(), r.Principal.Store.ID, u)
	return refused
}

func (h images) edit(w http.ResponseWriter, r *httpapi.Request) error {
	imageID, err := h.pathID(r)
	if err != nil {
		return err
	}
	body, e, err := readBody(r, readImage)
	if err != nil {
		return err
	}
	defer body.Close()
	return r.Write(w, body, false, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		im, err := h.catalog.Images.Edit(ctx, tx, imageID, e, r.IfMatch())
		if err == nil {
			h.answer(r, out, &im)
		}
		return err
	})
}

func (h images) delete(w http.ResponseWriter, r *httpapi.Request) error {
	imageID, err := h.pathID(r)
	if err != nil {
		return err
	}
	if _, err := r.With(); err != nil {
		return err
	}
	err = r.Write(w, r.NoBody(), false, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		out.Status = http.StatusNoContent
		return h.catalog.Images.Delete(ctx, tx, imageID, r.IfMatch())
	})
	if err == nil {
		h.images.Wake()
	}
	return err
}

func (h images) pathID(r *httpapi.Request) (catalog.ImageID, error) {
	return httpapi.PathID[imagefile.Image](r, "id", "image")
}

// answer writes one image with its ETag to the response.
func (h images) answer(r *httpapi.Request, out *httpapi.Response, im *catalog.Image) {
	out.ETag = httpapi.ETag(im.Version)
	out.One(imageOf(h.imageBase(r), r.Principal.Store.ID, im, r.Dates()))
}
