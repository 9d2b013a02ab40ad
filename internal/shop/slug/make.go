package slug

import (
	"encoding/binary"
	"strconv"
	"strings"

	"vitrine/internal/kit/language"
)

// maxMade is the maximum length of a slug that is made of a name, without a number.
const maxMade = 100

// Make returns what is made of a name, without regard to other things: its Latin letters and digits with single hyphens
// in between, cut between words. It is empty if the name has none of them.
func Make(name string) Slug {
	if len(name) > 4*maxMade {
		name = strings.ToValidUTF8(name[:4*maxMade], "")
	}

	var b strings.Builder
	pending := false
	for _, c := range []byte(language.Latin(name)) {
		if !isAllowed(c) || c == '-' {
			pending = b.Len() > 0
			continue
		}
		if pending {
			b.WriteByte('-')
			pending = false
		}
		b.WriteByte(c)
	}

	made := b.String()
	if len(made) <= maxMade {
		return Slug(made)
	}
	if end := strings.LastIndexByte(made[:maxMade+1], '-'); end > maxMade/2 {
		return Slug(made[:end])
	}
	return Slug(made[:maxMade])
}

// firstNumbers is the last of the numbers from 2 on that are tried one after the other. With more things of one name,
// a number comes from the id of the thing, so that the search for a free one stays short.
const firstNumbers = 20

// base returns what the slug of the thing begins with, before a number: its name or, if nothing is left of that, the
// kind with a number.
func (c *Claim) base(kind Kind) Slug {
	if made := Make(c.Name); made != "" {
		return made
	}
	return Slug(string(kind) + "-" + strconv.FormatUint(c.number(8), 10))
}

// numbered returns the slugs to try once the base is taken, the preferred one first.
func (c *Claim) numbered(base Slug) []Slug {
	list := make([]Slug, 0, firstNumbers+4)
	if number, found := strings.CutPrefix(string(c.Present), string(base)+"-"); found && isNumber(number) {
		list = append(list, c.Present)
	}
	for n := 2; n <= firstNumbers && c.losses == 0; n++ { // others may be about to take the next number, too
		list = append(list, base+"-"+Slug(strconv.Itoa(n)))
	}
	for _, digits := range []int{4, 6, 9, 18} {
		list = append(list, base+"-"+Slug(strconv.FormatUint(c.number(digits), 10)))
	}
	return list
}

func isNumber(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// number returns a number of the thing with so many digits. Numbers of different things differ by chance.
func (c *Claim) number(digits int) uint64 {
	least := uint64(1)
	for range digits - 1 {
		least *= 10
	}
	return least + binary.BigEndian.Uint64(c.ID[8:])%(9*least)
}
