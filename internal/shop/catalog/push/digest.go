package push

import (
	"bytes"
	"encoding/binary"

	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/productfield"
)

// pushDigests are the digests of the last pushes of a product, as they are stored in PushMark.Whole. There is an entry
// for each token or group of tokens that write different members: the set of members as 2 bytes, and the digest. No two
// entries share a member, so that a push is not taken for unchanged after another token has overwritten what it wrote.
type pushDigests []byte

const digestEntryBytes = 2 + len(catalog.Digest{})

// has reports whether the last push of these members had this digest.
func (d pushDigests) has(owned productfield.Set, digest catalog.Digest) bool {
	for members, entry := range d.entries {
		if members == owned || owned == productfield.All && wereAll(members) {
			return bytes.Equal(entry[2:], digest[:])
		}
	}
	return false
}

// firstMembers are all members that products had at first.
const firstMembers = productfield.Modifiers<<1 - 1

// wereAll reports whether these may be all members that an earlier program knew. It recorded a push of all members
// under the set of those. The push had no member that was added later, and an item with such a member has another
// digest.
func wereAll(members productfield.Set) bool {
	return members >= firstMembers && members&(members+1) == 0
}

// replace returns the digests after a push of these members. The digests of other members stay. A push of the list of
// variants may add some for which another token has other members already, such as a price, so that token must be
// applied again.
func (d pushDigests) replace(owned productfield.Set, digest catalog.Digest) pushDigests {
	outdated := owned
	if owned.Has(productfield.Variants) {
		outdated |= productfield.OfVariants
	}
	var next pushDigests
	for members, entry := range d.entries {
		if members&outdated == 0 {
			next = append(next, entry...)
		}
	}
	next = binary.BigEndian.AppendUint16(next, uint16(owned))
	return append(next, digest[:]...)
}

func (d pushDigests) entries(yield func(members productfield.Set, entry []byte) bool) {
	for ; len(d) >= digestEntryBytes; d = d[digestEntryBytes:] {
		if !yield(productfield.Set(binary.BigEndian.Uint16(d)), d[:digestEntryBytes]) {
			return
		}
	}
}
