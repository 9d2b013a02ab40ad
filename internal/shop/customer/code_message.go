package customer

import (
	"strings"
	"unicode"

	"vitrine/internal/shop/store"
)

// messageTexts holds the texts of the message that carries a login code. {shop} and {code} are placeholders. The
// subject must not contain the code, because subjects are stored unencrypted.
type messageTexts struct{ subject, mail, phone string }

// textsByLanguage has the texts for every language that a store can have.
var textsByLanguage = map[string]messageTexts{
	"en": {
		subject: "Your code for {shop}",
		mail: "Your code is {code}\n\nIt works once, for 10 minutes. If you did not ask for it, ignore this message: " +
			"without the code nobody can sign in. Never share it with anyone, " +
			"not even with the shop's staff.\n\n{shop}\n",
		phone: "{code} is your code for {shop}. It works for 10 minutes. Never share it with anyone.",
	},
	"ru": {
		subject: "Ваш код для входа: {shop}",
		mail: "Ваш код: {code}\n\nОн действует один раз, в течение 10 минут. Если вы его не запрашивали, " +
			"не обращайте внимания на это сообщение: " +
			"без кода никто не войдёт. Никому не сообщайте его, даже сотрудникам магазина.\n\n{shop}\n",
		phone: "{code} — ваш код для входа, {shop}. Действует 10 минут. Никому его не сообщайте.",
	},
	"de": {
		subject: "Ihr Code für {shop}",
		mail: "Ihr Code lautet {code}\n\nEr gilt einmal, 10 Minuten lang. Haben Sie ihn nicht angefordert, " +
			"beachten Sie diese Nachricht nicht: " +
			"Ohne den Code kann sich niemand anmelden. Geben Sie ihn niemandem weiter, " +
			"auch nicht Mitarbeitern des Shops.\n\n{shop}\n",
		phone: "{code} ist Ihr Code für {shop}. Er gilt 10 Minuten. Geben Sie ihn niemandem weiter.",
	},
	"es": {
		subject: "Su código para {shop}",
		mail: "Su código es {code}\n\nSirve una sola vez, durante 10 minutos. Si no lo ha pedido, " +
			"ignore este mensaje: " +
			"sin el código nadie puede entrar. No se lo diga a nadie, tampoco a quienes trabajan en la " +
			"tienda.\n\n{shop}\n",
		phone: "{code} es su código para {shop}. Sirve durante 10 minutos. No se lo diga a nadie.",
	},
	"fr": {
		subject: "Votre code pour {shop}",
		mail: "Votre code est {code}\n\nIl est valable une seule fois, pendant 10 minutes. Si vous ne l’avez pas " +
			"demandé, ignorez ce message : " +
			"sans le code, personne ne peut se connecter. Ne le donnez à personne, " +
			"pas même au personnel de la boutique.\n\n{shop}\n",
		phone: "{code} est votre code pour {shop}. Il est valable 10 minutes. Ne le donnez à personne.",
	},
	"uk": {
		subject: "Ваш код для входу: {shop}",
		mail: "Ваш код: {code}\n\nВін діє один раз, протягом 10 хвилин. Якщо ви його не запитували, " +
			"не зважайте на це повідомлення: " +
			"без коду ніхто не увійде. Нікому не повідомляйте його, навіть працівникам магазину.\n\n{shop}\n",
		phone: "{code} — ваш код для входу, {shop}. Діє 10 хвилин. Нікому його не повідомляйте.",
	},
	"kk": {
		subject: "Кіру кодыңыз: {shop}",
		mail: "Сіздің кодыңыз: {code}\n\nОл бір рет, 10 минут бойы жарамды. Егер сіз оны сұрамаған болсаңыз, " +
			"бұл хабарламаға назар аудармаңыз: " +
			"кодсыз ешкім кіре алмайды. Оны ешкімге, дүкен қызметкерлеріне де айтпаңыз.\n\n{shop}\n",
		phone: "{code} — кіру кодыңыз, {shop}. 10 минут жарамды. Оны ешкімге айтпаңыз.",
	},
}

func textsFor(shop store.Store) messageTexts { return textsByLanguage[shop.Language().String()] }

func fillPlaceholders(text, shop, code string) string {
	return strings.NewReplacer("{shop}", shop, "{code}", code).Replace(text)
}

// maxShopNameLen is the maximum number of characters of a store's name in a message. It keeps the subject within its
// length limit.
const maxShopNameLen = 100

// singleLineShopName returns a store's name for use in a subject: shortened, and without line breaks and control
// characters.
func singleLineShopName(name string) string {
	name = strings.Map(func(c rune) rune {
		if unicode.IsControl(c) {
			return ' '
		}
		return c
	}, name)
	runes := []rune(strings.Join(strings.Fields(name), " "))
	return string(runes[:min(len(runes), maxShopNameLen)])
}
