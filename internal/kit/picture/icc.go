package picture

import "encoding/binary"

const (
	// profileHead is the length of a colour profile's header.
	profileHead = 128
	// maxProfile is the longest profile that is kept: those of printers have about 2 MiB.
	maxProfile = 4 << 20
)

// profile is an ICC profile: what the colours of a picture mean. It is the only metadata that is kept.
type profile []byte

// readProfile returns b if it is a profile and nothing besides, or nil.
func readProfile(b []byte) profile {
	if len(b) < profileHead || len(b) > maxProfile || int64(binary.BigEndian.Uint32(b)) != int64(len(b)) || string(b[36:40]) != "acsp" {
		return nil
	}
	return b
}

// fits reports whether the profile is one of colours that are encoded so: "RGB " or "GRAY".
func (p profile) fits(space string) bool { return p != nil && string(p[16:20]) == space }
