package locale

import "golang.org/x/text/feature/plural"

// unit is a unit of relative time, smallest first.
type unit int

const (
	second unit = iota
	minute
	hour
	day
	week
	month
	year
	units
)

// direction is the side of now on which an instant lies.
type direction int

const (
	past direction = iota
	future
	directions
)

// noun is a unit's name by plural form, in the grammatical case that relative
// time asks for. An empty form reads as Other.
type noun [plural.Many + 1]string

// frame surrounds "2 hours", with the spaces it needs.
type frame struct{ before, after string }

// vocabulary is a language as a translator writes it.
type vocabulary struct {
	tag string
	now string // the same second as now

	at      string // joins date and time
	atOdd   string // instead of at, at oddHour; empty if no hour is special
	oddHour int

	past, future frame
	nouns        [units]noun
	nounsAhead   *[units]noun // in the future, where the case differs
}

// invariable is a noun that ignores number.
func invariable(word string) noun { return noun{plural.Other: word} }

// pair is a noun of a language that tells one from other.
func pair(one, other string) noun { return noun{plural.One: one, plural.Other: other} }

// slavic is a noun of an East Slavic language: 1, 2 and 5. Other is for fractions, which take the genitive
// singular; no count here is one.
func slavic(one, few, many string) noun {
	return noun{plural.One: one, plural.Few: few, plural.Many: many, plural.Other: few}
}

var vocabularies = [...]vocabulary{
	{
		tag: "en", now: "just now", at: "at",
		past: frame{"", " ago"}, future: frame{"in ", ""},
		nouns: [units]noun{
			pair("second", "seconds"), pair("minute", "minutes"), pair("hour", "hours"), pair("day", "days"),
			pair("week", "weeks"), pair("month", "months"), pair("year", "years"),
		},
	},
	{
		// Accusative: "минуту назад", "через минуту".
		tag: "ru", now: "только что", at: "в",
		past: frame{"", " назад"}, future: frame{"через ", ""},
		nouns: [units]noun{
			slavic("секунду", "секунды", "секунд"), slavic("минуту", "минуты", "минут"),
			slavic("час", "часа", "часов"), slavic("день", "дня", "дней"), slavic("неделю", "недели", "недель"),
			slavic("месяц", "месяца", "месяцев"), slavic("год", "года", "лет"),
		},
	},
	{
		// Dative after both "vor" and "in".
		tag: "de", now: "gerade eben", at: "um",
		past: frame{"vor ", ""}, future: frame{"in ", ""},
		nouns: [units]noun{
			pair("Sekunde", "Sekunden"), pair("Minute", "Minuten"), pair("Stunde", "Stunden"), pair("Tag", "Tagen"),
			pair("Woche", "Wochen"), pair("Monat", "Monaten"), pair("Jahr", "Jahren"),
		},
	},
	{
		// The article agrees with the hour: "a la 01:15", otherwise "a las".
		tag: "es", now: "ahora mismo", at: "a las", atOdd: "a la", oddHour: 1,
		past: frame{"hace ", ""}, future: frame{"dentro de ", ""},
		nouns: [units]noun{
			pair("segundo", "segundos"), pair("minuto", "minutos"), pair("hora", "horas"), pair("día", "días"),
			pair("semana", "semanas"), pair("mes", "meses"), pair("año", "años"),
		},
	},
	{
		tag: "fr", now: "à l’instant", at: "à",
		past: frame{"il y a ", ""}, future: frame{"dans ", ""},
		nouns: [units]noun{
			pair("seconde", "secondes"), pair("minute", "minutes"), pair("heure", "heures"), pair("jour", "jours"),
			pair("semaine", "semaines"), invariable("mois"), pair("an", "ans"),
		},
	},
	{
		// Accusative, as in Russian. "Об" before the vowel of "одинадцятій", the only hour that begins with one.
		tag: "uk", now: "щойно", at: "о", atOdd: "об", oddHour: 11,
		past: frame{"", " тому"}, future: frame{"через ", ""},
		nouns: [units]noun{
			slavic("секунду", "секунди", "секунд"), slavic("хвилину", "хвилини", "хвилин"),
			slavic("годину", "години", "годин"), slavic("день", "дні", "днів"), slavic("тиждень", "тижні", "тижнів"),
			slavic("місяць", "місяці", "місяців"), slavic("рік", "роки", "років"),
		},
	},
	{
		// A counted noun stays singular. "Бұрын" takes it bare, "кейін" asks for the ablative, whose suffix follows
		// the vowels and the last sound of each noun.
		tag: "kk", now: "жаңа ғана", at: "сағат",
		past: frame{"", " бұрын"}, future: frame{"", " кейін"},
		nouns: [units]noun{
			invariable("секунд"), invariable("минут"), invariable("сағат"), invariable("күн"),
			invariable("апта"), invariable("ай"), invariable("жыл"),
		},
		nounsAhead: &[units]noun{
			invariable("секундтан"), invariable("минуттан"), invariable("сағаттан"), invariable("күннен"),
			invariable("аптадан"), invariable("айдан"), invariable("жылдан"),
		},
	},
}
