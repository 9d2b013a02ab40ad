package demo

import (
	"fmt"
	"strings"
)

// russianText is what the name and the description of a Russian product say. Only the noun and the brand are never
// empty.
type russianText struct {
	noun                          russianNoun
	brand, adjective, model       string // the adjective in the masculine
	detail, colour, title, author string // the colour in the masculine
	material, country             string
	warranty                      int // months
}

// name fills the pattern of names. What begins with a preposition follows without a comma.
func (t *russianText) name(pattern string) string {
	detail := t.detail
	if detail != "" && !startsWithPreposition(detail) && strings.Contains(pattern, "%M") {
		detail = ", " + detail
	}
	colour := ""
	if t.colour != "" {
		colour = ", " + lowerFirst(t.noun.gender.agree(t.colour))
	}

	name := strings.NewReplacer(
		"%N", t.noun.text, "%A", lowerFirst(t.noun.gender.agree(t.adjective)), "%B", t.brand, "%M", t.model,
		"%D", detail, "%C", colour, "%T", t.title, "%W", t.author,
	).Replace(pattern)
	return strings.ReplaceAll(strings.Join(strings.Fields(name), " "), " ,", ",")
}

func startsWithPreposition(detail string) bool {
	first, _, _ := strings.Cut(detail, " ")
	switch first {
	case "для", "на", "с", "со", "по", "против", "от":
		return true
	}
	return false
}

// description returns two to four sentences.
func (w *russianWording) description(rng productRand, t *russianText) string {
	sentences := []string{w.opening(rng, t), rng.pickUniform(w.facts)}
	if t.material != "" && rng.chance(0.5) {
		sentences = append(sentences, rng.pickUniform([]string{
			t.noun.gender.pick([4]string{"Изготовлен", "Изготовлена", "Изготовлено", "Изготовлены"}) + " из " +
				materialGenitive(t.material) + ".",
			"Материал — " + lowerFirst(t.material) + ".",
		}))
	}

	switch {
	case t.warranty > 0 && rng.chance(0.35):
		sentences = append(sentences, fmt.Sprintf("Гарантия — %d %s.", t.warranty,
			numeral(t.warranty, "месяц", "месяца", "месяцев")))
	case t.country != "" && rng.chance(0.4):
		sentences = append(sentences, "Страна производства — "+t.country+".")
	}

	return strings.Join(sentences, " ")
}

// opening returns the first sentence, which says what the product is and what it is for.
func (w *russianWording) opening(rng productRand, t *russianText) string {
	g := t.noun.gender
	use := rng.pickUniform(w.uses)
	praise := g.agree(rng.pickUniform(w.praise))

	switch rng.IntN(5) {
	case 0:
		return fmt.Sprintf("%s %s %s для %s.", praise, t.noun.head, t.brand, use)
	case 1:
		return fmt.Sprintf("%s %s %s для %s.", upperFirst(t.noun.head), t.brand,
			g.pick([4]string{"подойдёт", "подойдёт", "подойдёт", "подойдут"}), use)
	case 2:
		return fmt.Sprintf("%s %s %s хорошим выбором для %s.", upperFirst(t.noun.head), t.brand,
			g.pick([4]string{"станет", "станет", "станет", "станут"}), use)
	case 3:
		return fmt.Sprintf("%s %s — %s для %s.", upperFirst(t.noun.head), t.brand,
			rng.pickUniform([]string{"отличный вариант", "хороший выбор", "разумное решение"}), use)
	default:
		return fmt.Sprintf("%s и %s %s %s для %s.", praise, g.agree("недорогой"), t.noun.head, t.brand, use)
	}
}

// materialOf returns the material that an adjective means, or "" if it means none.
func materialOf(adjective string) string {
	meanings := map[string]string{
		"алюминиевый": "Алюминий", "бархатный": "Бархат", "деревянный": "Дерево", "замшевый": "Замша",
		"керамический": "Керамика", "кожаный": "Натуральная кожа", "льняной": "Лён", "махровый": "Хлопок",
		"металлический": "Металл", "пластиковый": "Пластик", "резиновый": "Резина", "сатиновый": "Сатин",
		"силиконовый": "Силикон", "стальной": "Нержавеющая сталь", "стеклянный": "Стекло", "тканевый": "Ткань",
		"фарфоровый": "Фарфор", "хлопковый": "Хлопок", "хрустальный": "Хрусталь", "чугунный": "Чугун",
		"шерстяной": "Шерсть", "эмалированный": "Нержавеющая сталь",
	}
	return meanings[adjective]
}

// materialGenitive returns the genitive of a material, as it stands after из.
func materialGenitive(material string) string {
	genitives := map[string]string{
		"Акрил": "акрила", "Алюминий": "алюминия", "Бамбук": "бамбука", "Бархат": "бархата", "Бумага": "бумаги",
		"Велюр": "велюра", "Винил": "винила", "Вискоза": "вискозы", "Войлок": "войлока", "Воск": "воска",
		"Дерево": "дерева", "Замша": "замши", "Искусственная кожа": "искусственной кожи",
		"Искусственный мех": "искусственного меха", "Картон": "картона", "Кашемир": "кашемира",
		"Керамика": "керамики", "Латунь": "латуни", "Лён": "льна", "Металл": "металла",
		"Натуральная кожа": "натуральной кожи", "Нейлон": "нейлона", "Нержавеющая сталь": "нержавеющей стали",
		"ПВХ": "ПВХ", "Пластик": "пластика", "Плюш": "плюша", "Полиуретан": "полиуретана",
		"Полиэстер": "полиэстера", "Резина": "резины", "Сатин": "сатина", "Силикон": "силикона", "Сталь": "стали",
		"Стекло": "стекла", "Текстиль": "текстиля", "Ткань": "ткани", "Фарфор": "фарфора", "Хлопок": "хлопка",
		"Хрусталь": "хрусталя", "Чугун": "чугуна", "Шерсть": "шерсти", "Эластан": "эластана",
	}
	return genitives[material]
}
