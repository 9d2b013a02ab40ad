package picture

import (
	"bytes"
	"image"
	"image/draw"
	"image/jpeg"
)

// reencodeQuality is that of a JPEG which had to be encoded anew because it lay on its side.
const reencodeQuality = 92

// encodeUpright encodes a decoded picture so that it stands upright. A profile that fits what is encoded is kept.
func encodeUpright(img image.Image, orientation int, p iccProfile) ([]byte, image.Image, error) {
	upright, space := applyOrientation(img, orientation)
	var b bytes.Buffer
	if err := jpeg.Encode(&b, upright, &jpeg.Options{Quality: reencodeQuality}); err != nil {
		return nil, nil, err
	}
	return insertJPEGProfile(b.Bytes(), p, space), upright, nil
}

// insertJPEGProfile puts a profile into a JPEG that has none, if it fits its colours.
func insertJPEGProfile(file []byte, p iccProfile, space string) []byte {
	if !p.hasColourSpace(space) {
		return file
	}
	out := appendICCSegments([]byte{0xff, markerSOI}, p)
	return append(out, file[2:]...)
}

// applyOrientation returns a picture as EXIF says that it is to be seen, and the space of its colours.
func applyOrientation(img image.Image, orientation int) (upright image.Image, space string) {
	r := img.Bounds()
	w, h := r.Dx(), r.Dy()
	size := image.Rect(0, 0, w, h)
	if orientation >= 5 {
		size = image.Rect(0, 0, h, w)
	}
	if gray, ok := img.(*image.Gray); ok {
		out := image.NewGray(size)
		orientPixels(out.Pix, gray.Pix, out.Stride, gray.Stride, 1, w, h, orientation)
		return out, "GRAY"
	}
	from, ok := img.(*image.RGBA)
	if !ok {
		from = image.NewRGBA(image.Rect(0, 0, w, h))
		draw.Draw(from, from.Rect, img, r.Min, draw.Src)
	}
	out := image.NewRGBA(size)
	orientPixels(out.Pix, from.Pix, out.Stride, from.Stride, 4, w, h, orientation)
	return out, "RGB "
}

// orientPixels moves each pixel of a w × h picture to its place.
func orientPixels(to, from []byte, toStride, fromStride, pixelSize, w, h, orientation int) {
	for y := range h {
		row := from[y*fromStride:]
		for x := range w {
			tx, ty := x, y
			switch orientation {
			case 2: // mirrored
				tx = w - 1 - x
			case 3: // upside down
				tx, ty = w-1-x, h-1-y
			case 4:
				ty = h - 1 - y
			case 5:
				tx, ty = y, x
			case 6: // its top is at the right
				tx, ty = h-1-y, x
			case 7:
				tx, ty = h-1-y, w-1-x
			case 8: // its top is at the left
				tx, ty = y, w-1-x
			}
			copy(to[ty*toStride+tx*pixelSize:][:pixelSize], row[x*pixelSize:])
		}
	}
}
