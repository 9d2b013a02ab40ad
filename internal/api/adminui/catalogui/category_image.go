package catalogui

import (
	"context"
	"net/http"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/api/productapi"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/imagefile"
	"vitrine/internal/shop/store"
)

// categoryPicture is what the page shows of the picture of a category.
type categoryPicture struct {
	Small, Original string
	Error           string
}

func pictureOf(im *catalog.Image) categoryPicture {
	if im == nil {
		return categoryPicture{}
	}
	path := "/pictures/" + im.ID.String() + "/"
	return categoryPicture{Small: path + im.File(imagefile.Small), Original: path + im.File(imagefile.Original)}
}

// setCategoryImage stores an image and makes it the picture of a category. The one before is deleted.
func (ui *UI) setCategoryImage(w http.ResponseWriter, r *httpapi.Request) error {
	categoryID := categoryIDInPath(r)
	file, err := productapi.ReadImage(r)
	if err != nil {
		return ui.rejectCategoryImage(w, r, categoryID, err)
	}

	upload, err := productapi.StoreImage(r, ui.Images, file)
	if err != nil {
		return ui.rejectCategoryImage(w, r, categoryID, err)
	}

	_, err = frame.Change(ui.Frame, r, func(ctx context.Context, tx store.Tx) (none struct{}, err error) {
		// Without an author: the log has one entry about the image, the entry of the category.
		im, err := ui.Catalog.Images.Create(ctx, store.In(tx.Unscoped(), tx.StoreID()), upload, catalog.ImageEdit{})
		if err != nil {
			return none, err
		}
		return none, ui.replaceImage(ctx, tx, categoryID, &im.ID)
	})
	if err != nil {
		return ui.rejectCategoryImage(w, r, categoryID, productapi.DropImage(r, ui.Images, upload, err))
	}

	ui.Images.QueueThumbnails(r.Principal.Store.ID, upload.ID)
	return ui.Done(w, r, nil, categoriesPath+"/"+categoryID.String(), ui.pages.Language(r).T("Saved."))
}

// removeCategoryImage deletes the picture of a category.
func (ui *UI) removeCategoryImage(w http.ResponseWriter, r *httpapi.Request) error {
	frame.ParseForm(r)
	categoryID := categoryIDInPath(r)
	_, err := frame.Change(ui.Frame, r, func(ctx context.Context, tx store.Tx) (none struct{}, err error) {
		return none, ui.replaceImage(ctx, tx, categoryID, nil)
	})
	if err != nil {
		return err
	}
	ui.Images.Wake()
	return ui.Done(w, r, nil, categoriesPath+"/"+categoryID.String(), ui.pages.Language(r).T("The image is removed."))
}

// replaceImage gives a category another picture, or none, and deletes the one before.
func (ui *UI) replaceImage(
	ctx context.Context, tx store.Tx, categoryID catalog.CategoryID, imageID *catalog.ImageID,
) error {
	before, err := ui.Catalog.Categories.Find(ctx, tx, categoryID)
	if err != nil {
		return err
	}
	edit := catalog.CategoryEdit{Image: &imageID}
	if _, err := ui.Catalog.Categories.Edit(ctx, tx, categoryID, edit, nil); err != nil {
		return err
	}
	if before.Image == nil {
		return nil
	}
	return ui.Catalog.Images.Delete(ctx, store.In(tx.Unscoped(), tx.StoreID()), before.Image.ID, nil)
}

// rejectCategoryImage shows the page of a category with what is wrong with an image.
func (ui *UI) rejectCategoryImage(
	w http.ResponseWriter, r *httpapi.Request, categoryID catalog.CategoryID, failure error,
) error {
	switch fault.KindOf(failure) {
	case fault.Invalid, fault.TooLarge, fault.Unsupported, fault.Malformed, fault.Conflict:
	default:
		return failure
	}

	v, err := ui.categoryView(r, categoryID)
	if err != nil {
		return err
	}
	v.Body.(*categoryPage).Picture.Error = v.FaultMessage(failure)
	return ui.pages.Reject(w, "category", v, "")
}
