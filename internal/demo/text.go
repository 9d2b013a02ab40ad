package demo

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
)

type productText struct {
	brand, adjective, noun, model, use string
	number                             int    // of the model
	material, country                  string // empty if not known
}

// english returns the name by the department's pattern, and a description of one to three sentences.
func (t productText) english(rng productRand, dep *department) (name, description string) {
	name = strings.NewReplacer("%B", t.brand, "%A", t.adjective, "%N", t.noun, "%M", t.model).
		Replace(cmp.Or(dep.namePattern, defaultNamePattern))
	sentences := []string{rng.pickUniform([]string{
		"Made for " + t.use + ".",
		"A good companion for " + t.use + ".",
		"Chosen by our team for " + t.use + ".",
		t.brand + " made it with " + t.use + " in mind.",
	})}
	if t.material != "" && rng.chance(0.7) {
		sentences = append(sentences, fmt.Sprintf(cmp.Or(dep.materialFormat, defaultMaterialFormat), t.material))
	}

	if t.country != "" && rng.chance(0.5) {
		sentences = append(sentences,
			rng.pickUniform([]string{"Comes from " + t.country + ".", "Country of origin: " + t.country + "."}))
	}

	return name, strings.Join(sentences, " ")
}

// russian returns a name and a description in Russian. The sentences do not depend on the gender of the noun.
func (t productText) russian(rng productRand) (name, description string) {
	lines := []string{"Север", "Заря", "Волна", "Луч", "Восток", "Родник", "Байкал", "Тайга", "Рассвет", "Мечта"}
	name = t.noun + " «" + rng.pickUniform(lines) + "» " + t.brand + " № " + strconv.Itoa(t.number)
	sentences := []string{rng.pickUniform([]string{
		"Для дома и для подарка.", "Надёжный выбор на каждый день.", "То, что часто советуют друзьям.",
		"Хорошее качество по разумной цене.",
	})}
	if rng.chance(0.6) {
		sentences = append(sentences, rng.pickUniform(
			[]string{"Марка «" + t.brand + "» хорошо известна нашим покупателям.", "Проверено в нашем магазине."}))
	}
	if rng.chance(0.4) {
		sentences = append(sentences,
			rng.pickUniform([]string{"Доставим за два дня.", "Есть в наличии в нескольких магазинах города."}))
	}
	return name, strings.Join(sentences, " ")
}
