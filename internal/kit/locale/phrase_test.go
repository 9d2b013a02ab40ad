package locale

import (
	"strconv"
	"strings"
	"testing"
)

// wording holds the expected phrases for one unit by plural class, with "#" for the number.
type wording struct{ past, future []string }

// These plural classes by count are written by hand, and not computed by the library under test.
var (
	slavicClass = map[int]int{
		1: 0, 21: 0, 101: 0,
		2: 1, 3: 1, 4: 1, 22: 1,
		5: 2, 11: 2, 12: 2, 14: 2, 25: 2, 100: 2, 111: 2, 112: 2,
	}
	singularAtOne = map[int]int{
		0: 1, 1: 0, 2: 1, 3: 1, 4: 1, 5: 1, 11: 1, 12: 1, 14: 1, 21: 1, 22: 1, 25: 1, 100: 1, 101: 1, 111: 1, 112: 1,
	}
	singularBelowTwo = map[int]int{
		0: 0, 1: 0, 2: 1, 3: 1, 4: 1, 5: 1, 11: 1, 12: 1, 14: 1, 21: 1, 22: 1, 25: 1, 100: 1, 101: 1, 111: 1, 112: 1,
	}
)

var wordings = map[string]struct {
	class map[int]int
	units [unitCount]wording
}{
	"en": {singularAtOne, [unitCount]wording{
		{[]string{"# second ago", "# seconds ago"}, []string{"in # second", "in # seconds"}},
		{[]string{"# minute ago", "# minutes ago"}, []string{"in # minute", "in # minutes"}},
		{[]string{"# hour ago", "# hours ago"}, []string{"in # hour", "in # hours"}},
		{[]string{"# day ago", "# days ago"}, []string{"in # day", "in # days"}},
		{[]string{"# week ago", "# weeks ago"}, []string{"in # week", "in # weeks"}},
		{[]string{"# month ago", "# months ago"}, []string{"in # month", "in # months"}},
		{[]string{"# year ago", "# years ago"}, []string{"in # year", "in # years"}},
	}},
	"ru": {slavicClass, [unitCount]wording{
		{[]string{"# секунду назад", "# секунды назад", "# секунд назад"},
			[]string{"через # секунду", "через # секунды", "через # секунд"}},
		{[]string{"# минуту назад", "# минуты назад", "# минут назад"},
			[]string{"через # минуту", "через # минуты", "через # минут"}},
		{[]string{"# час назад", "# часа назад", "# часов назад"},
			[]string{"через # час", "через # часа", "через # часов"}},
		{[]string{"# день назад", "# дня назад", "# дней назад"},
			[]string{"через # день", "через # дня", "через # дней"}},
		{[]string{"# неделю назад", "# недели назад", "# недель назад"},
			[]string{"через # неделю", "через # недели", "через # недель"}},
		{[]string{"# месяц назад", "# месяца назад", "# месяцев назад"},
			[]string{"через # месяц", "через # месяца", "через # месяцев"}},
		{[]string{"# год назад", "# года назад", "# лет назад"},
			[]string{"через # год", "через # года", "через # лет"}},
	}},
	"uk": {slavicClass, [unitCount]wording{
		{[]string{"# секунду тому", "# секунди тому", "# секунд тому"},
			[]string{"через # секунду", "через # секунди", "через # секунд"}},
		{[]string{"# хвилину тому", "# хвилини тому", "# хвилин тому"},
			[]string{"через # хвилину", "через # хвилини", "через # хвилин"}},
		{[]string{"# годину тому", "# години тому", "# годин тому"},
			[]string{"через # годину", "через # години", "через # годин"}},
		{[]string{"# день тому", "# дні тому", "# днів тому"}, []string{"через # день", "через # дні", "через # днів"}},
		{[]string{"# тиждень тому", "# тижні тому", "# тижнів тому"},
			[]string{"через # тиждень", "через # тижні", "через # тижнів"}},
		{[]string{"# місяць тому", "# місяці тому", "# місяців тому"},
			[]string{"через # місяць", "через # місяці", "через # місяців"}},
		{[]string{"# рік тому", "# роки тому", "# років тому"},
			[]string{"через # рік", "через # роки", "через # років"}},
	}},
	"de": {singularAtOne, [unitCount]wording{
		{[]string{"vor # Sekunde", "vor # Sekunden"}, []string{"in # Sekunde", "in # Sekunden"}},
		{[]string{"vor # Minute", "vor # Minuten"}, []string{"in # Minute", "in # Minuten"}},
		{[]string{"vor # Stunde", "vor # Stunden"}, []string{"in # Stunde", "in # Stunden"}},
		{[]string{"vor # Tag", "vor # Tagen"}, []string{"in # Tag", "in # Tagen"}},
		{[]string{"vor # Woche", "vor # Wochen"}, []string{"in # Woche", "in # Wochen"}},
		{[]string{"vor # Monat", "vor # Monaten"}, []string{"in # Monat", "in # Monaten"}},
		{[]string{"vor # Jahr", "vor # Jahren"}, []string{"in # Jahr", "in # Jahren"}},
	}},
	"es": {singularAtOne, [unitCount]wording{
		{[]string{"hace # segundo", "hace # segundos"}, []string{"dentro de # segundo", "dentro de # segundos"}},
		{[]string{"hace # minuto", "hace # minutos"}, []string{"dentro de # minuto", "dentro de # minutos"}},
		{[]string{"hace # hora", "hace # horas"}, []string{"dentro de # hora", "dentro de # horas"}},
		{[]string{"hace # día", "hace # días"}, []string{"dentro de # día", "dentro de # días"}},
		{[]string{"hace # semana", "hace # semanas"}, []string{"dentro de # semana", "dentro de # semanas"}},
		{[]string{"hace # mes", "hace # meses"}, []string{"dentro de # mes", "dentro de # meses"}},
		{[]string{"hace # año", "hace # años"}, []string{"dentro de # año", "dentro de # años"}},
	}},
	"fr": {singularBelowTwo, [unitCount]wording{
		{[]string{"il y a # seconde", "il y a # secondes"}, []string{"dans # seconde", "dans # secondes"}},
		{[]string{"il y a # minute", "il y a # minutes"}, []string{"dans # minute", "dans # minutes"}},
		{[]string{"il y a # heure", "il y a # heures"}, []string{"dans # heure", "dans # heures"}},
		{[]string{"il y a # jour", "il y a # jours"}, []string{"dans # jour", "dans # jours"}},
		{[]string{"il y a # semaine", "il y a # semaines"}, []string{"dans # semaine", "dans # semaines"}},
		{[]string{"il y a # mois", "il y a # mois"}, []string{"dans # mois", "dans # mois"}},
		{[]string{"il y a # an", "il y a # ans"}, []string{"dans # an", "dans # ans"}},
	}},
	"kk": {singularAtOne, [unitCount]wording{
		{[]string{"# секунд бұрын", "# секунд бұрын"}, []string{"# секундтан кейін", "# секундтан кейін"}},
		{[]string{"# минут бұрын", "# минут бұрын"}, []string{"# минуттан кейін", "# минуттан кейін"}},
		{[]string{"# сағат бұрын", "# сағат бұрын"}, []string{"# сағаттан кейін", "# сағаттан кейін"}},
		{[]string{"# күн бұрын", "# күн бұрын"}, []string{"# күннен кейін", "# күннен кейін"}},
		{[]string{"# апта бұрын", "# апта бұрын"}, []string{"# аптадан кейін", "# аптадан кейін"}},
		{[]string{"# ай бұрын", "# ай бұрын"}, []string{"# айдан кейін", "# айдан кейін"}},
		{[]string{"# жыл бұрын", "# жыл бұрын"}, []string{"# жылдан кейін", "# жылдан кейін"}},
	}},
}

// Some counts that select a plural class never occur with some units (100 minutes are shown as one hour), so this
// test calls appendPhrase directly.
func TestPhrase_agreesWithItsNumberInEveryLocaleAndUnit(t *testing.T) {
	if len(wordings) != len(SupportedTags()) {
		t.Fatalf("wordings for %d locales, %d are supported", len(wordings), len(SupportedTags()))
	}

	for tag, want := range wordings {
		l, err := Parse(tag)
		if err != nil {
			t.Fatal(err)
		}

		for u, wording := range want.units {
			for n, class := range want.class {
				for dir, patterns := range [directionCount][]string{past: wording.past, future: wording.future} {
					expected := strings.ReplaceAll(patterns[class], "#", strconv.Itoa(n))
					got := string(l.table.appendPhrase(nil, direction(dir), n, unit(u)))
					if got != expected {
						t.Errorf("%s: got %q, want %q", tag, got, expected)
					}
				}
			}
		}
	}
}

func TestPhrase_isCompleteForEveryNumberOfYears(t *testing.T) {
	for _, table := range phraseTables {
		for n := range 10_000 {
			for dir := range directionCount {
				got := string(table.appendPhrase(nil, dir, n, unitYear))
				if strings.Contains(got, "  ") || strings.TrimSpace(got) != got {
					t.Fatalf("%s: %q lacks a word", table.tag, got)
				}
			}
		}
	}
}
