package picture

import (
	"bytes"
	"image"
	"image/draw"
	"image/jpeg"
)

// turnedQuality is that of a JPEG which had to be encoded anew because it lay on its side.
const turnedQuality = 92

// turnJPEG encodes a decoded picture so that it stands upright. A profile that fits what is encoded is kept.
func turnJPEG(img image.Image, orientation int, p profile) ([]byte, image.Image, error) {
	turned, space := turn(img, orientation)
	var b bytes.Buffer
	if err := jpeg.Encode(&b, turned, &jpeg.Options{Quality: turnedQuality}); err != nil {
		return nil, nil, err
	}
	return withProfile(b.Bytes(), p, space), turned, nil
}

// withProfile puts a profile into a JPEG that has none, if it fits its colours.
func withProfile(file []byte, p profile, space string) []byte {
	if !p.fits(space) {
		return file
	}
	out := appendProfile([]byte{0xff, markerSOI}, p)
	return append(out, file[2:]...)
}

// turn returns a picture as EXIF says that it is to be seen, and the space of its colours.
func turn(img image.Image, orientation int) (turned image.Image, space string) {
	r := img.Bounds()
	w, h := r.Dx(), r.Dy()
	size := image.Rect(0, 0, w, h)
	if orientation >= 5 {
		size = image.Rect(0, 0, h, w)
	}
	if gray, ok := img.(*image.Gray); ok {
		out := image.NewGray(size)
		turnPixels(out.Pix, gray.Pix, out.Stride, gray.Stride, 1, w, h, orientation)
		return out, "GRAY"
	}
	from, ok := img.(*image.RGBA)
	if !ok {
		from = image.NewRGBA(image.Rect(0, 0, w, h))
		draw.Draw(from, from.Rect, img, r.Min, draw.Src)
	}
	out := image.NewRGBA(size)
	turnPixels(out.Pix, from.Pix, out.Stride, from.Stride, 4, w, h, orientation)
	return out, "RGB "
}

// turnPixels moves each pixel of a w × h picture to its place.
func turnPixels(to, from []byte, toStride, fromStride, length, w, h, orientation int) {
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
			copy(to[ty*toStride+tx*length:][:length], row[x*length:])
		}
	}
}
