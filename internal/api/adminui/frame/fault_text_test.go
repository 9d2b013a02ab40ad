package frame

import "testing"

func TestFault_findsTheMessageByItsFormat(t *testing.T) {
	english, russian := testLanguage("en"), testLanguage("ru")

	for _, c := range []struct {
		language      *Language
		message, want string
	}{
		{russian, "The password is wrong.", "Пароль неверный."},
		{russian, "The last attempts to sign in failed; wait 1 seconds, then try again.",
			"Последние попытки входа не удались; подождите 1 секунду и попробуйте снова."},
		{russian, "The last attempts to sign in failed; wait 64 seconds, then try again.",
			"Последние попытки входа не удались; подождите 64 секунды и попробуйте снова."},
		// A value that is a message itself, values in another order, and values that are left out.
		{russian, "The image at https://a.example/1.png was not taken: The server answered 404.",
			"Картинка https://a.example/1.png не загружена: Сервер ответил: 404."},
		{russian, "There is no category with the id a-1 yet. The reference is kept, " +
			"and is linked by itself when it arrives.",
			"Категории с кодом a-1 пока нет. Ссылка сохранена и сработает, когда она появится."},
		{russian, `Line 3: price must be a number such as 12.50; "x" is not.`,
			`Строка 3: в столбце price нужно число, например 12.50; "x" — не число.`},
		// The exact text comes before the format string.
		{russian, "There is no such order in this store.", "Такого заказа в этом магазине нет."},
		{russian, "There is no such thing in this store.", "Такого в этом магазине нет."},
		{russian, "Nobody wrote this.", "Nobody wrote this."},
		{english, "The password is wrong.", "The password is wrong."},
		{english, "The address must begin with https://; http:// needs the operator's --allow-http.",
			"The address must begin with https://; the person who runs the server can allow http://."},
	} {
		if got := c.language.Fault(c.message); got != c.want {
			t.Errorf("%s: %q is %q, want %q", c.language.Tag(), c.message, got, c.want)
		}
	}
}
