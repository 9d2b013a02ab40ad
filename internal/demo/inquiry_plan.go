package demo

import "time"

// inquiryPlan is a message of a visitor, or a request to be called.
type inquiryPlan struct {
	person   int
	at, done time.Time // done is zero if nobody has answered
	message  string
	callback bool
	when     string // the preferred time of a call
}

// inquiryDays is over how many days the inquiries are spread.
const inquiryDays = 40

type inquiryWords struct{ messages, callbacks, times []string }

func inquiryWordsIn(l Language) inquiryWords {
	if l == Russian {
		return russianInquiries()
	}
	return englishInquiries()
}

func englishInquiries() inquiryWords {
	return inquiryWords{
		messages: []string{
			"Hello, can I collect an order on Sundays?",
			"Can I return something if the size does not fit?",
			"When will the sold-out items be available again?",
			"Everything arrived in time and well packed, thank you!",
			"How long is the guarantee, and where do I register?",
			"Do you deliver to the Isle of Man?",
			"I have not got a confirmation of my order, could you check?",
			"Is there a discount for ten pieces or more?",
			"Can my company pay by invoice?",
			"The box was dented, but the goods are fine. You may want to tell the carrier.",
		},
		callbacks: []string{
			"I want to know what is in stock", "A question about delivery", "Help me to choose",
			"It is about a return", "",
		},
		times: []string{"after 6 pm", "before noon", "any time", ""},
	}
}

func russianInquiries() inquiryWords {
	return inquiryWords{
		messages: []string{
			"Здравствуйте! Есть ли у вас самовывоз по воскресеньям?",
			"Можно ли вернуть товар, если не подошёл размер?",
			"Когда снова появится в продаже то, что закончилось?",
			"Спасибо, всё пришло вовремя и хорошо упаковано!",
			"Подскажите, есть ли гарантия и где её оформить?",
			"Доставляете ли вы в Калининград?",
			"Не пришло письмо с подтверждением заказа, проверьте, пожалуйста.",
			"Делаете ли вы скидку при заказе от десяти штук?",
			"Можно ли оплатить по счёту от организации?",
			"Коробка пришла помятой, но товар цел. Обратите внимание на перевозчика.",
		},
		callbacks: []string{
			"Хочу уточнить наличие", "Вопрос по доставке", "Помогите выбрать", "По поводу возврата", "",
		},
		times: []string{"после 18:00", "до обеда", "в любое время", ""},
	}
}

// inquiryPlans returns n inquiries of so many people. Apart from now they depend on the language and the seed only.
func inquiryPlans(l Language, seed uint64, n, persons int, now time.Time) []inquiryPlan {
	texts := inquiryWordsIn(l)
	plans := make([]inquiryPlan, n)
	for i := range plans {
		rng := newProductRand(seed^inquirySeed, uint64(i))
		age := time.Duration(30+rng.IntN(inquiryDays*24*60)) * time.Minute
		if i < 3 {
			age = time.Duration(30+rng.IntN(24*60)) * time.Minute
		}

		p := inquiryPlan{person: rng.IntN(persons), at: now.Add(-age), callback: rng.chance(0.4)}
		if p.callback {
			p.message = rng.pickUniform(texts.callbacks)
			p.when = rng.pickUniform(texts.times)
		} else {
			p.message = texts.messages[i%len(texts.messages)]
		}

		if done := p.at.Add(time.Duration(60+rng.IntN(24*60)) * time.Minute); i >= 3 && done.Before(now) {
			p.done = done
		}
		plans[i] = p
	}
	return plans
}
