package kill

import (
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"vitrine/internal/testkit/apitest"
	"vitrine/internal/testkit/storetest"
)

// With --no-background requests work, and nothing is sent or applied by itself. A start without it continues.
func TestNoBackground_onlyRequestsWork(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, inst *installation) {
		p, shop := inst.FirstRun("--dev", "--no-background")
		receiver := startReceiver(t, shop, nil)
		g := gateClient{shop, t}
		g.OK(200, "POST", g.path("products"), `{"payload": [{"id": 1, "name": "Mug"}]}`) // emits exchange.completed
		async := g.OK(202, "POST", g.path("products"), `{"payload": [{"id": 2, "name": "Cup"}]}`,
			apitest.Header("Prefer", "respond-async")).Text("data.id")

		// A server with background work would have done both within this time.
		time.Sleep(2 * time.Second)
		if _, requests := receiver.count(); requests != 0 {
			t.Errorf("%d webhooks were sent", requests)
		}
		if status := g.run(async).Text("data.status"); status != "queued" {
			t.Errorf("the push in the background is %s", status)
		}

		for path, want := range map[string]string{"/readyz": `"background":"off"`,
			"/login": "Background work is off on this server"} {
			if status, body := p.GetAdmin(path); status != http.StatusOK || !strings.Contains(body, want) {
				t.Errorf("%s returns %d without %q", path, status, want)
			}
		}

		if text := loginPage(t, p, "ru"); !strings.Contains(text, "Фоновая работа на этом сервере отключена") {
			t.Error("the Russian page does not say that background work is off")
		}
		if !strings.Contains(p.Stdout.String(), "Background work is off") {
			t.Errorf("serve does not print that background work is off: %s", p.Stdout)
		}

		p.Signal(syscall.SIGTERM)
		if code := p.Wait(); code != 0 {
			t.Errorf("the program exits with %d", code)
		}

		p = inst.Serve("--dev")
		g = gateClient{p.Server(shop.Keys), t}
		if end := g.waitForEnd(async); end.Text("data.status") != "completed" {
			t.Errorf("the push in the background ends as %s", end.Body)
		}

		storetest.Eventually(t, "the webhooks of both pushes arrive", func() bool {
			events, _ := receiver.count()
			return events == 2
		})
		if _, body := p.GetAdmin("/readyz"); strings.Contains(body, "background") {
			t.Errorf("/readyz is %s", body)
		}
		if strings.Contains(loginPage(t, p, "en"), "Background work is off") {
			t.Error("the page says that background work is off")
		}
	})
}

func loginPage(t *testing.T, p *apitest.Process, language string) string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.AdminURL+"/login", nil)
	if err != nil {
		t.Fatal(err)
	}

	r.Header.Set("Accept-Language", language)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()

	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}

	return string(text)
}
