package adminui_test

import (
	"testing"

	"vitrine/internal/kit/database"
)

// The same English word has several forms in Russian, and names of languages and regions are translated.
func TestWords_inRussian(t *testing.T) {
	t.Parallel()
	s := newFilledShop(t, 40, "")
	v := s.owner()
	russian := []string{"Accept-Language", "ru"}
	v.get("/orders", russian...).wantStatus(200).contains("Новые", "Подтверждённые", "Выполненные", "Отменённые",
		">Новый<").omits("Новое")
	v.get("/inquiries", russian...).wantStatus(200).contains("Новые", "В работе", "Закрытые", ">Новое<")
	v.get("/settings", russian...).wantStatus(200).contains("Немецкий (de)", `label="Европа"`, `label="Другие"`).
		omits("German", `label="Other"`)
	v.get("/orders").contains(">New<", "Confirmed").omits("(order")
}

// Pages name no options of the command line: those who run the shop may not be those who run the server.
func TestWords_nameNoFlags(t *testing.T) {
	t.Parallel()
	v := newFixture(t, database.SQLite).owner()
	v.get("/").wantStatus(200).contains("Have mail set up", "the person who runs the server", "/settings/messages")
	for _, path := range []string{"/", "/settings/messages", "/webhooks/new", "/mailbox"} {
		v.get(path).wantStatus(200).omits("--smtp", "--sms-url", "--allow")
		v.get(path, "Accept-Language", "ru").wantStatus(200).omits("--smtp", "--sms-url", "--allow")
	}
}
