package change

import (
	"encoding/binary"
	"errors"
	"maps"
	"slices"
)

// blockBits says how many keys a block has: 1,024. A push writes products in the order of their keys, as a rule, so a
// transaction changes few blocks; and a block is small enough to be written whole.
const blockBits = 10

// block has the versions of the products with keys from number<<blockBits on.
type block struct {
	number   int64
	versions map[int64]int64 // by the key
}

// errBlock says that a stored block is damaged.
var errBlock = errors.New("a block of changed products is damaged")

// last returns the highest version of the block, or 0.
func (b *block) last() (version int64) {
	for _, v := range b.versions {
		version = max(version, v)
	}
	return version
}

// encode returns the entries of the block in the order of the keys: the distance to the key before, and how much the
// version is behind the last one.
func (b *block) encode() []byte {
	last := b.last()
	before := b.number << blockBits
	encoded := make([]byte, 0, 4*len(b.versions))
	for _, key := range slices.Sorted(maps.Keys(b.versions)) {
		encoded = binary.AppendUvarint(encoded, uint64(key-before))
		encoded = binary.AppendUvarint(encoded, uint64(last-b.versions[key]))
		before = key
	}
	return encoded
}

// eachEntry calls fn for each entry of an encoded block, in the order of the keys, until fn returns false.
func eachEntry(number, last int64, encoded []byte, fn func(key, version int64) bool) error {
	for key := number << blockBits; len(encoded) > 0; {
		distance, n := binary.Uvarint(encoded)
		if n <= 0 {
			return errBlock
		}
		behind, m := binary.Uvarint(encoded[n:])
		if m <= 0 {
			return errBlock
		}

		encoded = encoded[n+m:]
		key += int64(distance)
		if !fn(key, last-int64(behind)) {
			return nil
		}
	}
	return nil
}

// decodeBlock is the opposite of encode.
func decodeBlock(number, last int64, encoded []byte) (*block, error) {
	b := &block{number: number, versions: map[int64]int64{}}
	return b, eachEntry(number, last, encoded, func(key, version int64) bool {
		b.versions[key] = version
		return true
	})
}
