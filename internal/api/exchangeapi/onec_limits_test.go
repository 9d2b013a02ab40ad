package exchangeapi_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	stdcontext "context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"vitrine/internal/kit/config"
	"vitrine/internal/kit/database"
	"vitrine/internal/testkit/apitest"
	"vitrine/internal/testkit/promise"
)

// valueID returns an id as 1C writes it.
func valueID(n int) string { return fmt.Sprintf("%08x-5f0b-11ee-8c4b-0050569ebc3a", n) }

// valueName returns a name of a value, as long as the full names of 1C are.
func valueName(n int) string {
	return fmt.Sprintf("Значение номер %d, с полным наименованием из справочника номенклатуры", n)
}

// dictionaryOf returns a property with a dictionary of so many values.
func dictionaryOf(property, values int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "<Свойство><Ид>%s</Ид><Наименование>Свойство %d</Наименование>"+
		"<ТипЗначений>Справочник</ТипЗначений>"+
		"<ВариантыЗначений>", valueID(property), property)
	for i := range values {
		fmt.Fprintf(&b, "<Справочник><ИдЗначения>%s</ИдЗначения><Значение>%s</Значение></Справочник>",
			valueID(1000+i), valueName(i))
	}
	b.WriteString("</ВариантыЗначений></Свойство>")
	return b.String()
}

// Without VITRINE_PROVE it runs on SQLite only: a dictionary of this length takes seconds.
func TestCommerceML_importsADictionaryOf60000Values(t *testing.T) {
	promise.OnlyThorough(t)
	t.Parallel()
	each := eachOneCOnSQLite
	if promise.ProveAll() {
		each = eachOneC
	}

	each(t, func(c *oneC) {
		const values = 60_000
		c.exchange("import.xml", oneCDocument("<Классификатор><Ид>k</Ид><Свойства>"+dictionaryOf(1, values)+
			"</Свойства></Классификатор>"+`<Каталог СодержитТолькоИзменения="true"><Товары>`+
			good("p", "Стол", "<ЗначенияСвойств><ЗначенияСвойства><Ид>"+valueID(1)+"</Ид><Значение>"+
				valueID(1000+values-1)+
				"</Значение></ЗначенияСвойства></ЗначенияСвойств>")+"</Товары></Каталог>"))

		feature := c.Get("/v2/features").Text("data.0.id")
		if n := c.Get("/v2/features/" + feature + "/values").Text("meta.total"); n != fmt.Sprint(values) {
			c.t.Errorf("the feature has %s values, want %d", n, values)
		}

		want := valueName(values - 1)
		if name := c.product("p").Text("data.features.0.value.name"); name != want {
			c.t.Errorf("the product has the value %q, want %q", name, want)
		}
	})
}

// sendGzipped sends a compressed file of any length.
func (c *oneC) sendGzipped(name string, parts ...string) {
	c.t.Helper()
	query := url.Values{"type": {c.kind}, "mode": {"file"}, "filename": {name}}
	r := c.Do("POST", "/v2/sync-gate/commerceml?"+query.Encode(), string(gzipOf(c.t, true, parts...)),
		apitest.Header("Cookie", c.cookie), apitest.Header("Authorization", ""),
		apitest.Header("Content-Type", "application/octet-stream"), apitest.Header("Content-Encoding", "gzip"))
	if string(r.Body) != "success" {
		c.t.Fatalf("the file was not taken: %s", r.Body)
	}
}

// gzipOf compresses parts, each as often as it is there. Unless it is whole, the end of the file is missing.
func gzipOf(t *testing.T, whole bool, parts ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	for _, part := range parts {
		if _, err := io.WriteString(w, part); err != nil {
			t.Fatal(err)
		}
	}

	finish := w.Flush
	if whole {
		finish = w.Close
	}

	if err := finish(); err != nil {
		t.Fatal(err)
	}

	return b.Bytes()
}

// A file with long names of price types took gigabytes of memory and was stored as it came.
func TestCommerceML_boundsPriceTypes(t *testing.T) {
	promise.OnlyThorough(t)
	t.Parallel()
	eachOneC(t, func(c *oneC) {
		parts := []string{`<?xml version="1.0" encoding="UTF-8"?><КоммерческаяИнформация><ПакетПредложений><ТипыЦен>`}

		// A body may not be compressed to less than a 250th.
		var mixed strings.Builder
		for i := 0; mixed.Len() < 8<<20-100_000; i++ {
			fmt.Fprintf(&mixed, "%x", sha256.Sum256([]byte{byte(i), byte(i >> 8)}))
			mixed.WriteString(strings.Repeat("x", 5000))
		}

		name := mixed.String()
		for i := range 12 {
			parts = append(parts, fmt.Sprintf("<ТипЦены><Ид>t%d</Ид><Наименование>", i), name,
				"</Наименование></ТипЦены>")
		}

		parts = append(parts, "</ТипыЦен></ПакетПредложений></КоммерческаяИнформация>")
		c.begin().sendGzipped("offers.xml", parts...)
		c.apply("offers.xml")

		c.Write(func(ctx stdcontext.Context, q database.Querier) error {
			var stored int64
			err := database.QueryRow(ctx, q,
				"SELECT MAX(LENGTH(memory) + LENGTH(report)) FROM commerceml_stores WHERE store_id = $1",
				[]any{c.StoreID}, &stored)
			if stored == 0 || stored > 12*2*400 {
				c.t.Errorf("%d bytes are stored", stored)
			}
			return err
		})
	})
}

func TestCommerceML_refusesTreesOfManyElements(t *testing.T) {
	t.Parallel()
	eachOneC(t, func(c *oneC) {
		c.kind = "sale"
		c.begin()
		lines := c.want("failure", "file", oneCDocument("<Документ>"+strings.Repeat("<a/>", 200_000)+"</Документ>"),
			"filename", "orders.xml")
		if lines[1] != "An element of the file has more than 100000 elements inside it." {
			c.t.Errorf("the failure is %q", lines[1])
		}

		c.kind = "catalog"
		c.begin().send("offers.xml", offersFile("<Предложение>"+strings.Repeat("<a/>", 200_000)+"</Предложение>"))
		lines = c.want("failure", "import", nil, "filename", "offers.xml")
		if lines[1] != "An element of the file has more than 100000 elements inside it." {
			c.t.Errorf("the failure is %q", lines[1])
		}
	})
}

// Eight requests of 8 KB, whose clients never end them, held 1.6 GB.
func TestCommerceML_countsTheTreesOfSlowClients(t *testing.T) {
	t.Parallel()
	const memory = 512 << 20
	server := apitest.StartServer(t, "sqlite", apitest.WithConfig(func(c *config.Serve) { c.Memory = memory }))
	for name, elements := range map[string]int{"too many elements": 2_000_000, "many elements": 90_000} {
		t.Run(name, func(t *testing.T) {
			body := gzipOf(t, false, `<?xml version="1.0" encoding="UTF-8"?><КоммерческаяИнформация><Документ>`,
				strings.Repeat("<a/>", elements))
			head := "POST /v2/sync-gate/commerceml?type=sale&mode=file HTTP/1.1\r\nHost: x\r\nAuthorization: Basic " +
				base64.StdEncoding.EncodeToString([]byte("1c:"+server.Exchange)) +
				"\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
			const clients = 8
			failures := make(chan string, clients)
			for range clients {
				conn, err := net.Dial("tcp", strings.TrimPrefix(server.URL, "http://"))
				if err != nil {
					t.Fatal(err)
				}
				defer conn.Close()

				if _, err := fmt.Fprintf(conn, "%s%x\r\n%s\r\n", head, len(body), body); err != nil {
					t.Fatal(err)
				}

				go func() {
					if answer, err := http.ReadResponse(bufio.NewReader(conn), nil); err == nil {
						text, _ := io.ReadAll(answer.Body)
						failures <- string(text)
					}
				}()
			}

			// Requests that hold a tree wait for the rest. Another one is refused, until all that can be held is held.
			refused := <-failures
			if !strings.HasPrefix(refused, "failure\n") {
				t.Errorf("a request was answered %q", refused)
			}

			used := shareUsed(t, server, "bodies")
			if used > memory/16 {
				t.Errorf("the requests hold %d MiB of request bodies; a store may hold %d", used>>20, memory/16>>20)
			}
		})
	}
}

// shareUsed reads how much of a share of the memory is in use.
func shareUsed(t *testing.T, s *apitest.Server, share string) int64 {
	t.Helper()
	for line := range strings.Lines(s.Metrics()) {
		if value, found := strings.CutPrefix(line, `vitrine_memory_share_used_bytes{share="`+share+`"} `); found {
			n, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
			if err != nil {
				t.Fatal(err)
			}
			return int64(n)
		}
	}
	t.Fatalf("the share %s has no metric", share)
	return 0
}
