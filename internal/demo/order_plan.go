package demo

import (
	"math"
	"slices"
	"time"

	"vitrine/internal/shop/order"
)

// Seeds of what does not depend on the products, beside the seed of the catalogue.
const (
	peopleSeed  = 0x70656f706c65
	orderSeed   = 0x6f7264657273
	inquirySeed = 0x61736b
)

// orderDays is over how many days the orders are spread. The popularity of products counts as many.
const orderDays = 89

// orderPlan is what happens to one order.
type orderPlan struct {
	person int
	// submitted is when the order was submitted. confirmed, completed and cancelled are zero if that did not happen.
	submitted, confirmed, completed, cancelled time.Time
	// lines are the ranks of the products among those that are sold, the most popular first, and quantities.
	lines   []planLine
	comment string
	tag     string
	note    string
	paid    bool
	// carrier brings the order; empty if it is fetched. trackingNumber is for carrier.
	carrier, trackingNumber string
	// byPhone is true for an order that the shop has entered.
	byPhone bool
}

type planLine struct {
	// points are chances, from 0 to 1, of which the first that leads to something available is used.
	points   [8]float64
	quantity int
}

// state returns the state that the order has in the end.
func (p *orderPlan) state() order.State {
	switch {
	case !p.cancelled.IsZero():
		return order.Cancelled
	case !p.completed.IsZero():
		return order.Completed
	case !p.confirmed.IsZero():
		return order.Confirmed
	default:
		return order.Submitted
	}
}

// orderWords are the texts of orders in a language.
type orderWords struct {
	comments, notes, carriers []string
	gift, phone               string // tags
	cancelled                 string // note of a cancelled order
}

func orderWordsIn(l Language) orderWords {
	if l == Russian {
		return russianOrders()
	}
	return englishOrders()
}

func englishOrders() orderWords {
	return orderWords{
		comments: []string{
			"Please ring an hour before the delivery.", "The bell is broken, please call me.",
			"Can it be delivered after 6 pm?", "Please leave it with the neighbours at number 4.",
			"This is a present, please no invoice in the box.", "If the colour is gone, black is fine too.",
			"Saturday would suit me best.",
		},
		notes: []string{
			"Asked us to call back in the afternoon.", "Regular customer, add the catalogue.",
			"The address was checked on the phone.",
		},
		carriers: []string{"DHL", "UPS", "Royal Mail"}, gift: "gift", phone: "phone order",
		cancelled: "The customer changed their mind.",
	}
}

func russianOrders() orderWords {
	return orderWords{
		comments: []string{
			"Позвоните за час до доставки, пожалуйста.", "Домофон не работает, наберите меня.",
			"Можно доставить после 18:00?", "Оставьте на пункте охраны.", "Это подарок, не кладите чек в коробку.",
			"Если цвета нет, замените на чёрный.", "Доставка в субботу, если можно.",
		},
		notes: []string{
			"Просит перезвонить после обеда.", "Постоянный покупатель, положить каталог.",
			"Адрес уточнили по телефону.",
		},
		carriers: []string{"СДЭК", "Почта России", "Boxberry"}, gift: "подарок", phone: "по телефону",
		cancelled: "Покупатель передумал.",
	}
}

// orderPlans returns n orders of so many people, in the order in which they were submitted: up to shortly before now,
// from orderDays before. Apart from now they depend on the language and the seed only.
func orderPlans(l Language, seed uint64, n, persons int, now time.Time) []orderPlan {
	texts := orderWordsIn(l)
	plans := make([]orderPlan, n)
	for i := range plans {
		rng := newProductRand(seed^orderSeed, uint64(i))
		age := orderAge(rng, i, n)
		p := orderPlan{person: rng.skewed(persons, 25), submitted: now.Add(-age)}
		for range 1 + rng.skewed(4, 1) {
			line := planLine{quantity: 1 + rng.skewed(4, 0.4)}
			for k := range line.points {
				line.points[k] = rng.Float64()
			}
			p.lines = append(p.lines, line)
		}

		p.live(rng, age, now)
		p.describe(rng, texts)
		plans[i] = p
	}

	slices.SortStableFunc(plans, func(a, b orderPlan) int { return a.submitted.Compare(b.submitted) })
	return plans
}

// orderAge returns how long ago order i of n was submitted. There are some today, and more lately than three months
// ago; few come at night.
func orderAge(rng productRand, i, n int) time.Duration {
	if i < min(6, n/10) {
		return time.Duration(12+rng.IntN(12*60)) * time.Minute
	}
	days := int(orderDays * math.Pow(rng.Float64(), 1.25))
	hours := 24 * rng.Float64()
	for tries := 0; tries < 3 && hours > 13 && hours < 22; tries++ { // rarely
		hours = 24 * rng.Float64()
	}
	return time.Duration(days)*24*time.Hour + time.Duration(hours*float64(time.Hour)) + 10*time.Minute
}

// live sets when the shop confirmed the order, and when it was completed or cancelled.
func (p *orderPlan) live(rng productRand, age time.Duration, now time.Time) {
	confirmed := p.submitted.Add(time.Duration(10+rng.IntN(8*60)) * time.Minute)
	completed := confirmed.Add(time.Duration(24*60+rng.IntN(4*24*60)) * time.Minute)
	cancelled := p.submitted.Add(time.Duration(30+rng.IntN(24*60)) * time.Minute)
	before := func(t time.Time) time.Time {
		if t.After(now) {
			return time.Time{}
		}
		return t
	}

	const day = 24 * time.Hour
	point := rng.Float64()
	switch {
	case age < day && point < 0.75, age < 4*day && point < 0.12: // still new
	case point > 0.92:
		p.cancelled = before(cancelled)
	case age < 3*day || point < 0.02:
		p.confirmed = before(confirmed)
	default:
		p.confirmed = before(confirmed)
		p.completed = before(completed)
	}
	p.paid = !p.completed.IsZero() || !p.confirmed.IsZero() && rng.chance(0.5)
}

// describe sets what customer and shop wrote.
func (p *orderPlan) describe(rng productRand, texts orderWords) {
	if rng.chance(0.2) {
		p.comment = rng.pickUniform(texts.comments)
	}
	if rng.chance(0.08) {
		p.tag = texts.gift
	}
	if rng.chance(0.06) {
		p.byPhone = true
		p.tag = texts.phone
	}
	if rng.chance(0.07) {
		p.note = rng.pickUniform(texts.notes)
	}

	if !p.cancelled.IsZero() && rng.chance(0.5) {
		p.note = texts.cancelled
	}
	if !p.completed.IsZero() && rng.chance(0.75) {
		p.carrier = rng.pickUniform(texts.carriers)
		p.trackingNumber = trackingNumber(rng)
	}
}

// trackingNumber returns ten digits that begin with 1.
func trackingNumber(rng productRand) string {
	digits := []byte("1000000000")
	for i := 1; i < len(digits); i++ {
		digits[i] = byte('0' + rng.IntN(10))
	}
	return string(digits)
}
