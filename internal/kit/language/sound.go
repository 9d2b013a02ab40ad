package language

// SoundKey is what a word sounds like, coarsely: its first eight consonants, four bits each, and whether it begins with
// a vowel. Words of both scripts that sound alike have a key in common.
type SoundKey uint32

// MaxSoundDistance is the SoundDistance up to which two words with a common SoundKey are taken for the same.
const MaxSoundDistance = 40

// SoundKeys returns the keys of a folded word, at most four. A word without consonants has none.
func SoundKeys(word string) []SoundKey { return AppendSoundKeys(nil, word) }

// AppendSoundKeys appends the keys of a folded word to a list and returns it.
func AppendSoundKeys(dst []SoundKey, word string) []SoundKey { return dst }

// SoundDistance returns how differently two folded words sound, of any script: 0 for the same, 100 for nothing in
// common.
func SoundDistance(a, b string) int { return 100 }
