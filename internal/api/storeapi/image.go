package storeapi

import (
	"context"
	"net/http"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/api/productapi"
	"vitrine/internal/api/storeapi/spec"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/imagefile"
	"vitrine/internal/shop/store"
)

// imagesPath is the path of the collection of images.
const imagesPath = "/v2/images"

type imageHandlers struct{ *API }

func (h imageHandlers) list(w http.ResponseWriter, r *httpapi.Request) error {
	base := h.imageBaseURL(r)
	dates := r.Dates()
	return httpapi.RespondList(w, r, httpapi.Filtered(maySeeArchived(r), h.catalog.Images.List),
		httpapi.AsJSON(func(im *catalog.Image) spec.Image { return imageOf(base, r.Principal.Store.ID, im, dates) }))
}

// maySeeArchived reports whether the principal may see the images of archived products.
func maySeeArchived(r *httpapi.Request) bool { return r.Principal.May(access.CatalogWrite) }

func (h imageHandlers) show(w http.ResponseWriter, r *httpapi.Request) error {
	imageID := h.pathID(r)
	r.Query.Extras()
	return r.Read(w, false, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		im, err := h.catalog.Images.Find(ctx, tx, imageID, maySeeArchived(r))
		return h.respond(r, out, &im, err)
	})
}

// create stores the file and then creates the image in a transaction. Replay runs before both, so that a repeated
// request stores no file.
func (h imageHandlers) create(w http.ResponseWriter, r *httpapi.Request) error {
	r.Query.Extras()
	file, err := productapi.ReadImage(r)
	if err != nil {
		return err
	}

	e, err := readImageForm(file)
	if err != nil {
		return err
	}
	if replayed, err := r.Replay(w); err != nil || replayed {
		return err
	}

	upload, err := productapi.StoreImage(r, h.images, file)
	if err != nil {
		return err
	}

	err = r.Write(w, false, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		im, err := h.catalog.Images.Create(ctx, tx, upload, e)
		out.Created(imagesPath + "/" + im.ID.String())
		return h.respond(r, out, &im, err)
	})
	if err != nil {
		return productapi.DropImage(r, h.images, upload, err)
	}

	h.images.QueueThumbnails(r.Principal.Store.ID, upload.ID)
	return nil
}

func (h imageHandlers) edit(w http.ResponseWriter, r *httpapi.Request) error {
	imageID := h.pathID(r)
	e := readBody(r, readImageEdit)
	return r.Write(w, false, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		im, err := h.catalog.Images.Edit(ctx, tx, imageID, e, r.IfMatch())
		return h.respond(r, out, &im, err)
	})
}

func (h imageHandlers) delete(w http.ResponseWriter, r *httpapi.Request) error {
	imageID := h.pathID(r)
	r.Query.Extras()
	err := r.Write(w, false, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		out.Status = http.StatusNoContent
		return h.catalog.Images.Delete(ctx, tx, imageID, r.IfMatch())
	})
	if err == nil {
		h.images.Wake()
	}
	return err
}

func (h imageHandlers) pathID(r *httpapi.Request) catalog.ImageID {
	return httpapi.PathID[imagefile.Image](r, "id", "image")
}

// respond writes one image with its ETag. The argument failure is the error of the use case: if it is not nil, respond
// returns it and writes nothing.
func (h imageHandlers) respond(r *httpapi.Request, out *httpapi.Response, im *catalog.Image, failure error) error {
	if failure == nil {
		out.WriteResource(im.Version, imageOf(h.imageBaseURL(r), r.Principal.Store.ID, im, r.Dates()))
	}
	return failure
}
