package adminui_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
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
	v.get("/").wantStatus(200).contains("Set up mail", "Name the mail server", "/settings/messages")
	for _, path := range []string{"/", "/settings/messages", "/settings/mail-server", "/webhooks/new", "/mailbox"} {
		v.get(path).wantStatus(200).omits("--smtp", "--sms-url", "--allow")
		v.get(path, "Accept-Language", "ru").wantStatus(200).omits("--smtp", "--sms-url", "--allow")
	}
}

// Every form that searches a list has a button with the same word.
func TestWords_searchButtonsHaveOneWord(t *testing.T) {
	t.Parallel()
	search := regexp.MustCompile(`(?s)<form[^>]*role="search".*?</form>`)
	files, err := filepath.Glob("*/templates/*.html")
	if err != nil {
		t.Fatal(err)
	}

	found := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, form := range search.FindAllString(string(text), -1) {
			// The search of the header has no button, some forms have a common part, and one explains a search.
			if !strings.Contains(form, "<button") || strings.Contains(file, "why.html") {
				continue
			}
			found++
			if !strings.Contains(form, `{{icon "search"}}{{T "Find"}}</button>`) {
				t.Errorf("%s has a search whose button is not Find:\n%s", file, form)
			}
		}
	}
	if found < 10 {
		t.Errorf("%d searches are found", found)
	}
}
