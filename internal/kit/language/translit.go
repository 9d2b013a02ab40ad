package language

// Readings returns how a folded word may be spelt in the other script: a Cyrillic word in Latin letters, a Latin word
// in Cyrillic ones. The most probable reading is first; there are at most maxReadings.
func Readings(word string) []string { return nil }
