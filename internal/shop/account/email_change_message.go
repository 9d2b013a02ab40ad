package account

import (
	"cmp"
	"strings"

	"vitrine/internal/shop/notify"
	"vitrine/internal/shop/store"
)

// emailChangeTexts holds the texts of the two mails about a new e-mail address. {shop}, {old}, {new}, {link} and
// {account} are placeholders. The subjects must not contain the link, because subjects are stored unencrypted.
type emailChangeTexts struct{ confirmSubject, confirm, warnSubject, warn string }

// emailChangesByLanguage has the texts for every language that a store can have.
var emailChangesByLanguage = map[string]emailChangeTexts{
	"en": {"Confirm your e-mail address: {shop}",
		"The account {old} in the administration of {shop} is to have the address {new}.\n\n" +
			"Confirm it here within 24 hours:\n{link}\n\n" +
			"The link works once. If you did not ask for this, ignore this message: nothing changes then.\n",
		"Your e-mail address is to be changed: {shop}",
		"Somebody has asked, with your password, that your account {old} in the administration of {shop} gets the " +
			"address " +
			"{new}. Until the link that was sent there is opened, nothing changes.\n\n" +
			"If it was not you, change your password at once: that cancels the change and signs out all " +
			"others.\n{account}\n"},
	"ru": {"Подтвердите адрес: {shop}",
		"Учётная запись {old} в администрировании магазина {shop} должна получить адрес {new}.\n\n" +
			"Подтвердите его в течение 24 часов:\n{link}\n\n" +
			"Ссылка действует один раз. Если вы об этом не просили, не обращайте внимания: тогда ничего не " +
			"изменится.\n",
		"Ваш адрес хотят изменить: {shop}",
		"Кто-то, зная ваш пароль, попросил изменить адрес вашей учётной записи {old} в администрировании магазина " +
			"{shop} " +
			"на {new}. Пока не открыта ссылка, отправленная туда, ничего не меняется.\n\n" +
			"Если это были не вы, сразу смените пароль: это отменит изменение и завершит все остальные " +
			"сеансы.\n{account}\n"},
	"de": {"Bestätigen Sie Ihre Adresse: {shop}",
		"Das Konto {old} in der Verwaltung von {shop} soll die Adresse {new} bekommen.\n\n" +
			"Bestätigen Sie sie innerhalb von 24 Stunden:\n{link}\n\n" +
			"Der Link gilt einmal. Haben Sie nicht darum gebeten, beachten Sie diese Nachricht nicht: Dann ändert " +
			"sich nichts.\n",
		"Ihre Adresse soll geändert werden: {shop}",
		"Jemand hat mit Ihrem Passwort darum gebeten, dass Ihr Konto {old} in der Verwaltung von {shop} die Adresse " +
			"{new} " +
			"bekommt. Solange der Link, der dorthin ging, nicht geöffnet ist, ändert sich nichts.\n\n" +
			"Waren Sie das nicht, ändern Sie sofort Ihr Passwort: Das bricht die Änderung ab und meldet alle anderen " +
			"ab.\n{account}\n"},
	"es": {"Confirme su dirección: {shop}",
		"La cuenta {old} en la administración de {shop} debe tener la dirección {new}.\n\n" +
			"Confírmela en un plazo de 24 horas:\n{link}\n\n" +
			"El enlace sirve una sola vez. Si no lo pidió, ignore este mensaje: entonces nada cambia.\n",
		"Se va a cambiar su dirección: {shop}",
		"Alguien pidió, con su contraseña, que su cuenta {old} en la administración de {shop} tenga la dirección " +
			"{new}. " +
			"Mientras no se abra el enlace enviado allí, nada cambia.\n\n" +
			"Si no fue usted, cambie su contraseña de inmediato: eso anula el cambio y cierra todas las demás " +
			"sesiones.\n{account}\n"},
	"fr": {"Confirmez votre adresse : {shop}",
		"Le compte {old} dans l’administration de {shop} doit avoir l’adresse {new}.\n\n" +
			"Confirmez-la dans les 24 heures :\n{link}\n\n" +
			"Le lien est valable une seule fois. Si vous n’avez rien demandé, " +
			"ignorez ce message : rien ne change alors.\n",
		"Votre adresse doit être changée : {shop}",
		"Quelqu’un a demandé, avec votre mot de passe, que votre compte {old} dans l’administration de {shop} ait " +
			"l’adresse " +
			"{new}. Tant que le lien envoyé là-bas n’est pas ouvert, rien ne change.\n\n" +
			"Si ce n’était pas vous, changez tout de suite votre mot de passe : cela annule le changement et ferme " +
			"toutes les " +
			"autres sessions.\n{account}\n"},
	"uk": {"Підтвердьте адресу: {shop}",
		"Обліковий запис {old} в адмініструванні магазину {shop} має отримати адресу {new}.\n\n" +
			"Підтвердьте її протягом 24 годин:\n{link}\n\n" +
			"Посилання діє один раз. Якщо ви про це не просили, не зважайте: тоді нічого не зміниться.\n",
		"Вашу адресу хочуть змінити: {shop}",
		"Хтось, знаючи ваш пароль, попросив змінити адресу вашого облікового запису {old} в адмініструванні магазину " +
			"{shop} " +
			"на {new}. Поки не відкрито посилання, надіслане туди, нічого не змінюється.\n\n" +
			"Якщо це були не ви, одразу змініть пароль: це скасує зміну й завершить усі інші сеанси.\n{account}\n"},
	"kk": {"Мекенжайыңызды растаңыз: {shop}",
		"{shop} дүкенін басқарудағы {old} тіркелгісі {new} мекенжайын алуы керек.\n\n" +
			"Оны 24 сағат ішінде растаңыз:\n{link}\n\n" +
			"Сілтеме бір рет жарамды. Бұны сұрамаған болсаңыз, назар аудармаңыз: онда ештеңе өзгермейді.\n",
		"Мекенжайыңызды өзгерткісі келеді: {shop}",
		"Біреу құпиясөзіңізбен {shop} дүкенін басқарудағы {old} тіркелгіңіздің мекенжайын {new} деп өзгертуді " +
			"сұрады. Сол жаққа " +
			"жіберілген сілтеме ашылмайынша, ештеңе өзгермейді.\n\n" +
			"Бұл сіз болмасаңыз, құпиясөзді бірден өзгертіңіз: бұл өзгерісті болдырмайды және басқа сеанстардың " +
			"бәрін аяқтайды.\n{account}\n"},
}

// EmailChangeMessages returns the mail to the new address, with the link, and the mail that tells the old address. They
// are in the language of the account's pages or, without it, of the store. adminURL is the URL of the administration.
func EmailChangeMessages(shop store.Store, c EmailChange, adminURL string) []notify.Message {
	texts, ok := emailChangesByLanguage[cmp.Or(c.Language, shop.Language().String())]
	if !ok {
		texts = emailChangesByLanguage[shop.Language().String()]
	}
	name := singleLine(shop.Name)
	fill := strings.NewReplacer("{shop}", name, "{old}", c.Before, "{new}", c.Email,
		"{link}", adminURL+"/email/"+c.Token, "{account}", adminURL+"/account").Replace
	return []notify.Message{
		{To: c.Email, From: name, Subject: fill(texts.confirmSubject), Text: fill(texts.confirm),
			UsefulUntil: c.ExpiresAt, ServerOnly: true},
		{To: c.Before, From: name, Subject: fill(texts.warnSubject), Text: fill(texts.warn), UsefulUntil: c.ExpiresAt,
			ServerOnly: true},
	}
}
