package adminui_test

import (
	"net/url"
	"testing"
	"time"

	"vitrine/internal/kit/database"
)

// A page in Russian says in Russian why a form or a page was refused.
func TestFaults_areShownInRussian(t *testing.T) {
	t.Parallel()

	s := newFixture(t, database.SQLite)
	russian := []string{"Accept-Language", "ru"}
	stranger := &client{fixture: s}
	wrong := url.Values{"email": {s.store.AdminEmail}, "password": {"wrong"}}
	stranger.post("/login", wrong, russian...).wantStatus(401).
		contains("Неверный адрес электронной почты или пароль.").omits("The e-mail address")
	stranger.post("/login", wrong, russian...).wantStatus(429).contains("подождите 1 секунду и попробуйте снова")
	s.Clock.Advance(time.Minute)
	v := s.owner()
	v.post("/keys", url.Values{"kind": {"secret"}, "name": {""}, "access": {"all"}}, russian...).wantStatus(422).
		contains("Введите пароль ещё раз.").omits("Type your password again.")
	v.post("/settings/sites", url.Values{"version": {"1"}, "cors_origins": {"shop.example/path"}}, russian...).
		contains("shop.example/path: Адрес сайта пишется без пути").omits("An origin is")
	v.post("/stock/warehouses", url.Values{"name": {""}}, russian...).wantStatus(422).
		contains("Название не может быть пустым; нужно от 1 до 255 символов.")
	v.get("/orders/01a1e5be-efce-7959-b177-716e89ad5b54", russian...).wantStatus(404).
		contains("Не найдено", "Такого заказа в этом магазине нет.")
	v.get("/products?page=x", russian...).contains("В адресе страницы ошибка.").omits("The query parameter")
	v.get("/deliveries?before=x", russian...).wantStatus(400).contains("Неверный адрес", "Откройте страницу из меню.")
	v.post("/settings", url.Values{}, "Accept-Language", "ru", "Sec-Fetch-Site", "cross-site").
		wantStatus(403).contains("Форма отправлена со страницы другого сайта.")
}
