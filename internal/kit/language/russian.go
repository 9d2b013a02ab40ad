package language

import "strings"

// The Russian stemmer of Snowball takes endings of verbs off nouns (диван, автомобили) and knows no fleeting vowels:
// 82 % of the forms of shop nouns meet. Here endings of nouns and adjectives only are taken off, and where an ending
// may also belong to the stem (альбом, столом), the word gets a key for each reading.

// cut is a way to take an ending off: how many letters go, and what is put in their place.
type cut struct {
	letters int
	add     string
}

// russianEndings are the endings of nouns and adjectives with the ways to take them off. The longest one counts.
var russianEndings = map[string][]cut{
	// only one reading
	"ами": {{3, ""}}, "ями": {{3, ""}}, "ьми": {{3, ""}}, "ыми": {{3, ""}}, "ими": {{3, ""}}, "ого": {{3, ""}},
	"его": {{3, ""}}, "ый": {{2, ""}}, "ые": {{2, ""}}, "яя": {{2, ""}}, "ую": {{2, ""}}, "юю": {{2, ""}},
	"ям": {{2, ""}}, "ях": {{2, ""}}, "ай": {{1, ""}}, "уй": {{1, ""}}, "а": {{1, ""}}, "я": {{1, ""}}, "о": {{1, ""}},
	"е": {{1, ""}}, "и": {{1, ""}}, "ы": {{1, ""}}, "у": {{1, ""}}, "ю": {{1, ""}}, "ь": {{1, ""}}, "яй": {{1, ""}},
	// столом, альбом
	"ом": {{2, ""}, {0, ""}}, "ем": {{2, ""}, {0, ""}}, "ам": {{2, ""}, {0, ""}}, "ов": {{2, ""}, {0, ""}},
	"ев": {{2, ""}, {0, ""}}, "ах": {{2, ""}, {0, ""}}, "им": {{2, ""}, {0, ""}}, "ым": {{2, ""}, {0, ""}},
	"их": {{2, ""}, {0, ""}}, "ых": {{2, ""}, {0, ""}},
	// красному, альбому
	"ому": {{3, ""}, {1, ""}}, "ему": {{3, ""}, {1, ""}},
	// ключей, клей, семей
	"ей": {{2, ""}, {1, ""}, {2, "и"}},
	// красной, рой; синий, лилий
	"ой": {{2, ""}, {1, ""}}, "ий": {{2, ""}, {1, ""}},
	// красная, трамвая
	"ая": {{2, ""}, {1, ""}}, "ое": {{2, ""}, {1, ""}}, "ее": {{2, ""}, {1, ""}}, "ие": {{2, ""}, {1, ""}},
	"ою": {{2, ""}, {1, ""}}, "ею": {{2, ""}, {1, ""}},
	// тканью, платью
	"ью": {{2, ""}, {1, ""}},
}

// russianShort are stems whose only vowel is fleeting, and their full forms.
var russianShort = map[string]string{
	"рт": "рот", "лб": "лоб", "льн": "лен", "льд": "лед", "пс": "пес", "сн": "сон", "льв": "лев", "дн": "ден",
	"пн": "пен",
	"шв": "шов", "рв": "ров", "мх": "мох", "рж": "рож",
}

// russianSuppletive are stems of irregular nouns and the stem that stands for them, as they are after fleeting vowels
// are gone.
var russianSuppletive = map[string]string{
	"дет": "ребенк", "люд": "человк", "уш": "ух", "небс": "неб", "чудс": "чуд", "зайц": "заяц", "яиц": "яйц",
	"щененк": "щенк", "семян": "семн", "стремян": "стремн",
}

// russianWords are words whose stem alone does not tell what they are, with their keys.
var russianWords = map[string]string{
	"мать": "матр", "дочь": "дочр", "цветы": "цветк", "цветов": "цветк", "цветами": "цветк", "цветам": "цветк",
	"цветах": "цветк",
}

// russianCollective are the stems of nouns whose plural is in -ья (стулья, листья), and what they are in the singular.
var russianCollective = map[string]string{
	"стул": "стул", "дерев": "дерев", "лист": "лист", "пер": "пер", "крыл": "крыл", "звен": "звен", "прут": "прут",
	"брат": "брат", "сынов": "сын", "муж": "муж", "княз": "княз", "друз": "друг", "клоч": "клок", "суч": "сук",
	"кол": "кол",
	"зуб": "зуб", "обод": "обод", "повод": "повод", "полоз": "полоз", "хлоп": "хлоп", "колос": "колос", "ком": "ком",
	"клин": "клин", "лоскут": "лоскут", "крюч": "крюк", "полен": "полен", "шил": "шил",
}

const reflexive = "ся"

// appendRussianKeys appends the keys of a Russian word: one for each reading of its ending, at most four.
func appendRussianKeys(dst []string, word string) []string {
	// The reflexive participle: моющийся, моющаяся.
	if base, ok := strings.CutSuffix(word, reflexive); ok && len(base) > 10 {
		if c := base[len(base)-2:]; c == "й" || c == "я" || c == "е" || c == "х" || c == "м" || c == "ю" {
			word = base
		}
	}
	if key, ok := russianWords[word]; ok {
		dst = append(dst, key)
	}
	if base, ok := strings.CutSuffix(word, "мя"); ok && len(base) > 0 {
		word = base + "мени" // время: времени
	}

	var letters [maxStemBytes]rune
	n := 0
	for _, r := range word {
		letters[n] = r
		n++
	}
	return appendStems(dst, letters[:n])
}

// appendStems appends the stem for each reading of the longest ending that leaves one.
func appendStems(dst []string, word []rune) []string {
	before := len(dst)
	for length := min(3, len(word)-1); length > 0; length-- {
		cuts := russianEndings[string(word[len(word)-length:])]
		for _, c := range cuts {
			if stem, ok := russianStem(word[:len(word)-c.letters], c); ok {
				dst = appendNew(dst, stem)
			}
		}
		if len(dst) > before {
			return dst
		}
	}

	stem, _ := russianStem(word, cut{})
	return appendNew(dst, stem)
}

func appendNew(keys []string, key string) []string {
	for _, known := range keys {
		if known == key {
			return keys
		}
	}
	return append(keys, key)
}

// russianStem returns the canonical form of a stem, and whether it may be one: a stem has a vowel and two letters.
func russianStem(stem []rune, c cut) (string, bool) {
	text := string(stem) + c.add
	if full, ok := russianShort[text]; ok {
		return full, true
	}
	if len(stem) < 2 && c.letters > 0 || !hasRussianVowel(stem) {
		return text, false
	}

	// A soft sign before the vowel of an ending: платье, стулья, статья. It stays as и, as in печение and печенье.
	if base, ok := strings.CutSuffix(text, "ь"); ok && c.letters > 0 {
		if singular, ok := russianCollective[base]; ok {
			text = singular
		} else {
			return base + "и", true
		}
	}
	if base, ok := strings.CutSuffix(text, "и"); ok && c.add != "" {
		if singular, ok := russianCollective[base]; ok {
			text = singular // друзей
		}
	}

	text = youngOf(text)
	text = dropFleeting(text)
	if stands, ok := russianSuppletive[text]; ok {
		text = stands
	}

	return text, true
}

func hasRussianVowel(word []rune) bool {
	for _, r := range word {
		if isRussianVowel(r) {
			return true
		}
	}
	return false
}

func isRussianVowel(r rune) bool {
	switch r {
	case 'а', 'е', 'и', 'о', 'у', 'ы', 'э', 'ю', 'я':
		return true
	}
	return false
}

// youngOf returns the stem of the singular of a young animal: котят is котенк, медвежат is медвежонк.
func youngOf(stem string) string {
	const least = 10 // bytes
	base, ok := strings.CutSuffix(stem, "ят")
	if ok && len(stem) >= least && stem != "десят" && stem != "девят" {
		return base + "енк"
	}
	if base, ok = strings.CutSuffix(stem, "жат"); ok && len(stem) >= least {
		return base + "жонк"
	}
	return stem
}

// dropFleeting takes о and е out from between the last two consonants of a stem, whether they are fleeting there or
// not: so чехол and чехл-, ремен and ремн-, but also стол- in all of its forms, have the same key. What is left must
// have a vowel. After л and н an е leaves a soft sign, since it is there in the other forms: палец and пальц-, конек
// and коньк-; after a vowel it leaves й: маек and майк-. Other soft signs between the two consonants go: письм- and
// писем.
func dropFleeting(stem string) string {
	letters := []rune(stem)
	n := len(letters)
	if n < 4 {
		return stem
	}
	last, vowel, first := letters[n-1], letters[n-2], letters[n-3]
	if isRussianVowel(last) || last == 'й' || !hasRussianVowel(letters[:n-2]) {
		return stem
	}

	head := string(letters[:n-2])
	softens := (first == 'л' || first == 'н') && (last == 'к' || last == 'г') || first == 'л' && last == 'ц'
	switch {
	case vowel == 'ь' && !softens:
		return head + string(last)
	case vowel == 'е' && isRussianVowel(first) && (last == 'к' || last == 'ц'):
		return head + "й" + string(last)
	case vowel != 'о' && vowel != 'е' || isRussianVowel(first) || first == 'ь':
		return stem
	case vowel == 'е' && softens:
		return head + "ь" + string(last)
	case first == 'й':
		return stem
	}
	return head + string(last)
}
