package locale

import (
	"strings"

	"golang.org/x/text/feature/plural"
)

// unit is a unit of relative time, smallest first.
type unit int

const (
	unitSecond unit = iota
	unitMinute
	unitHour
	unitDay
	unitWeek
	unitMonth
	unitYear
	unitCount
)

// direction says whether an instant is before or after now.
type direction int

const (
	past direction = iota
	future
	directionCount
)

// noun holds the plural forms of a unit's name, in the grammatical case that relative time requires. An empty string
// means the form plural.Other.
type noun [plural.Many + 1]string

// phraseFrame is the text around a phrase such as "2 hours", including spaces.
type phraseFrame struct{ before, after string }

// vocabulary holds the words of one language as a translator writes them.
type vocabulary struct {
	tag string
	now string // the phrase for an instant in the current second

	at          string // the word between date and time
	atSpecial   string // the word if the hour is specialHour; empty if no hour is special
	specialHour int

	past, future phraseFrame
	nouns        [unitCount]noun
	futureNouns  *[unitCount]noun // for the future, if the grammatical case differs
}

// parseNouns returns the names of the units, smallest first. Each text holds the forms of one noun: a single form for
// all numbers; a singular and a plural; or, in East Slavic languages, the forms for 1, 2 and 5. In these languages
// plural.Other is the form for fractions, which do not occur here.
func parseNouns(texts ...string) (names [unitCount]noun) {
	for i, text := range texts {
		switch forms := strings.Fields(text); len(forms) {
		case 1:
			names[i] = noun{plural.Other: forms[0]}
		case 2:
			names[i] = noun{plural.One: forms[0], plural.Other: forms[1]}
		case 3:
			names[i] = noun{plural.One: forms[0], plural.Few: forms[1], plural.Many: forms[2], plural.Other: forms[1]}
		}
	}
	return names
}

var vocabularies = [...]vocabulary{
	{
		tag: "en", now: "just now", at: "at",
		past: phraseFrame{"", " ago"}, future: phraseFrame{"in ", ""},
		nouns: parseNouns(
			"second seconds", "minute minutes", "hour hours", "day days", "week weeks", "month months", "year years"),
	},
	{
		// The nouns are in the accusative: "минуту назад", "через минуту".
		tag: "ru", now: "только что", at: "в",
		past: phraseFrame{"", " назад"}, future: phraseFrame{"через ", ""},
		nouns: parseNouns(
			"секунду секунды секунд", "минуту минуты минут", "час часа часов", "день дня дней", "неделю недели недель",
			"месяц месяца месяцев", "год года лет"),
	},
	{
		// Both "vor" and "in" require the dative.
		tag: "de", now: "gerade eben", at: "um",
		past: phraseFrame{"vor ", ""}, future: phraseFrame{"in ", ""},
		nouns: parseNouns(
			"Sekunde Sekunden", "Minute Minuten", "Stunde Stunden", "Tag Tagen", "Woche Wochen", "Monat Monaten",
			"Jahr Jahren"),
	},
	{
		// The article agrees with the hour: "a la 01:15", otherwise "a las".
		tag: "es", now: "ahora mismo", at: "a las", atSpecial: "a la", specialHour: 1,
		past: phraseFrame{"hace ", ""}, future: phraseFrame{"dentro de ", ""},
		nouns: parseNouns(
			"segundo segundos", "minuto minutos", "hora horas", "día días", "semana semanas", "mes meses", "año años"),
	},
	{
		tag: "fr", now: "à l’instant", at: "à",
		past: phraseFrame{"il y a ", ""}, future: phraseFrame{"dans ", ""},
		nouns: parseNouns(
			"seconde secondes", "minute minutes", "heure heures", "jour jours", "semaine semaines", "mois", "an ans"),
	},
	{
		// The nouns are in the accusative, as in Russian. The preposition is "об" before "одинадцятій",
		// the only hour whose name begins with a vowel.
		tag: "uk", now: "щойно", at: "о", atSpecial: "об", specialHour: 11,
		past: phraseFrame{"", " тому"}, future: phraseFrame{"через ", ""},
		nouns: parseNouns(
			"секунду секунди секунд", "хвилину хвилини хвилин", "годину години годин", "день дні днів",
			"тиждень тижні тижнів", "місяць місяці місяців", "рік роки років"),
	},
	{
		// A counted noun stays singular. "Бұрын" follows the bare noun. "Кейін" requires the ablative, whose
		// suffix depends on the vowels and the last sound of the noun.
		tag: "kk", now: "жаңа ғана", at: "сағат",
		past: phraseFrame{"", " бұрын"}, future: phraseFrame{"", " кейін"},
		nouns:       parseNouns("секунд", "минут", "сағат", "күн", "апта", "ай", "жыл"),
		futureNouns: new(parseNouns("секундтан", "минуттан", "сағаттан", "күннен", "аптадан", "айдан", "жылдан")),
	},
}
