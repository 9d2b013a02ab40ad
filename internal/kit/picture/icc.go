package picture

import "encoding/binary"

const (
	// profileHeaderSize is the length of the header of an ICC profile.
	profileHeaderSize = 128
	// maxProfileBytes is the maximum length of a profile that is kept. Printer profiles have about 2 MiB.
	maxProfileBytes = 4 << 20
)

// iccProfile is an ICC colour profile. It is kept, because it is needed to show the colours.
type iccProfile []byte

// validProfile returns b if it is exactly one ICC profile, or nil.
func validProfile(b []byte) iccProfile {
	if len(b) < profileHeaderSize || len(b) > maxProfileBytes || int64(binary.BigEndian.Uint32(b)) != int64(len(b)) ||
		string(b[36:40]) != "acsp" {
		return nil
	}
	return b
}

// hasColourSpace reports whether the profile is for the colour space with the given ICC name: "RGB " or "GRAY".
func (p iccProfile) hasColourSpace(space string) bool { return p != nil && string(p[16:20]) == space }
