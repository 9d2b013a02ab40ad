package language

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// SoundKey is what a word sounds like, coarsely: whether it begins with a vowel, and its first consonants, eight of
// them at most. Words of both scripts that sound alike have a key in common; so do words that differ by vowels or by
// double letters only.
type SoundKey uint32

const (
	// MaxSoundDistance is the SoundDistance up to which two words with a common SoundKey are taken for the same.
	MaxSoundDistance = 22

	maxSoundKeys   = 4
	maxSoundRunes  = 32
	keyConsonants  = 8
	bitsOfSound    = 4
	soundsOfKey    = "_PBTDKGFSCMNLRHA" // a sound's index is its code; A is a vowel at the beginning
	soundsOfVowels = "aeiou"
)

// A transcription is a string of sounds: upper-case consonants, of which voiced and unvoiced ones are different except
// F (f, v) and S (s, z, ts), C is sh, zh, ch and j; and lower-case vowels.

// latinSounds are groups of Latin letters with their transcriptions. French endings, the last ones, are silent.
var latinSounds = parseLetters(`
	tsch=C shch=C sch=C,SK tch=C dsch=C dzh=C dge=C dj=C sh=C shi=Ci,Si ^sk=SK,CK ^st=ST,CT ^sp=SP,CP zh=C ch=C,K,H
	kh=H,K ph=F th=T,S wh=F,u ght=T gh=G, ck=K cqu=K qu=KF,K que$=K ques$=K q=K ts=S,TS tz=S,TS cz=C,S x=KS
	^x=S,KS,iKS ^kn=N,KN ^wr=R,FR ^ps=PS,S tion=CoN rh=R dt=T gue$=G ^h=H,,G h=H, w=F,u w$=,F j=C,i,H c=K,S ce=Se,Ce
	ci=Si,Ci cy=Si cce=KSe,Ce cci=Ci,KSi sce=Se sci=Si,Ci ge=Ge,Ce gi=Gi,Ci gy=Gi,Ci gia=Gia,Cia gu=Gu mb$=M
	gne=Ne,GNe gni=Ni,GNi gno=No,GNo eau=o oo=u ee=i ou=u ea=i y=i a=a e=e i=i o=o u=u e$= b=B d=D f=F g=G k=K l=L
	m=M n=N p=P r=R s=S t=T v=F z=S
	ois$=ua,oiS ot$=oT,o et$=eT,e ault$=o,auLT eaux$=o aux$=o ert$=eRT,eR eux$=e,euKS oux$=u es$=eS, is$=iS,i
	as$=aS,a at$=aT,a it$=iT,i us$=uS,u ux$=uKS,u ier$=ieR,ie uis$=uiS,ui ars$=aRS,aR ens$=eNS,eN
`)

// cyrillicSounds are the letters of Cyrillic words.
var cyrillicSounds = parseLetters(`
	дж=C тч=C дз=S,DS тс=TS,S кс=KS ^х=H х=H,K ^г=G,H г=G ґ=G б=B в=F д=D ж=C з=S к=K л=L м=M н=N п=P р=R с=S т=T ф=F
	ц=S ч=C ш=C щ=C ъ= ь= а=a е=e є=e и=i і=i ї=i й=i о=o у=u ў=u ы=i э=e ю=u я=a ә=a ғ=G қ=K ң=N ө=o ұ=u ү=u һ=H
`)

// SoundKeys returns the keys of a folded word, at most four. A word without consonants has none, nor has one with
// digits.
func SoundKeys(word string) []SoundKey { return AppendSoundKeys(nil, word) }

// AppendSoundKeys appends the keys of a folded word to a list and returns it.
func AppendSoundKeys(dst []SoundKey, word string) []SoundKey {
	before := len(dst)
	for _, t := range transcribe(word, maxSoundKeys) {
		key, ok := packSounds(t.sounds[:t.length])
		if ok && !slices.Contains(dst[before:], key) {
			dst = append(dst, key)
		}
	}
	return dst
}

// packSounds returns the key of a transcription.
func packSounds(sounds []byte) (SoundKey, bool) {
	key, n, consonants := SoundKey(0), 0, 0
	for i := range len(sounds) {
		code := strings.IndexByte(soundsOfKey, sounds[i])
		switch {
		case code < 0 && i > 0 || n == keyConsonants:
			continue
		case code < 0:
			code = len(soundsOfKey) - 1
		default:
			consonants++
		}
		key = key<<bitsOfSound | SoundKey(code)
		n++
	}
	return key, consonants > 0
}

// transcribe returns at most limit transcriptions of a word, the most probable first.
func transcribe(word string, limit int) []transcription {
	if utf8.RuneCountInString(word) > maxSoundRunes || hasDigit(word) {
		return nil
	}
	table := latinSounds
	switch wordScript(word) {
	case otherScript:
		return nil
	case cyrillicScript:
		table = cyrillicSounds
	}

	best := make([]transcription, 1, 2*limit)
	for i := 0; i < len(word); {
		choices, size := table.at(word, i)
		i += size
		begun := len(best)
		for cost, sounds := range choices[1:] {
			for _, t := range best[:begun] {
				t.cost += cost + 1
				t.add(sounds)
				best = append(best, t)
			}
		}
		for n := range best[:begun] {
			best[n].add(choices[0])
		}

		if len(best) > limit {
			slices.SortStableFunc(best, func(a, b transcription) int { return a.cost - b.cost })
			best = best[:limit]
		}
	}

	slices.SortStableFunc(best, func(a, b transcription) int { return a.cost - b.cost })
	return best
}

// transcription is a transcription of a word, or its beginning. Sounds after the last one that fits are left out.
type transcription struct {
	sounds [maxSoundRunes + 8]byte
	length int
	cost   int // how improbable it is
}

// add appends sounds. Double consonants are one.
func (t *transcription) add(sounds string) {
	if t.length > 0 && sounds != "" && t.sounds[t.length-1] == sounds[0] && sounds[0] < 'a' {
		sounds = sounds[1:]
	}
	t.length += copy(t.sounds[t.length:], sounds)
}

// Costs of differences between transcriptions.
const (
	soundConsonant = 10
	soundSimilar   = 4
	soundVowel     = 3
	soundBreath    = 4
)

// similarSounds are pairs of consonants that languages write for each other.
var similarSounds = bothWays("SC GH KH CG TS TD PB KG BF CK SK FG CD")

// SoundDistance returns how differently two folded words sound, of any script: 0 for the same, 100 for nothing in
// common.
func SoundDistance(a, b string) int {
	least := 100
	var others [maxSoundKeys][]soundUnit
	known := transcribe(b, maxSoundKeys)
	for i, t := range known {
		others[i] = soundUnits(t)
	}

	for _, t := range transcribe(a, maxSoundKeys) {
		units := soundUnits(t)
		for _, other := range others[:len(known)] {
			least = min(least, unitsDistance(units, other))
		}
	}
	return least
}

// unitsDistance compares two transcriptions. Vowels weigh less than consonants.
func unitsDistance(x, y []soundUnit) int {
	weight := max(unitsWeight(x), unitsWeight(y))
	if weight == 0 {
		return 0
	}

	row := make([]int, len(y)+1)
	for j := range y {
		row[j+1] = row[j] + y[j].weight()
	}
	for _, u := range x {
		diagonal := row[0]
		row[0] += u.weight()
		for j, v := range y {
			cost := min(diagonal+unitCost(u, v), row[j+1]+u.weight(), row[j]+v.weight())
			diagonal = row[j+1]
			row[j+1] = cost
		}
	}

	return min(100*row[len(y)]/weight, 100)
}

// soundUnit is a consonant, or a group of vowels as a set of bits.
type soundUnit struct {
	consonant byte
	vowels    uint8
}

func soundUnits(t transcription) []soundUnit {
	units := make([]soundUnit, 0, t.length)
	for _, s := range t.sounds[:t.length] {
		vowel := strings.IndexByte(soundsOfVowels, s)
		switch {
		case vowel < 0:
			units = append(units, soundUnit{consonant: s})
		case len(units) > 0 && units[len(units)-1].consonant == 0:
			units[len(units)-1].vowels |= 1 << vowel
		default:
			units = append(units, soundUnit{vowels: 1 << vowel})
		}
	}
	return units
}

func (u soundUnit) weight() int {
	switch u.consonant {
	case 0:
		return soundVowel
	case 'H':
		return soundBreath
	}
	return soundConsonant
}

func unitsWeight(units []soundUnit) int {
	weight := 0
	for _, u := range units {
		weight += u.weight()
	}
	return weight
}

func unitCost(u, v soundUnit) int {
	switch {
	case u == v:
		return 0
	case u.consonant == 0 && v.consonant == 0:
		if u.vowels&v.vowels != 0 {
			return 1
		}
		return soundVowel - 1
	case similarSounds[[2]rune{rune(u.consonant), rune(v.consonant)}]:
		return soundSimilar
	case u.consonant == 0 || v.consonant == 0:
		return soundConsonant + soundVowel
	}
	return soundConsonant
}
