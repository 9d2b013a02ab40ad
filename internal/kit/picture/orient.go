package picture

import (
	"bytes"
	"image"
	"image/draw"
	"image/jpeg"
	"slices"
)

// reencodeQuality is the JPEG quality of images that are re-encoded to apply their EXIF orientation.
const reencodeQuality = 92

// encodeUpright applies an EXIF orientation to a decoded image and encodes the result as JPEG. It keeps the profile if
// the profile is for the colour space of the result.
func encodeUpright(img image.Image, orientation int, p iccProfile) ([]byte, image.Image, error) {
	upright, space := applyOrientation(img, orientation)
	var b bytes.Buffer
	if err := jpeg.Encode(&b, upright, &jpeg.Options{Quality: reencodeQuality}); err != nil {
		return nil, nil, err
	}
	return insertJPEGProfile(b.Bytes(), p, space), upright, nil
}

// insertJPEGProfile inserts a profile into a JPEG that has none. It returns file unchanged if the profile is for
// another colour space.
func insertJPEGProfile(file []byte, p iccProfile, space string) []byte {
	if !p.hasColourSpace(space) {
		return file
	}
	return slices.Concat(file[:2], appendICCSegments(nil, p), file[2:])
}

// applyOrientation rotates and mirrors an image by its EXIF orientation. space is the ICC name of its colour space.
func applyOrientation(img image.Image, orientation int) (upright image.Image, space string) {
	r := img.Bounds()
	w := r.Dx()
	h := r.Dy()
	size := image.Rect(0, 0, w, h)

	if orientation >= 5 {
		size = image.Rect(0, 0, h, w)
	}

	if gray, ok := img.(*image.Gray); ok {
		out := image.NewGray(size)
		orientPixels(out.Pix, gray.Pix, out.Stride, gray.Stride, 1, w, h, orientation)
		return out, "GRAY"
	}

	if colours, ok := img.(*image.YCbCr); ok {
		if out := orientYCbCr(colours, size, orientation); out != nil {
			return out, "RGB "
		}
	}

	out := image.NewRGBA(size)
	row := image.NewRGBA(image.Rect(0, 0, w, 1))
	for y := range h {
		draw.Draw(row, row.Rect, img, image.Pt(r.Min.X, r.Min.Y+y), draw.Src)
		orientRow(out.Pix, row.Pix, out.Stride, 4, y, w, h, orientation)
	}

	return out, "RGB "
}

// orientYCbCr applies an orientation to each plane of an image. It returns nil if the result has a subsampling that
// image.YCbCr does not have.
func orientYCbCr(img *image.YCbCr, size image.Rectangle, orientation int) *image.YCbCr {
	ratio := img.SubsampleRatio
	across, down := 1, 1 // pixels per sample of the chroma planes
	switch ratio {
	case image.YCbCrSubsampleRatio444:
	case image.YCbCrSubsampleRatio420:
		across, down = 2, 2
	case image.YCbCrSubsampleRatio422:
		if across = 2; orientation >= 5 {
			ratio = image.YCbCrSubsampleRatio440
		}
	case image.YCbCrSubsampleRatio440:
		if down = 2; orientation >= 5 {
			ratio = image.YCbCrSubsampleRatio422
		}
	default:
		return nil
	}

	out := image.NewYCbCr(size, ratio)
	w := img.Rect.Dx()
	h := img.Rect.Dy()
	orientPixels(out.Y, img.Y, out.YStride, img.YStride, 1, w, h, orientation)
	w, h = (w+across-1)/across, (h+down-1)/down
	orientPixels(out.Cb, img.Cb, out.CStride, img.CStride, 1, w, h, orientation)
	orientPixels(out.Cr, img.Cr, out.CStride, img.CStride, 1, w, h, orientation)

	return out
}

// orientPixels copies each pixel of a w × h image to its new position. pixelSize is in bytes.
func orientPixels(to, from []byte, toStride, fromStride, pixelSize, w, h, orientation int) {
	for y := range h {
		orientRow(to, from[y*fromStride:], toStride, pixelSize, y, w, h, orientation)
	}
}

// orientRow copies each pixel of the row y.
func orientRow(to, row []byte, toStride, pixelSize, y, w, h, orientation int) {
	for x := range w {
		tx, ty := x, y
		switch orientation {
		case 2: // mirrored horizontally
			tx = w - 1 - x
		case 3: // rotated by 180°
			tx, ty = w-1-x, h-1-y
		case 4:
			ty = h - 1 - y
		case 5:
			tx, ty = y, x
		case 6: // rotated clockwise
			tx = h - 1 - y
			ty = x
		case 7:
			tx, ty = h-1-y, w-1-x
		case 8: // rotated anticlockwise
			tx = y
			ty = w - 1 - x
		}

		copy(to[ty*toStride+tx*pixelSize:][:pixelSize], row[x*pixelSize:])
	}
}
