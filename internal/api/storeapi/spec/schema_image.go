package spec

import "vitrine/internal/api/httpapi/openapi"

// Image is an image as it is read by itself.
type Image struct {
	_ struct{} `doc:"An image with its thumbnails. Its files need no key, and never change."`

	ID         openapi.ID                   `json:"id"`
	ExternalID openapi.Nullable[string]     `json:"external_id" doc:"Its id in another system, unique among the images of the store." example:"1C-PHOTO-7"`
	OwnerType  openapi.Nullable[string]     `json:"owner_type" doc:"What it belongs to: product, or null while it belongs to nothing." example:"product"`
	OwnerID    openapi.Nullable[openapi.ID] `json:"owner_id" doc:"The id of the product that has it in its images; null while none has."`
	URL        string                       `json:"url" doc:"Where the image is, without its metadata, upright." example:"https://api.shop.example/images/019a8269-7a12-7d3e-9c55-0b6a4f1d2e01/019a8269-ea80-7f01-93d4-4c5d6e7f8a01/original.jpg"`
	Width      int64                        `json:"width" doc:"In pixels, as it is seen." example:"3000"`
	Height     int64                        `json:"height" doc:"In pixels, as it is seen." example:"2000"`
	Thumbnails Thumbnails                   `json:"thumbnails"`
	CreatedAt  openapi.DateObject           `json:"created_at"`
	UpdatedAt  openapi.DateObject           `json:"updated_at" doc:"When its external_id or its owner last changed."`
}

// Thumbnails is where the smaller forms of an image are.
type Thumbnails struct {
	_ struct{} `doc:"Where smaller forms of the image are: JPEGs, or PNGs where something shines through. Of an animation they show the first frame. An image that is smaller is not made larger."`

	Small  string `json:"small" doc:"At most 160 pixels on the longer side." example:"https://api.shop.example/images/019a8269-7a12-7d3e-9c55-0b6a4f1d2e01/019a8269-ea80-7f01-93d4-4c5d6e7f8a01/small.jpg"`
	Medium string `json:"medium" doc:"At most 640 pixels on the longer side." example:"https://api.shop.example/images/019a8269-7a12-7d3e-9c55-0b6a4f1d2e01/019a8269-ea80-7f01-93d4-4c5d6e7f8a01/medium.jpg"`
}

// ImageForm is the form that an image is sent with.
type ImageForm struct {
	File       openapi.FileInput `json:"file" doc:"The image: a JPEG, PNG, WebP or GIF of at most 10 MiB, 24 megapixels and 65,535 pixels on a side. Its content tells what it is, not its name."`
	ExternalID string            `json:"external_id,omitempty" doc:"Its id in another system, unique among the images of the store; taken by another one it is 409. An empty field, as browsers send it, is none; in JSON an empty text is 422." example:"1C-PHOTO-7"`
}

// ImageEdit is the body that edits an image.
type ImageEdit struct {
	ExternalID openapi.Nullable[openapi.ExternalIDInput] `json:"external_id,omitempty" doc:"Its id in another system; null takes it away. Taken by another image it is 409."`
}
