package spec

import (
	"strconv"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/api/httpapi/openapi"
	"vitrine/internal/kit/schema"
	"vitrine/internal/shop/imagefile"
)

// Image is an image in the responses of its own routes.
type Image struct {
	_ struct{} `doc:"An image with its thumbnails. Its files need no key, and never change."`

	ID         schema.ID                  `json:"id"`
	ExternalID schema.Nullable[string]    `json:"external_id" doc:"Its id in another system, unique among the images of the store." example:"1C-PHOTO-7"`
	OwnerType  schema.Nullable[string]    `json:"owner_type" doc:"What it belongs to: product, variant or category, or null while it belongs to nothing." example:"product"`
	OwnerID    schema.Nullable[schema.ID] `json:"owner_id" doc:"The id of the product that has it in its images, of the variant that it was uploaded for, or of the category whose image it is; null while it belongs to nothing."`
	URL        string                     `json:"url" doc:"Where the image is, without its metadata, upright." example:"https://api.shop.example/images/019a8269-7a12-7d3e-9c55-0b6a4f1d2e01/019a8269-ea80-7f01-93d4-4c5d6e7f8a01/original.jpg"`
	Width      int64                      `json:"width" doc:"In pixels, as it is seen." example:"3000"`
	Height     int64                      `json:"height" doc:"In pixels, as it is seen." example:"2000"`
	Thumbnails Thumbnails                 `json:"thumbnails"`
	Srcset     []ImageWidth               `json:"srcset" doc:"Where the image is in smaller widths, which are made at the first request: JPEGs, or PNGs where something shines through."`
	Alt        schema.Nullable[string]    `json:"alt" doc:"Its text for those who do not see it; empty if it says nothing. null stands for the name of the product." example:"T-shirt, seen from behind"`
	Color      schema.Nullable[string]    `json:"color" doc:"Its dominant color, to be shown until it is loaded. null for a short time after an update from a version without colors." example:"#3a6ea5"`
	CreatedAt  schema.Date                `json:"created_at"`
	UpdatedAt  schema.Date                `json:"updated_at" doc:"When its external_id, its text or its owner last changed."`
}

// Thumbnails has the URLs of the thumbnails of an image.
type Thumbnails struct {
	_ struct{} `doc:"Where smaller forms of the image are: JPEGs, or PNGs where something shines through. Of an animation they show the first frame. An image that is smaller is not made larger."`

	Small  string `json:"small" doc:"At most 160 pixels on the longer side." example:"https://api.shop.example/images/019a8269-7a12-7d3e-9c55-0b6a4f1d2e01/019a8269-ea80-7f01-93d4-4c5d6e7f8a01/small.jpg"`
	Medium string `json:"medium" doc:"At most 640 pixels on the longer side." example:"https://api.shop.example/images/019a8269-7a12-7d3e-9c55-0b6a4f1d2e01/019a8269-ea80-7f01-93d4-4c5d6e7f8a01/medium.jpg"`
}

// ImageWidth is an image in a smaller width.
type ImageWidth struct {
	_ struct{} `doc:"Where the image is in a smaller width."`

	Width int64  `json:"width" doc:"In pixels: 160, 320, 640, 960, 1280 or 1920." example:"320"`
	URL   string `json:"url" example:"https://api.shop.example/images/019a8269-7a12-7d3e-9c55-0b6a4f1d2e01/019a8269-ea80-7f01-93d4-4c5d6e7f8a01/original.jpg?w=320"`
}

// SrcsetOf returns the widths in which an image with this address and width can be had.
func SrcsetOf(url string, width int64) []ImageWidth {
	list := []ImageWidth{}
	for _, w := range imagefile.WidthsOf(width) {
		list = append(list, ImageWidth{Width: w, URL: url + "?w=" + strconv.FormatInt(w, 10)})
	}
	return list
}

// ColorOf returns the color of an image; null if it is not computed yet.
func ColorOf(color string) schema.Nullable[string] {
	if color == "" {
		return schema.Nullable[string]{}
	}
	return schema.NotNull(color)
}

// ImageForm is the multipart form that uploads an image.
type ImageForm struct {
	File       openapi.FileInput `json:"file" doc:"The image: a JPEG, PNG, WebP or GIF of at most 10 MiB, 24 megapixels and 65,535 pixels on a side. Its content tells what it is, not its name."`
	ExternalID string            `json:"external_id,omitempty" doc:"Its id in another system, unique among the images of the store; taken by another one it is 409. An empty field, as browsers send it, is none; in JSON an empty text is 422." example:"1C-PHOTO-7"`
}

// ImageEdit is the body that edits an image.
type ImageEdit struct {
	ExternalID schema.Nullable[openapi.ExternalIDInput] `json:"external_id,omitempty" doc:"Its id in another system; null takes it away. Taken by another image it is 409."`
	Alt        schema.Nullable[string]                  `json:"alt,omitempty" maxLength:"1000" doc:"Its text, of at most 1,000 characters; null stands for the name of the product." example:"T-shirt, seen from behind"`
}

const (
	exampleImageID    = "019a8269-ea80-7f01-93d4-4c5d6e7f8a01"
	exampleImageFiles = "https://api.shop.example/images/" + exampleStoreID + "/" + exampleImageID
)

func exampleThumbnails() Thumbnails {
	return Thumbnails{Small: exampleImageFiles + "/small.jpg", Medium: exampleImageFiles + "/medium.jpg"}
}

func exampleSrcset() []ImageWidth { return SrcsetOf(exampleImageFiles+"/original.jpg", 3000) }

// exampleNewImage returns an image that belongs to no product.
func exampleNewImage() Image {
	return Image{
		ID: exampleID(exampleImageID), ExternalID: schema.NotNull("1C-PHOTO-7"),
		URL: exampleImageFiles + "/original.jpg", Width: 3000, Height: 2000,
		Thumbnails: exampleThumbnails(), Srcset: exampleSrcset(), Color: schema.NotNull("#3a6ea5"),
		CreatedAt: exampleDate(), UpdatedAt: exampleDate(),
	}
}

func exampleImage() Image {
	image := exampleNewImage()
	image.OwnerType, image.OwnerID = schema.NotNull("product"), schema.NotNull(exampleID(exampleShirtID))
	return image
}

func imageDocs() map[string]httpapi.Route {
	return openapi.Group(imageTag, "image", map[string]httpapi.Route{
		"GET /v2/images": {
			OperationID: "listImages", Summary: "List images", Response: Image{}, Paged: true,
			Description: "The images of the store, in the order in which they were made. Those of archived " +
				"products are shown to keys that may write the catalogue, and to nobody else.",
			ResponseExamples: examples(listExample("One image", exampleImage())),
		},

		"POST /v2/images": {
			OperationID: "createImage", Summary: "Upload an image", Status: 201, Response: Image{}, HasETag: true,
			Description: "Send a form with the image in its field `file`, or the bytes as the body:\n\n" +
				"    curl -H 'Authorization: Bearer sk_…' -F file=@shirt.jpg $STORE_URL/v2/images\n\n" +
				"It belongs to nothing until a product names it in its `images`. What it is, is told by its content. " +
				"Metadata (EXIF with its places and names, XMP, comments) is taken off without encoding the image " +
				"anew; a JPEG that lies on its side by its EXIF is turned. Animations and colour profiles stay.",
			Form:             ImageForm{},
			ResponseExamples: examples(oneExample("The image", exampleNewImage())),
			Refusals: []httpapi.Refusal{
				{Status: 409, Code: "external_id_taken", When: "another image of the store has this `external_id`"},
				{Status: 413, Code: "too_large", When: "the file is over 10 MiB"},
				{Status: 413, Code: "image_needs_too_much_memory",
					When: "decoding it would take more memory than the server has for one image, " +
						"such as for a large PNG with 16 bits per channel"},
				{Status: 422, Code: "required", When: "the form has no field `file`"},
				{Status: 422, Code: "unsupported_image", When: "it is no JPEG, PNG, WebP or GIF"},
				{Status: 422, Code: "broken_image", When: "it is empty, cut off or cannot be read to its end"},
				{Status: 422, Code: "too_many_pixels",
					When: "it has more than 24 megapixels or 65,535 pixels on a side, " +
						"or an animation has more than 240 in all its frames"},
				{Status: 422, Code: "too_many_frames", When: "an animation has more than 1,000 frames"},
				{Status: 422, Code: "too_many_scans",
					When: "a progressive JPEG has more than 200 scans, or fewer if it is large"},
				{Status: 422, Code: "too_complex", When: "the image takes too long to decode"},
				{Status: 503, Code: "file_storage_unavailable",
					When: "the storage of files is away; nothing was changed"},
			},
		},

		"GET /v2/images/{id}": {
			OperationID: "getImage", Summary: "Read an image", Response: Image{}, HasETag: true,
			Description: "One image. That of an archived product is 404 for keys that may not write the " +
				"catalogue.",
			ResponseExamples: examples(oneExample("The image", exampleImage())),
		},

		"PUT /v2/images/{id}": {
			OperationID: "editImage", Summary: "Edit an image", Response: Image{}, HasETag: true, Body: ImageEdit{},
			Description: "Changes its `external_id` and its `alt`. The image itself never changes: upload another " +
				"one instead. To attach it, name it in the `images` of a product. What was read may be sent back.",
			BodyExamples: examples(bodyExample("Another id", `{"external_id":"1C-PHOTO-8"}`),
				bodyExample("With a text", `{"alt":"T-shirt, seen from behind"}`),
				bodyExample("Without its id in another system", `{"external_id":null}`)),
			ResponseExamples: examples(oneExample("The image", exampleImage())),
			Refusals: []httpapi.Refusal{{Status: 409, Code: "external_id_taken",
				When: "another image of the store has this `external_id`"},
				{Status: 422, Code: "too_long", When: "`alt` has more than 1,000 characters"}},
		},

		"DELETE /v2/images/{id}": {
			OperationID: "deleteImage", Summary: "Delete an image",
			Description: "Deletes the image with its files, and takes it off its product, " +
				"whose ETag changes and whose `updated_at` does not. " +
				"Its addresses then answer 404, but who has seen the image may keep it. The request has no body.",
		},

		"GET /images/{store_id}/{image_id}/{file}": {
			OperationID: "getImageFile", Summary: "A file of an image", PlainMediaType: "image/*",
			Description: "The image itself or a smaller form, as `url`, `thumbnails` and `srcset` name it. No key is " +
				"needed. A " +
				"file never changes, so it may be kept for ever; " +
				"`If-None-Match` and one `Range` are understood; a range that the file does not have gets the whole " +
				"file. It may be shown by pages of any origin.",
			PathParams: []httpapi.Param{
				{Name: "file",
					Description: "`original.jpg`, `.png`, `.webp` or `.gif`; `small.jpg` or `.png`; `medium.jpg` or " +
						"`.png`.", Example: "medium.jpg"},
			},
			QueryParams: []httpapi.Param{{Name: "w", Example: "320",
				Enum: []string{"160", "320", "640", "960", "1280", "1920"},
				Description: "Of the original: its width in pixels, up to that of the image. It is made at the first " +
					"request and kept: a JPEG, or a PNG where something shines through."}},
			Refusals: []httpapi.Refusal{
				{Status: 400, Code: "malformed_query",
					When: "`w` is none of the widths, is more than the width of the image, or is not for the original"},
				{Status: 404, Code: "no_thumbnail", When: "the image cannot be decoded any more"},
				{Status: 503, Code: "busy", When: "too many images are being made smaller"},
				{Status: 503, Code: "file_storage_unavailable", When: "the storage of files is away"},
			},
		},
	})
}
