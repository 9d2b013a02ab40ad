package picture

import "encoding/binary"

const (
	// profileHeaderSize is the length of a colour profile's header.
	profileHeaderSize = 128
	// maxProfileBytes is the longest profile that is kept: those of printers have about 2 MiB.
	maxProfileBytes = 4 << 20
)

// iccProfile is an ICC profile: what the colours of a picture mean. It is the only metadata that is kept.
type iccProfile []byte

// validProfile returns b if it is a profile and nothing besides, or nil.
func validProfile(b []byte) iccProfile {
	if len(b) < profileHeaderSize || len(b) > maxProfileBytes || int64(binary.BigEndian.Uint32(b)) != int64(len(b)) || string(b[36:40]) != "acsp" {
		return nil
	}
	return b
}

// hasColourSpace reports whether the profile is one of colours that are encoded so: "RGB " or "GRAY".
func (p iccProfile) hasColourSpace(space string) bool { return p != nil && string(p[16:20]) == space }
