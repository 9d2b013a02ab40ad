package demo

import (
	"fmt"
	"strings"

	"vitrine/internal/kit/language"
)

// person is somebody who orders from the demo shop. Nobody has the addresses: the domain example.com and the phone
// numbers are not given to anybody.
type person struct {
	name, email, phone, address string
	// signsIn is true for people who sign in; the others order as guests.
	signsIn bool
}

// peopleWords are what the people of a language are made of.
type peopleWords struct {
	// women and men are first names. Surnames are as men have them.
	women, men, surnames []string
	// feminine returns the surname of a woman.
	feminine func(surname string) string
	streets  []string
	cities   []string
	// address is the format of an address, of a street, the number of a house and a city.
	address string
	phone   string // the format of a phone number, of a number below 1000
}

func peopleWordsIn(l Language) peopleWords {
	if l == Russian {
		return russianPeople()
	}
	return englishPeople()
}

func englishPeople() peopleWords {
	return peopleWords{
		women: []string{"Emma", "Olivia", "Sophie", "Hannah", "Grace", "Lucy", "Clara", "Nora", "Ingrid", "Chloe",
			"Maria", "Amelia", "Zoe", "Priya", "Anna"},
		men: []string{"James", "Oliver", "Thomas", "Daniel", "Henry", "Samuel", "Lukas", "Peter", "Adam", "Mateo",
			"William", "Jonas", "Ravi", "George", "Leo"},
		surnames: []string{"Taylor", "Bennett", "Carter", "Hughes", "Walsh", "Morgan", "Fischer", "Lindqvist", "Novak",
			"Garcia", "Patel", "Reed", "Marsh", "Okafor", "Bergström", "Dubois", "Ward", "Fletcher", "Silva",
			"Kowalski", "Andersen", "Byrne", "Hart", "Sutton"},
		feminine: func(surname string) string { return surname },
		streets: []string{"Mill Lane", "Harbour Street", "Station Road", "Church Street", "Park Avenue",
			"Victoria Road", "Elm Grove", "Castle Street", "Kings Road", "Orchard Close"},
		cities: []string{"Bristol", "Leeds", "Norwich", "Glasgow", "Cardiff", "York", "Brighton", "Bath"},
		// Ofcom keeps these numbers for drama.
		address: "%[2]d %[1]s, %[3]s", phone: "+447700900%03d",
	}
}

func russianPeople() peopleWords {
	return peopleWords{
		women: []string{"Анна", "Елена", "Ольга", "Мария", "Наталья", "Екатерина", "Татьяна", "Ирина", "Светлана",
			"Дарья", "Юлия", "Алина", "Вера", "Ксения", "Полина"},
		men: []string{"Алексей", "Дмитрий", "Сергей", "Андрей", "Иван", "Михаил", "Павел", "Николай", "Артём", "Максим",
			"Илья", "Олег", "Роман", "Кирилл", "Пётр"},
		surnames: []string{"Иванов", "Смирнов", "Кузнецов", "Попов", "Соколов", "Лебедев", "Козлов", "Новиков",
			"Морозов", "Волков", "Соловьёв", "Васильев", "Зайцев", "Павлов", "Семёнов", "Голубев", "Виноградов",
			"Богданов", "Воробьёв", "Фёдоров", "Беляев", "Тарасов", "Белов", "Комаров"},
		feminine: func(surname string) string { return surname + "а" },
		streets: []string{"ул. Ленина", "ул. Мира", "ул. Садовая", "ул. Пушкина", "Лесной проспект", "ул. Гагарина",
			"Набережная ул.", "ул. Чехова", "Октябрьский проспект", "ул. Победы"},
		cities: []string{"Москва", "Санкт-Петербург", "Казань", "Екатеринбург", "Нижний Новгород", "Самара", "Тверь",
			"Ярославль"},
		// No number within an area begins with 0.
		address: "г. %[3]s, %[1]s, д. %[2]d", phone: "+7495000%04d",
	}
}

// people returns n people of a language, always the same for a seed.
func people(l Language, seed uint64, n int) []person {
	parts := peopleWordsIn(l)
	list := make([]person, 0, n)
	taken := map[string]bool{}
	for i := 0; len(list) < n; i++ {
		rng := newProductRand(seed^peopleSeed, uint64(i))
		surname := rng.pickUniform(parts.surnames)
		first := rng.pickUniform(parts.men)
		if rng.chance(0.55) {
			first = rng.pickUniform(parts.women)
			surname = parts.feminine(surname)
		}

		email := emailOf(first, surname)
		if taken[email] && i < 20*n {
			continue
		}
		taken[email] = true

		p := person{
			name: first + " " + surname, email: email, phone: fmt.Sprintf(parts.phone, len(list)%1000),
			address: fmt.Sprintf(parts.address, rng.pickUniform(parts.streets), 1+rng.IntN(90),
				rng.pickUniform(parts.cities)),
			signsIn: rng.chance(0.4),
		}
		if !p.signsIn && rng.chance(0.2) {
			p.email = ""
		}
		list = append(list, p)
	}
	return list
}

// emailOf returns an address such as anna.ivanova@example.com.
func emailOf(first, surname string) string {
	local := language.Latin(first + "." + surname)
	return strings.ReplaceAll(strings.ReplaceAll(local, " ", ""), "'", "") + "@example.com"
}
