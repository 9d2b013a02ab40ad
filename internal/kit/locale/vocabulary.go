package locale

import "golang.org/x/text/feature/plural"

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

// noun is the name of a unit by plural form, in the grammatical case that relative time requires. An empty form means
// plural.Other.
type noun [plural.Many + 1]string

// phraseFrame is the text around a phrase such as "2 hours", including spaces.
type phraseFrame struct{ before, after string }

// vocabulary holds the words of one language as a translator writes them.
type vocabulary struct {
	tag string
	now string // for an instant in the same second as now

	at          string // the word between date and time
	atSpecial   string // replaces at if the hour is specialHour; empty if no hour is special
	specialHour int

	past, future phraseFrame
	nouns        [unitCount]noun
	futureNouns  *[unitCount]noun // for the future, if the grammatical case differs
}

// invariable returns a noun with one form for all numbers.
func invariable(word string) noun { return noun{plural.Other: word} }

// singularPlural returns a noun of a language with a singular and a plural form.
func singularPlural(one, other string) noun { return noun{plural.One: one, plural.Other: other} }

// slavic returns a noun of an East Slavic language, with its forms for 1, 2 and 5. Other is for fractions, which take
// the genitive singular; they do not occur here.
func slavic(one, few, many string) noun {
	return noun{plural.One: one, plural.Few: few, plural.Many: many, plural.Other: few}
}

var vocabularies = [...]vocabulary{
	{
		tag: "en", now: "just now", at: "at",
		past: phraseFrame{"", " ago"}, future: phraseFrame{"in ", ""},
		nouns: [unitCount]noun{
			singularPlural("second", "seconds"), singularPlural("minute", "minutes"), singularPlural("hour", "hours"),
			singularPlural("day", "days"),
			singularPlural("week", "weeks"), singularPlural("month", "months"), singularPlural("year", "years"),
		},
	},
	{
		// Accusative: "минуту назад", "через минуту".
		tag: "ru", now: "только что", at: "в",
		past: phraseFrame{"", " назад"}, future: phraseFrame{"через ", ""},
		nouns: [unitCount]noun{
			slavic("секунду", "секунды", "секунд"), slavic("минуту", "минуты", "минут"),
			slavic("час", "часа", "часов"), slavic("день", "дня", "дней"), slavic("неделю", "недели", "недель"),
			slavic("месяц", "месяца", "месяцев"), slavic("год", "года", "лет"),
		},
	},
	{
		// Dative after both "vor" and "in".
		tag: "de", now: "gerade eben", at: "um",
		past: phraseFrame{"vor ", ""}, future: phraseFrame{"in ", ""},
		nouns: [unitCount]noun{
			singularPlural("Sekunde", "Sekunden"), singularPlural("Minute", "Minuten"),
			singularPlural("Stunde", "Stunden"), singularPlural("Tag", "Tagen"),
			singularPlural("Woche", "Wochen"), singularPlural("Monat", "Monaten"), singularPlural("Jahr", "Jahren"),
		},
	},
	{
		// The article agrees with the hour: "a la 01:15", otherwise "a las".
		tag: "es", now: "ahora mismo", at: "a las", atSpecial: "a la", specialHour: 1,
		past: phraseFrame{"hace ", ""}, future: phraseFrame{"dentro de ", ""},
		nouns: [unitCount]noun{
			singularPlural("segundo", "segundos"), singularPlural("minuto", "minutos"), singularPlural("hora", "horas"),
			singularPlural("día", "días"),
			singularPlural("semana", "semanas"), singularPlural("mes", "meses"), singularPlural("año", "años"),
		},
	},
	{
		tag: "fr", now: "à l’instant", at: "à",
		past: phraseFrame{"il y a ", ""}, future: phraseFrame{"dans ", ""},
		nouns: [unitCount]noun{
			singularPlural("seconde", "secondes"), singularPlural("minute", "minutes"),
			singularPlural("heure", "heures"), singularPlural("jour", "jours"),
			singularPlural("semaine", "semaines"), invariable("mois"), singularPlural("an", "ans"),
		},
	},
	{
		// Accusative, as in Russian. "Об" is used before the vowel of "одинадцятій", the only hour that begins with
		// one.
		tag: "uk", now: "щойно", at: "о", atSpecial: "об", specialHour: 11,
		past: phraseFrame{"", " тому"}, future: phraseFrame{"через ", ""},
		nouns: [unitCount]noun{
			slavic("секунду", "секунди", "секунд"), slavic("хвилину", "хвилини", "хвилин"),
			slavic("годину", "години", "годин"), slavic("день", "дні", "днів"), slavic("тиждень", "тижні", "тижнів"),
			slavic("місяць", "місяці", "місяців"), slavic("рік", "роки", "років"),
		},
	},
	{
		// A counted noun stays singular. "Бұрын" follows the bare noun. "Кейін" requires the ablative, whose suffix
		// depends on the vowels and the last sound of the noun.
		tag: "kk", now: "жаңа ғана", at: "сағат",
		past: phraseFrame{"", " бұрын"}, future: phraseFrame{"", " кейін"},
		nouns: [unitCount]noun{
			invariable("секунд"), invariable("минут"), invariable("сағат"), invariable("күн"),
			invariable("апта"), invariable("ай"), invariable("жыл"),
		},
		futureNouns: &[unitCount]noun{
			invariable("секундтан"), invariable("минуттан"), invariable("сағаттан"), invariable("күннен"),
			invariable("аптадан"), invariable("айдан"), invariable("жылдан"),
		},
	},
}
