package language

import (
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	// maxReadings is the number of readings of a word in the other script.
	maxReadings = 12
	// maxReadingRunes is the length of a word up to which it has readings.
	maxReadingRunes = 32
)

// Readings returns how a folded word may be spelt in the other script, by its letters: a Cyrillic word in Latin
// letters, a Latin word in Cyrillic ones. Digits stay. The most probable reading is first; there are at most twelve.
// Soft signs are missing where Latin has none, so the Keys of a reading find more than the reading itself.
func Readings(word string) []string {
	if utf8.RuneCountInString(word) > maxReadingRunes {
		return nil
	}
	switch wordScript(word) {
	case latinScript:
		return transliterate(word, latinReadings)
	case cyrillicScript:
		return transliterate(word, cyrillicReadings)
	}
	return nil
}

// latinReadings are the letters of Latin words in Cyrillic, the most probable first. Longer groups count first. A group
// with several readings costs one for each that is passed over.
var latinReadings = parseLetters(`
	shch=щ sch=ш,щ sh=ш zh=ж ch=ч,х,ш kh=х ts=ц,тс tz=ц ph=ф th=т ck=к oo=у ee=и ya=я ja=я,жа,джа ia=ия,я,иа iya=ия
	iia=ия yu=ю ju=ю,жу iu=ю,иу yo=е,йо jo=е,жо,йо ye=е,ые je=е,же iy=ий ii=ии,ий yi=ый ai=ай,аи ei=ей,еи oi=ой,ои
	^e=э,е yy=ый ij=ий yj=ый ay=ай,ей ey=ей,и oy=ой uy=уй dj=дж dzh=дж ks=кс a=а b=б c=к,ц,с d=д e=е f=ф g=г h=х,г,
	i=и,ы,й j=й,ж,дж k=к l=л m=м n=н o=о p=п q=к r=р s=с t=т u=у,ю v=в w=в,ш x=кс,х y=ы,и,й z=з,ц
`)

// cyrillicReadings are the letters of Cyrillic words in Latin.
var cyrillicReadings = parseLetters(`
	кс=x,ks дж=j,g,dzh ий=iy,y,i ый=yy,y ия=iya,ia а=a б=b в=v,w г=g,h ґ=g д=d е=e,ye є=ye,e ж=zh,j,g з=z,s и=i,y,ee
	і=i ї=yi,i й=y,i,j к=k,c,ck л=l,ll м=m н=n о=o п=p р=r с=s,c,ss т=t,th у=u,oo,w ф=f,ph х=h,kh,ch ц=ts,c,z ч=ch
	ш=sh,sch,ch щ=shch,sch ъ= ы=y,i ь= э=e,a ю=yu,u,iu я=ya,ia,ja ў=w
`)

// reading is the beginning of a reading.
type reading struct {
	text string
	cost int // how improbable it is
}

// transliterate returns the readings of least cost. It keeps the best beginnings, so the work is bounded.
func transliterate(word string, table *letterTable) []string {
	best := []reading{{}}
	for i := 0; i < len(word); {
		choices, size := table.at(word, i)
		if isASCIIDigit(word[i]) {
			choices = []string{word[i : i+1]}
		}
		next := make([]reading, 0, len(best)*len(choices))
		for _, begun := range best {
			for cost, letter := range choices {
				next = append(next, reading{begun.text + letter, begun.cost + cost})
			}
		}
		slices.SortStableFunc(next, func(a, b reading) int { return a.cost - b.cost })
		best = next[:min(len(next), maxReadings)]
		i += size
	}

	var found []string
	for _, r := range best {
		if r.text != "" && !slices.Contains(found, r.text) && !strings.HasPrefix(r.text, "ь") {
			found = append(found, r.text)
		}
	}
	return found
}
