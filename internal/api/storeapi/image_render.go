package storeapi

import (
	"net"
	"net/http"
	"strconv"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/locale"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/imagefile"
	"vitrine/internal/shop/store"
)

// imageBase is the address of this server as the files of images are named by: that of --public-url, or else the one that the request
// came to. It is escaped as it stands inside a JSON string.
func (api *API) imageBase(r *httpapi.Request) string {
	base := api.publicURL
	if base == "" {
		base = "http://"
		if r.TLS != nil {
			base = "https://"
		}
		if base += r.Host; r.Host == "" { // HTTP/1.0 may come without one
			local, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
			if local != nil {
				base += local.String()
			}
		}
	}
	quoted := wire.AppendString(nil, base)
	return string(quoted[1 : len(quoted)-1])
}

// appendImage writes an image as it stands inside a product.
func appendImage(b []byte, base string, storeID store.ID, im *catalog.Image) []byte {
	b = append(b, `{"id":"`...)
	b = im.ID.Append(b)
	b = append(b, `",`...)
	b = appendImageFiles(b, base, storeID, im)
	return append(b, '}')
}

// appendWholeImage writes an image as it is read by itself.
func appendWholeImage(b []byte, base string, storeID store.ID, im *catalog.Image, dates *locale.Dates) []byte {
	b = append(b, `{"id":"`...)
	b = im.ID.Append(b)
	b = append(b, `","external_id":`...)
	b = appendOptional(b, im.ExternalID)
	if im.ProductID == nil {
		b = append(b, `,"owner_type":null,"owner_id":null,`...)
	} else {
		b = append(b, `,"owner_type":"product","owner_id":"`...)
		b = im.ProductID.Append(b)
		b = append(b, `",`...)
	}
	b = appendImageFiles(b, base, storeID, im)
	b = append(b, `,"created_at":`...)
	b = dates.AppendJSON(b, im.CreatedAt)
	b = append(b, `,"updated_at":`...)
	b = dates.AppendJSON(b, im.UpdatedAt)
	return append(b, '}')
}

// appendImageFiles writes where an image and its thumbnails are, and how large it is.
func appendImageFiles(b []byte, base string, storeID store.ID, im *catalog.Image) []byte {
	b = append(b, `"url":"`...)
	b = appendImageURL(b, base, storeID, im, imagefile.Original)
	b = append(b, `","width":`...)
	b = strconv.AppendInt(b, im.Width, 10)
	b = append(b, `,"height":`...)
	b = strconv.AppendInt(b, im.Height, 10)
	b = append(b, `,"thumbnails":{"small":"`...)
	b = appendImageURL(b, base, storeID, im, imagefile.Small)
	b = append(b, `","medium":"`...)
	b = appendImageURL(b, base, storeID, im, imagefile.Medium)
	return append(b, `"}`...)
}

// appendImageURL writes the address of one file of an image.
func appendImageURL(b []byte, base string, storeID store.ID, im *catalog.Image, size imagefile.Size) []byte {
	b = append(b, base...)
	b = append(b, "/images/"...)
	b = storeID.Append(b)
	b = append(b, '/')
	b = im.ID.Append(b)
	b = append(b, '/')
	return append(b, im.File(size)...)
}
