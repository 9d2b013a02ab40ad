package demo

import (
	"fmt"
	"strconv"
	"strings"
)

// telling is what the name and the description of a product say.
type telling struct {
	brand, adjective, noun, model, use string
	number                             int    // that of the model
	material, country                  string // empty where nothing is known
}

// english makes the name by the department's pattern, and a description of one to three sentences.
func (t telling) english(d draw, dep *department) (name, description string) {
	name = strings.NewReplacer("%B", t.brand, "%A", t.adjective, "%N", t.noun, "%M", t.model).Replace(dep.pattern)
	sentences := []string{d.any([]string{
		"Made for " + t.use + ".",
		"A good companion for " + t.use + ".",
		"Chosen by our team for " + t.use + ".",
		t.brand + " made it with " + t.use + " in mind.",
	})}
	if t.material != "" && d.chance(0.7) {
		sentences = append(sentences, fmt.Sprintf(dep.made, t.material))
	}
	if t.country != "" && d.chance(0.5) {
		sentences = append(sentences, d.any([]string{"Comes from " + t.country + ".", "Country of origin: " + t.country + "."}))
	}
	return name, strings.Join(sentences, " ")
}

// russian is the same in Russian. Nothing in it depends on a noun's gender.
func (t telling) russian(d draw) (name, description string) {
	lines := []string{"Север", "Заря", "Волна", "Луч", "Восток", "Родник", "Байкал", "Тайга", "Рассвет", "Мечта"}
	name = t.noun + " «" + d.any(lines) + "» " + t.brand + " № " + strconv.Itoa(t.number)
	sentences := []string{d.any([]string{"Для дома и для подарка.", "Надёжный выбор на каждый день.", "То, что часто советуют друзьям.", "Хорошее качество по разумной цене."})}
	if d.chance(0.6) {
		sentences = append(sentences, d.any([]string{"Марка «" + t.brand + "» хорошо известна нашим покупателям.", "Проверено в нашем магазине."}))
	}
	if d.chance(0.4) {
		sentences = append(sentences, d.any([]string{"Доставим за два дня.", "Есть в наличии в нескольких магазинах города."}))
	}
	return name, strings.Join(sentences, " ")
}
