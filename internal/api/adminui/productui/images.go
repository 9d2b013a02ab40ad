package productui

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/api/productapi"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/imagefile"
	"vitrine/internal/shop/store"
)

// pictureView is an image of a product.
type pictureView struct {
	ID, Small, Original string
	Width, Height       int64
	First, Last         bool
}

func pictureViews(images []catalog.Image) []pictureView {
	list := make([]pictureView, len(images))
	for i := range images {
		im := &images[i]
		list[i] = pictureView{ID: im.ID.String(), Small: picturePath(im, imagefile.Small),
			Original: picturePath(im, imagefile.Original), Width: im.Width, Height: im.Height, First: i == 0,
			Last: i == len(images)-1}
	}
	return list
}

// serveImage serves a file of an image of the store. The content of a file never changes.
func (ui *UI) serveImage(w http.ResponseWriter, r *httpapi.Request) error {
	imageID := httpapi.PathID[imagefile.Image](r, "image", "image")
	if err := r.Err(); err != nil {
		return err
	}

	file, mediaType, err := ui.Images.Open(r.Context(), r.Principal.Store.ID, imageID, r.PathValue("file"))
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // read only, so an error of Close loses nothing

	head := w.Header()
	frame.SetSecurityHeaders(head)
	head.Set("Content-Type", mediaType)
	head.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	head.Set("Cache-Control", "private, max-age=31536000, immutable")
	head.Set("ETag", fmt.Sprintf(`"%s-%s"`, imageID, r.PathValue("file")))
	http.ServeContent(w, r.Request, "", time.Time{}, file)

	return nil
}

// addImage stores an image and adds it to the product as the last one.
func (ui *UI) addImage(w http.ResponseWriter, r *httpapi.Request) error {
	productID := productIDFromPath(r)
	file, err := productapi.ReadImage(r)
	if err != nil {
		return ui.rejectImage(w, r, productID, err)
	}

	upload, err := productapi.StoreImage(r, ui.Images, file)
	if err != nil {
		return ui.rejectImage(w, r, productID, err)
	}

	err = ui.changeImages(r, productID,
		func(ctx context.Context, tx store.Tx, present []catalog.ImageID) ([]catalog.ImageID, error) {
			// Without an author: the log has one entry about the image, the entry of the product.
			im, err := ui.Catalog.Images.Create(ctx, store.In(tx.Unscoped(), tx.StoreID()), upload, catalog.ImageEdit{})
			return append(present, im.ID), err
		})
	if err != nil {
		return ui.rejectImage(w, r, productID, productapi.DropImage(r, ui.Images, upload, err))
	}

	ui.Images.QueueThumbnails(r.Principal.Store.ID, upload.ID)
	return ui.RedirectWith(w, r, picturesURL(productID),
		frame.Toast{Text: ui.pages.Language(r).T("The image is added.")})
}

func picturesURL(productID catalog.ProductID) string {
	return "/products/" + productID.String() + "#pictures"
}

// imageAttempts is how often a change of the images is tried if others change the product at the same time.
const imageAttempts = 5

// changeImages sets the images of a product to those that change returns. The change is repeated if the product has
// changed since its images were read.
func (ui *UI) changeImages(
	r *httpapi.Request, productID catalog.ProductID,
	change func(ctx context.Context, tx store.Tx, present []catalog.ImageID) ([]catalog.ImageID, error),
) (err error) {
	for range imageAttempts {
		_, err = frame.Change(ui.Frame, r, func(ctx context.Context, tx store.Tx) (none struct{}, err error) {
			one := make([]catalog.Product, 1)
			if one[0], err = ui.Catalog.Products.Find(ctx, tx, productID, catalog.AnyArchived); err != nil {
				return none, err
			}
			if err := ui.Catalog.Products.FillImages(ctx, tx, one); err != nil {
				return none, err
			}

			p := one[0]
			present := make([]catalog.ImageID, len(p.Images))
			for i := range p.Images {
				present[i] = p.Images[i].ID
			}

			wanted, err := change(ctx, tx, slices.Clone(present))
			if err != nil || slices.Equal(wanted, present) {
				return none, err
			}

			unchanged := func(version int64) bool { return version == p.Version }
			_, err = ui.Catalog.Products.Edit(ctx, tx, productID, catalog.ProductEdit{Images: &wanted}, unchanged)
			return none, err
		})
		if fault.KindOf(err) != fault.Stale {
			return err
		}
	}

	return err
}

// rejectImage shows the page of the product with what is wrong with an image.
func (ui *UI) rejectImage(w http.ResponseWriter, r *httpapi.Request, productID catalog.ProductID, failure error) error {
	switch fault.KindOf(failure) {
	case fault.Invalid, fault.TooLarge, fault.Unsupported, fault.Malformed, fault.Conflict:
	default:
		return failure
	}

	v := ui.pages.NewView(r, "Product", "products", nil)
	body, err := frame.InStore(r, ui.Snapshot(r), func(ctx context.Context, tx store.Tx) (*productView, error) {
		stored, err := ui.readStored(ctx, tx, productID)
		if err != nil {
			return nil, err
		}
		return ui.view(ctx, tx, &v, stored, stored.form(1))
	})
	if err != nil {
		return err
	}

	body.PictureError = v.FaultMessage(failure)
	return ui.render(w, http.StatusUnprocessableEntity, v, body)
}

// orderImages sets the order of the images to the order of the fields image. Images of the product that are not in the
// form come last, and those that an earlier removal has taken away are added again.
func (ui *UI) orderImages(w http.ResponseWriter, r *httpapi.Request) error {
	productID := productIDFromPath(r)
	frame.ParseForm(r)
	wanted, err := readImageIDs(r.PostForm)
	if err != nil {
		return err
	}

	err = ui.changeImages(r, productID,
		func(_ context.Context, _ store.Tx, present []catalog.ImageID) ([]catalog.ImageID, error) {
			list := slices.Clone(wanted)
			for _, imageID := range present {
				if !slices.Contains(list, imageID) {
					list = append(list, imageID)
				}
			}
			return list, nil
		})
	if err != nil {
		return ui.rejectImage(w, r, productID, err)
	}

	return ui.RedirectWith(w, r, picturesURL(productID),
		frame.Toast{Text: ui.pages.Language(r).T("The images are in the new order.")})
}

// readImageIDs reads the order of the images.
func readImageIDs(form url.Values) ([]catalog.ImageID, error) {
	var list []catalog.ImageID
	for _, text := range form["image"] {
		imageID, err := id.Parse[imagefile.Image](text)
		if err != nil || slices.Contains(list, imageID) {
			return nil, fault.New(fault.Malformed, "malformed_form", "The form names images that do not exist.")
		}
		list = append(list, imageID)
	}
	return list, nil
}

// removeImage takes an image off the product. The image itself stays, so that it can be put back.
func (ui *UI) removeImage(w http.ResponseWriter, r *httpapi.Request) error {
	productID := productIDFromPath(r)
	imageID := httpapi.PathID[imagefile.Image](r, "image", "image")
	var before []catalog.ImageID

	err := ui.changeImages(r, productID,
		func(_ context.Context, _ store.Tx, present []catalog.ImageID) ([]catalog.ImageID, error) {
			before = slices.Clone(present)
			i := slices.Index(present, imageID)
			if i < 0 {
				return nil, fault.Missing("image")
			}
			return slices.Delete(present, i, i+1), nil
		})
	if err != nil {
		return err
	}

	undo := url.Values{}
	for _, one := range before {
		undo.Add("image", one.String())
	}

	return ui.RedirectWith(w, r, picturesURL(productID), frame.Toast{
		Text: ui.pages.Language(r).T("The image is removed."),
		Undo: &frame.Undo{Action: "/products/" + productID.String() + "/images/order", Fields: undo}})
}

// pictureStep handles the buttons of the product form that move or remove an image. The value of such a button is
// move-picture:ID:earlier, move-picture:ID:later or remove-picture:ID. For any other step, it returns false.
func (ui *UI) pictureStep(r *httpapi.Request, productID, step string) (isPicture bool, err error) {
	name, argument, _ := strings.Cut(step, ":")
	if productID == "" || (name != "move-picture" && name != "remove-picture") {
		return false, nil
	}
	if name == "move-picture" {
		return true, ui.changeImages(r, productIDFromPath(r),
			func(_ context.Context, _ store.Tx, present []catalog.ImageID) ([]catalog.ImageID, error) {
				return moved(present, argument), nil
			})
	}
	return true, ui.changeImages(r, productIDFromPath(r),
		func(_ context.Context, _ store.Tx, present []catalog.ImageID) ([]catalog.ImageID, error) {
			return slices.DeleteFunc(present, func(one catalog.ImageID) bool { return one.String() == argument }), nil
		})
}

// moved returns the list with an image moved by one place. The move is the id of the image and the direction, such
// as ID:earlier.
func moved(list []catalog.ImageID, move string) []catalog.ImageID {
	picture, direction, _ := strings.Cut(move, ":")
	i := slices.IndexFunc(list, func(one catalog.ImageID) bool { return one.String() == picture })
	switch {
	case i > 0 && direction == "earlier":
		list[i-1], list[i] = list[i], list[i-1]
	case i >= 0 && i+1 < len(list) && direction == "later":
		list[i], list[i+1] = list[i+1], list[i]
	}
	return list
}
