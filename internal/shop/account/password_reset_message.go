package account

import (
	"cmp"
	"strings"

	"vitrine/internal/shop/notify"
	"vitrine/internal/shop/store"
)

// passwordResetTexts holds the texts of the mail with which a person chooses a new password. {shop} and {link} are
// placeholders. The subject must not contain the link, because subjects are stored unencrypted.
type passwordResetTexts struct{ subject, text string }

// passwordResetsByLanguage has the texts for every language that a store can have.
var passwordResetsByLanguage = map[string]passwordResetTexts{
	"en": {"Choose a new password: {shop}",
		"Somebody has asked for a new password for the administration of {shop}.\n\nChoose it here within an hour:\n" +
			"{link}\n\nThe link works once. If it was not you, ignore this message: your password stays.\n"},
	"ru": {"Новый пароль: {shop}",
		"Кто-то запросил новый пароль для администрирования магазина {shop}.\n\n" +
			"Задайте его в течение часа:\n{link}\n\n" +
			"Ссылка действует один раз. Если это были не вы, не обращайте внимания: пароль останется прежним.\n"},
	"de": {"Neues Passwort: {shop}",
		"Jemand hat ein neues Passwort für die Verwaltung von {shop} angefordert.\n\n" +
			"Legen Sie es innerhalb einer Stunde fest:\n{link}\n\n" +
			"Der Link gilt einmal. Waren Sie das nicht, beachten Sie diese Nachricht nicht: Ihr Passwort bleibt.\n"},
	"es": {"Nueva contraseña: {shop}",
		"Alguien ha pedido una contraseña nueva para la administración de {shop}.\n\n" +
			"Elíjala en el plazo de una hora:\n{link}\n\n" +
			"El enlace sirve una sola vez. Si no fue usted, ignore este mensaje: su contraseña no cambia.\n"},
	"fr": {"Nouveau mot de passe : {shop}",
		"Quelqu’un a demandé un nouveau mot de passe pour l’administration de {shop}.\n\n" +
			"Choisissez-le dans l’heure :\n{link}\n\n" +
			"Le lien est valable une seule fois. Si ce n’était pas vous, ignorez ce message : " +
			"votre mot de passe ne change pas.\n"},
	"uk": {"Новий пароль: {shop}",
		"Хтось запитав новий пароль для адміністрування магазину {shop}.\n\nЗадайте його протягом години:\n{link}\n\n" +
			"Посилання діє один раз. Якщо це були не ви, не зважайте: пароль залишиться попереднім.\n"},
	"kk": {"Жаңа құпиясөз: {shop}",
		"Біреу {shop} дүкенін басқару үшін жаңа құпиясөз сұрады.\n\nОны бір сағат ішінде орнатыңыз:\n{link}\n\n" +
			"Сілтеме бір рет жарамды. Егер бұл сіз болмасаңыз, назар аудармаңыз: құпиясөз өзгермейді.\n"},
}

// Message returns the mail with the link, in the language of the account or else of the store.
func (r PasswordReset) Message(shop store.Store, link string) notify.Message {
	language := cmp.Or(r.Language, shop.Language().String())
	texts, ok := passwordResetsByLanguage[language]
	if !ok {
		texts = passwordResetsByLanguage["en"]
	}
	name := singleLine(shop.Name)
	fill := strings.NewReplacer("{shop}", name, "{link}", link).Replace
	return notify.Message{To: r.Email, From: name, Subject: fill(texts.subject), Text: fill(texts.text),
		UsefulUntil: r.ExpiresAt, ServerOnly: true}
}
