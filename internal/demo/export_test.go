package demo

// WithBatchSize sets the number of products per transaction.
func (o Options) WithBatchSize(n int) Options {
	o.batch = n
	return o
}

// Agree returns the form of an adjective for a gender: m, f, n or p.
func Agree(adjective string, g byte) string { return gender(g).agree(adjective) }

// Months returns a number of months in Russian.
func Months(n int) string { return numeral(n, "месяц", "месяца", "месяцев") }

// RoundRoubles rounds an amount down to a usual price in roubles.
func RoundRoubles(amount float64) int64 { return int64(roundRoubles(amount, 0)) / 10_000 }

// ParseRussianDepartment parses the text of a department and returns the names of its sections.
func ParseRussianDepartment(text string) (sections []string, err error) {
	d, err := parseRussianDepartment(text)
	for _, s := range d.sections {
		sections = append(sections, s.name)
	}
	return sections, err
}

// Person is somebody who orders.
type Person struct{ Name, Email, Phone string }

// People returns n people of a language.
func People(l Language, seed uint64, n int) (list []Person) {
	for _, p := range people(l, seed, n) {
		list = append(list, Person{p.name, p.email, p.phone})
	}
	return list
}
