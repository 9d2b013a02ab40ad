package picture

import "encoding/binary"

// exifOrientation returns the orientation (1 to 8) from the TIFF part of EXIF data. It returns 1 if the data is invalid
// or has no orientation.
func exifOrientation(tiff []byte) int {
	const tag, short, entryLength = 0x0112, 3, 12
	if len(tiff) < 8 {
		return 1
	}

	var order binary.ByteOrder
	switch string(tiff[:4]) {
	case "II*\x00":
		order = binary.LittleEndian
	case "MM\x00*":
		order = binary.BigEndian
	default:
		return 1
	}

	at := int64(order.Uint32(tiff[4:]))
	if at+2 > int64(len(tiff)) {
		return 1
	}

	entries := int64(order.Uint16(tiff[at:]))
	for i := range entries {
		e := at + 2 + i*entryLength
		if e+entryLength > int64(len(tiff)) {
			return 1
		}
		if order.Uint16(tiff[e:]) != tag || order.Uint16(tiff[e+2:]) != short {
			continue
		}
		if v := int(order.Uint16(tiff[e+8:])); v >= 1 && v <= 8 {
			return v
		}

		return 1
	}

	return 1
}
