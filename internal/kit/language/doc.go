// Package language knows how people write: it folds texts, splits them into words, and finds the words that another
// word may stand for. It is pure: no database, no index, no state. Package search keeps the words and ranks what it
// finds.
//
//   - fold.go: Fold. script.go: words of two scripts, Code for SKUs. function_words.go: IsFunctionWord.
//   - token.go: Tokens of texts, with their places. query.go: ParseQuery and FoldQuery.
//   - stem.go: Stemmer and its Keys. russian.go, english.go, ukrainian.go: what stemmers miss.
//   - layout.go: OtherLayouts of a keyboard.
//   - translit.go: Readings in the other script. sound.go: SoundKeys and SoundDistance. letters.go: their tables.
//   - distance.go: Distance, MaxErrors. nearness.go: Nearness, which prefers probable errors.
//   - dictionary.go: Dictionary, the words of a store, packed. near.go: Near and Corrections find words with typing
//     errors.
//
// How an index uses it. For a text: Tokens, whose forms are the words of the dictionary, with their places; for each
// new word the Keys of the store's Stemmer and its SoundKeys, kept in maps from key to words. SKUs, barcodes and
// external ids are also kept by Code. For a query: Code of the whole query is looked up among the codes. ParseQuery
// gives the words. For each word, from the surest way to the weakest one:
//
//  1. the exact form: Joined, or all Parts at neighbouring places; Joined of this word and the next one ("wi fi");
//  2. other forms: the words with one of its Keys;
//  3. beginnings: Dictionary.Prefix;
//  4. synonyms, which the index knows;
//  5. typing errors: Dictionary.Corrections, the best first. A form that no text has is found if the keys are in a
//     Dictionary, too, by the Corrections of the word's Keys;
//  6. OtherLayouts of QueryField.Raw, each parsed as a query; taken if the word is found whole, or by its Keys;
//  7. Readings of the word, looked up whole or by their Keys; then the words of the OtherScript with one of its
//     SoundKeys, or those of its Keys (самсунга), whose SoundDistance is at most MaxSoundDistance, the nearest first;
//  8. Dictionary.Splits: two words that were typed as one.
//
// A word for which IsFunctionWord holds (для, with) says little: a text without it may still be what is meant.
package language
