package account

import (
	"strings"
	"unicode"

	"vitrine/internal/shop/access"
	"vitrine/internal/shop/notify"
	"vitrine/internal/shop/store"
)

// invitationTexts holds the texts of an invitation. {shop} and {link} are placeholders. The subject must not contain
// the link, because subjects are stored unencrypted.
type invitationTexts struct{ subject, text string }

// invitationsByLanguage has the texts for every language that a store can have.
var invitationsByLanguage = map[string]invitationTexts{
	"en": {"Invitation: {shop}",
		"You are invited to administer {shop}.\n\nChoose your password here within 7 days:\n{link}\n\n" +
			"The link works once. If you did not expect this message, ignore it.\n"},
	"ru": {"Приглашение: {shop}",
		"Вас приглашают управлять магазином {shop}.\n\nЗадайте пароль в течение 7 дней:\n{link}\n\n" +
			"Ссылка действует один раз. Если вы не ждали этого сообщения, не обращайте на него внимания.\n"},
	"de": {"Einladung: {shop}",
		"Sie sind eingeladen, {shop} zu verwalten.\n\nLegen Sie innerhalb von 7 Tagen Ihr Passwort fest:\n{link}\n\n" +
			"Der Link gilt einmal. Haben Sie diese Nachricht nicht erwartet, beachten Sie sie nicht.\n"},
	"es": {"Invitación: {shop}",
		"Le invitan a administrar {shop}.\n\nElija su contraseña en un plazo de 7 días:\n{link}\n\n" +
			"El enlace sirve una sola vez. Si no esperaba este mensaje, ignórelo.\n"},
	"fr": {"Invitation : {shop}",
		"Vous êtes invité à administrer {shop}.\n\nChoisissez votre mot de passe dans les 7 jours :\n{link}\n\n" +
			"Le lien est valable une seule fois. Si vous n’attendiez pas ce message, ignorez-le.\n"},
	"uk": {"Запрошення: {shop}",
		"Вас запрошують керувати магазином {shop}.\n\nЗадайте пароль протягом 7 днів:\n{link}\n\n" +
			"Посилання діє один раз. Якщо ви не чекали цього повідомлення, не зважайте на нього.\n"},
	"kk": {"Шақыру: {shop}", "Сізді {shop} дүкенін басқаруға шақырады.\n\n7 күн ішінде құпиясөз " +
		"орнатыңыз:\n{link}\n\n" +
		"Сілтеме бір рет жарамды. Бұл хабарламаны күтпеген болсаңыз, назар аудармаңыз.\n"},
}

// InvitationMessage returns the mail that invites an operator, in the language of the store. The link leads to the page
// on which they choose their password.
func InvitationMessage(shop store.Store, o access.Operator, link string) notify.Message {
	texts := invitationsByLanguage[shop.Language().String()]
	name := singleLine(shop.Name)
	fill := strings.NewReplacer("{shop}", name, "{link}", link).Replace
	return notify.Message{To: o.Email, From: name, Subject: fill(texts.subject), Text: fill(texts.text),
		UsefulUntil: o.UpdatedAt.Add(InvitationLifetime)}
}

// maxShopNameLen is the maximum number of characters of a store's name in a message. It keeps the subject within its
// length limit.
const maxShopNameLen = 100

// singleLine returns a store's name for use in a subject: shortened, and without line breaks and control characters.
func singleLine(name string) string {
	runes := []rune(strings.Join(strings.FieldsFunc(name, func(c rune) bool {
		return unicode.IsControl(c) || unicode.IsSpace(c)
	}), " "))
	return string(runes[:min(len(runes), maxShopNameLen)])
}
