package exchangeapi_test

import (
	"strings"
	"testing"

	"vitrine/internal/testkit/apitest"
)

// lastRun returns the last run of the token with its errors and warnings.
func (c *oneC) lastRun() *apitest.Response {
	c.t.Helper()
	id := c.Get("/v2/sync-gate/runs", apitest.As(c.Exchange)).Text("data.0.id")
	return c.Get("/v2/sync-gate/runs/"+id, apitest.As(c.Exchange))
}

func TestCommerceML_aFileWithOrdersIsARun(t *testing.T) {
	t.Parallel()
	eachOneC(t, func(c *oneC) {
		c = saleOneC(c)
		c.submit()
		c.submit()
		c.take()
		c.sendBack(
			utDocument(guid("01"), "1", "Проведен", "true"),
			utDocument(guid("77"), "77", "Проведен", "true"),
			utDocument("", "2"))

		r := c.lastRun()
		for path, want := range map[string]string{
			"entity": "orders", "status": "completed", "outcome": "with_errors", "received": "3", "created": "0",
			"updated": "1", "unchanged": "1", "failed": "1", "warnings": "0", "errors.0.index": "1",
			"errors.0.id": "77", "errors.0.code": "unknown_order",
		} {
			if got := r.Text("data." + path); got != want {
				c.t.Errorf("%s of the run is %q, want %q", path, got, want)
			}
		}

		c.want("failure", "file", oneCDocument("<Документ>")[:120], "filename", "orders.xml")
		if r := c.lastRun(); r.Text("data.status") != "failed" || r.Text("data.problem.code") != "malformed_xml" {
			c.t.Errorf("the run of a broken file is %s", r.Body)
		}
	})
}

func TestCommerceML_namesOfStates(t *testing.T) {
	t.Parallel()
	eachOneC(t, func(c *oneC) {
		c = saleOneC(c)
		ids := []string{c.submit(), c.submit(), c.submit(), c.submit()}
		c.take()
		c.settings(`{"states": {" Собран  складом ": "confirmed", "Отгружен": "confirmed"}}`)
		c.sendBack(
			utDocument(guid("01"), "1", "Статус заказа", "собран складом"),
			utDocument(guid("02"), "2", "Статус заказа", "[F] Выполнен"),
			utDocument(guid("03"), "3", "Статус заказа", "Финальный статус"),
			utDocument(guid("04"), "4", "Статус заказа", "Отгружен"))
		c.wantStates("by name", ids, "confirmed", "completed", "submitted", "confirmed")

		r := c.lastRun()
		if r.Text("data.warnings") != "1" || r.Text("data.warnings_list.0.code") != "unknown_state" ||
			r.Text("data.warnings_list.0.id") != "3" ||
			!strings.Contains(r.Text("data.warnings_list.0.message"), "Финальный статус") {
			c.t.Errorf("an unknown state is told as %s", r.Body)
		}

		settings := c.DoAdmin("GET", "/api/store/settings", nil)
		if got := settings.Text("data.commerceml.states.Собран складом"); got != "confirmed" {
			c.t.Errorf("the setting is %q", got)
		}

		for _, states := range []string{`{"X": "sold"}`, `{"": "completed"}`,
			`{"` + strings.Repeat("я", 256) + `": "completed"}`} {
			r := c.DoAdmin("PUT", "/api/store/settings", `{"commerceml": {"states": `+states+`}}`)
			if r.Status != 422 || !strings.Contains(string(r.Body), "commerceml.states") {
				c.t.Errorf("%.40s: %d %s", states, r.Status, r.Body)
			}
		}
	})
}

func TestCommerceML_infoListsTheStates(t *testing.T) {
	t.Parallel()
	eachOneC(t, func(c *oneC) {
		c = saleOneC(c)
		text := strings.Join(c.call("GET", "info", nil), "\n")
		for _, want := range []string{"<Справочник>", "<Статусы>", "<Ид>submitted</Ид>\n<Название>",
			"<Ид>confirmed</Ид>", "<Ид>completed</Ид>", "<Ид>cancelled</Ид>"} {
			if !strings.Contains(text, want) {
				c.t.Errorf("the answer lacks %s:\n%s", want, text)
			}
		}
	})
}

func TestCommerceML_warnsOfLinesThat1CHasChanged(t *testing.T) {
	t.Parallel()
	eachOneC(t, func(c *oneC) {
		c = saleOneC(c)
		c.submit()
		c.take()

		same := utDocument(guid("01"), "1")
		c.sendBack(same)
		if got := c.lastRun().Text("data.warnings"); got != "0" {
			c.t.Errorf("an unchanged order has %s warnings", got)
		}

		changed := strings.NewReplacer("<Количество>2<", "<Количество>3<", "1990.5<", "1800<").Replace(same)
		added := strings.Replace(changed, "<Товары>", `<Товары><Товар><Ид>p9</Ид><Наименование>Лампа</Наименование>`+
			`<ЦенаЗаЕдиницу>10</ЦенаЗаЕдиницу><Количество>1</Количество></Товар>`, 1)
		c.sendBack(added)
		r := c.lastRun()
		message := r.Text("data.warnings_list.0.message")
		if r.Text("data.warnings_list.0.code") != "line_changed" ||
			!strings.Contains(message, "2 × 1990.5 → 3 × 1800; Лампа: 0 → 1 × 10") {
			c.t.Errorf("the warning is %s", r.Body)
		}
	})
}
