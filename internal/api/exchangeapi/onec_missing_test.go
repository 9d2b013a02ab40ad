package exchangeapi_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine/internal/testkit/apitest"
	"vitrine/internal/testkit/storetest"
)

// eachMissing runs a test on a server of its own, since it moves the clock, in a store that archives missing goods.
func eachMissing(t *testing.T, fn func(c *oneC)) {
	t.Helper()
	t.Parallel()
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			c := newOneC(t, apitest.StartServer(t, engine, apitest.Alone()))
			c.settings(`{"missing": "archive", "price_type": "retail"}`)
			fn(c)
		})
	}
}

// silence lets time pass in which 1C sends nothing, and ends the packages that are due.
func (c *oneC) silence(d time.Duration) {
	c.t.Helper()
	c.Clock.Advance(d)
	if err := c.App.OneC.EndPackages(c.t.Context()); err != nil {
		c.t.Fatal(err)
	}
}

// live returns the external ids of the live products.
func (c *oneC) live() string {
	c.t.Helper()
	ids := c.Get("/v2/products?per_page=100").Texts("data", "external_id")
	slices.Sort(ids)
	return strings.Join(ids, " ")
}

func (c *oneC) wantLive(what, want string) {
	c.t.Helper()
	if got := c.live(); got != want {
		c.t.Errorf("%s: the live products are %s, want %s", what, got, want)
	}
}

// waitLive waits until the run that archives missing goods has done it.
func (c *oneC) waitLive(what, want string) {
	c.t.Helper()
	storetest.Eventually(c.t, what+": the live products are "+want, func() bool { return c.live() == want })
}

// waitRefused waits for the run that refuses to archive, and returns its message.
func (c *oneC) waitRefused() (message string) {
	c.t.Helper()
	storetest.Eventually(c.t, "a run is refused", func() bool {
		r := c.Get("/v2/sync-gate/runs", apitest.As(c.Exchange))
		if !r.Has("data.0.problem.code") {
			return false
		}
		message = r.Text("data.0.problem.message")
		return r.Text("data.0.problem.code") == "archive_refused"
	})
	return message
}

// catalogFile returns a file of goods of a catalogue.
func catalogFile(catalog, flag string, ids ...string) string {
	text := `<Каталог СодержитТолькоИзменения="` + flag + `"><Ид>` + catalog + `</Ид><Товары>`
	for _, id := range ids {
		text += good(id, "Товар "+id, "")
	}
	return oneCDocument(text + `</Товары></Каталог>`)
}

// packetFile returns a packet of offers of a catalogue. An id is that of an offer, such as p#a.
func packetFile(catalog, flag string, ids ...string) string {
	text := `<ПакетПредложений СодержитТолькоИзменения="` + flag + `"><Ид>` + catalog + `#</Ид><ИдКаталога>` + catalog +
		`</ИдКаталога><Предложения>`
	for _, id := range ids {
		_, size, _ := strings.Cut(id, "#")
		characteristics := []string{}
		if size != "" {
			characteristics = []string{"Размер", size}
		}
		text += offer(id, "Товар "+id, "5", "<Количество>1</Количество>", characteristics...)
	}
	return oneCDocument(text + `</Предложения></ПакетПредложений>`)
}

// numbered returns the ids from p01 on.
func numbered(from, to int) (ids []string) {
	for i := from; i <= to; i++ {
		ids = append(ids, fmt.Sprintf("p%02d", i))
	}
	return ids
}

// 1C:УТ 11 sends each portion in a session of its own. Only the first one says that the catalogue is full.
func TestCommerceMLMissing_portionsOfAFullCatalogue(t *testing.T) {
	eachMissing(t, func(c *oneC) {
		all := strings.Join(numbered(1, 10), " ")

		send := func(flags [3]string, portions ...[]string) {
			for i, ids := range portions {
				c.exchange("import.xml", catalogFile("cat", flags[i], ids...), "offers.xml",
					packetFile("cat", flags[i], ids...))
				c.wantLive(fmt.Sprintf("after portion %d", i+1), all)
				c.silence(29 * time.Minute)
				c.wantLive(fmt.Sprintf("in the silence after portion %d", i+1), all)
			}
		}

		c.exchange("import.xml", catalogFile("cat", "true", numbered(1, 10)...))
		send([3]string{"false", "true", "true"}, numbered(1, 4), numbered(5, 8), numbered(9, 10))
		c.silence(2 * time.Minute)
		c.wantLive("all goods have come", all)

		send([3]string{"false", "true", "true"}, numbered(1, 4), numbered(5, 8), numbered(9, 9))
		c.silence(2 * time.Minute)
		c.waitLive("p10 is missing", strings.Join(numbered(1, 9), " "))
		storetest.Eventually(c.t, "a run has archived one good", func() bool {
			r := c.Get("/v2/sync-gate/runs", apitest.As(c.Exchange))
			return r.Text("data.0.archived") == "1" && r.Text("data.0.status") == "completed"
		})

		c.exchange("import.xml", catalogFile("cat", "true", "p10"))
		c.wantLive("it came again", all)
		c.silence(time.Hour)
		c.wantLive("a catalogue of changes has nothing missing", all)
	})
}

// Each file says that the catalogue is full, and all of them are one package.
func TestCommerceMLMissing_severalFullFilesAreOnePackage(t *testing.T) {
	eachMissing(t, func(c *oneC) {
		c.exchange("import.xml", catalogFile("cat", "true", numbered(1, 10)...))
		c.exchange("import0_1.xml", catalogFile("cat", "false", numbered(1, 5)...), "import0_2.xml",
			catalogFile("cat", "false", numbered(6, 7)...))
		c.silence(20 * time.Minute)
		c.exchange("import0_1.xml", catalogFile("cat", "false", numbered(8, 9)...))
		c.silence(29 * time.Minute)
		c.wantLive("before the end", strings.Join(numbered(1, 10), " "))
		c.silence(2 * time.Minute)
		c.waitLive("after the end", strings.Join(numbered(1, 9), " "))
	})
}

func TestCommerceMLMissing_otherCataloguesAreNotTouched(t *testing.T) {
	eachMissing(t, func(c *oneC) {
		other := strings.Split("a01 a02 a03 a04 a05 a06 a07 a08 a09 a10", " ")
		c.exchange("import.xml", catalogFile("one", "false", numbered(1, 10)...))
		c.exchange("import.xml", catalogFile("two", "false", other...))
		c.silence(31 * time.Minute)

		c.exchange("import.xml", catalogFile("one", "false", numbered(1, 8)...))
		c.silence(31 * time.Minute)
		c.waitLive("two of ten goods of the first catalogue",
			strings.Join(append(slices.Clone(other), numbered(1, 8)...), " "))

		// 2 of 8 are more than a fifth, although they are few of all 18.
		c.exchange("import.xml", catalogFile("one", "false", numbered(1, 6)...))
		c.silence(31 * time.Minute)

		if got := c.waitRefused(); got != "2 of the 8 goods of the catalogue are missing from the full package of "+
			"1C, more than a fifth. None of them was archived." {
			c.t.Errorf("the run says %q", got)
		}

		// A good that moves to another catalogue is not missing from the first.
		c.exchange("import.xml", catalogFile("two", "true", "p08"))
		c.exchange("import.xml", catalogFile("one", "false", numbered(1, 6)...))
		c.silence(31 * time.Minute)
		c.waitLive("p07 is missing, p08 has moved",
			strings.Join(append(slices.Clone(other), append(numbered(1, 6), "p08")...), " "))
	})
}

func TestCommerceMLMissing_completeEndsThePackage(t *testing.T) {
	eachMissing(t, func(c *oneC) {
		c.exchange("import.xml", catalogFile("cat", "true", numbered(1, 10)...))
		c.exchange("import.xml", catalogFile("cat", "false", numbered(1, 9)...))
		c.want("success", "complete", nil)
		c.waitLive("complete", strings.Join(numbered(1, 9), " "))
		c.want("success", "complete", nil)
		c.silence(time.Hour)
		if n := len(c.Get("/v2/sync-gate/runs", apitest.As(c.Exchange)).Texts("data", "id")); n != 3 {
			c.t.Errorf("there are %d runs, want 3: two files and one end", n)
		}
	})
}

func TestCommerceMLMissing_theSettingSaysHowLongTheSilenceIs(t *testing.T) {
	eachMissing(t, func(c *oneC) {
		c.settings(`{"package_minutes": 5}`)
		c.exchange("import.xml", catalogFile("cat", "true", numbered(1, 10)...))
		c.exchange("import.xml", catalogFile("cat", "false", numbered(1, 9)...))
		c.silence(4 * time.Minute)
		c.wantLive("4 minutes", strings.Join(numbered(1, 10), " "))
		c.silence(time.Minute)
		c.waitLive("5 minutes", strings.Join(numbered(1, 9), " "))
	})
}

// A portion that is being sent, or waits to be imported, is no silence.
func TestCommerceMLMissing_filesThatComeAreNoSilence(t *testing.T) {
	eachMissing(t, func(c *oneC) {
		c.exchange("import.xml", catalogFile("cat", "true", numbered(1, 10)...))
		c.exchange("import.xml", catalogFile("cat", "false", numbered(1, 5)...))
		c.Clock.Advance(29 * time.Minute)
		c.begin()
		c.send("import.xml", catalogFile("cat", "true", numbered(6, 9)...))
		c.silence(29 * time.Minute)
		c.wantLive("a file has come", strings.Join(numbered(1, 10), " "))
		c.apply("import.xml")
		c.silence(31 * time.Minute)
		c.waitLive("it was imported", strings.Join(numbered(1, 9), " "))
	})
}

// An offer that a full package no longer has is archived, if its good is there and the offers are full, too.
func TestCommerceMLMissing_offers(t *testing.T) {
	eachMissing(t, func(c *oneC) {
		goods := numbered(1, 2)
		var offers []string
		for _, size := range strings.Fields("a b c d e") {
			offers = append(offers, "p01#"+size, "p02#"+size)
		}

		slices.Sort(offers)
		variants := func(id string) string {
			return strings.Join(c.product(id).Texts("data.variants", "external_id"), " ")
		}
		want := func(what, first, second string) {
			c.t.Helper()
			storetest.Eventually(c.t, what+": the variants are "+first+" and "+second,
				func() bool { return variants("p01") == first && variants("p02") == second })
		}
		all1 := "p01#a p01#b p01#c p01#d p01#e"
		all2 := "p02#a p02#b p02#c p02#d p02#e"
		c.exchange("import.xml", catalogFile("cat", "true", goods...), "offers.xml",
			packetFile("cat", "true", offers...))

		c.exchange("import.xml", catalogFile("cat", "false", goods...), "offers.xml",
			packetFile("cat", "true", offers[:8]...))
		c.silence(31 * time.Minute)
		c.exchange("import.xml", catalogFile("cat", "true", goods...)) // imported after the end
		want("offers that are only changes", all1, all2)

		c.exchange("import.xml", catalogFile("cat", "false", goods...), "offers.xml",
			packetFile("cat", "false", offers[:8]...))
		c.silence(31 * time.Minute)
		want("two of ten", all1, "p02#a p02#b p02#c")

		if available := c.product("p02").Text("data.available"); available != "3" {
			c.t.Errorf("%s are available, want 3", available)
		}

		c.exchange("import.xml", catalogFile("cat", "false", goods...), "offers.xml",
			packetFile("cat", "false", offers[:5]...))
		c.silence(31 * time.Minute)
		storetest.Eventually(c.t, "a run warns", func() bool { return c.runs(1)[0] == "products 0 0 1 0 1" })

		if got := c.warnings("products", "archive_refused"); len(got) != 1 ||
			got[0] != "3 of the 8 offers of the catalogue are missing from the full package of 1C, "+
				"more than a fifth. None of them was archived." {
			c.t.Errorf("the warnings are %q", got)
		}

		want("three of eight", all1, "p02#a p02#b p02#c")

		c.exchange("import.xml", catalogFile("cat", "false", goods...), "offers.xml",
			packetFile("cat", "false", offers...))
		want("they came again", all1, all2)
	})
}

// The state of a package is in the database: another node ends it, and only one of two does.
func TestCommerceMLMissing_anotherNodeEndsThePackage(t *testing.T) {
	eachMissing(t, func(c *oneC) {
		c.exchange("import.xml", catalogFile("cat", "true", numbered(1, 10)...))
		c.exchange("import.xml", catalogFile("cat", "false", numbered(1, 5)...))
		c.Server.Stop()
		c.Server = c.Server.StartNode()
		c.exchange("import.xml", catalogFile("cat", "true", numbered(6, 9)...))
		c.Clock.Advance(31 * time.Minute)
		errs := make(chan error)

		for range 2 {
			go func() { errs <- c.App.OneC.EndPackages(c.t.Context()) }()
		}

		for range 2 {
			if err := <-errs; err != nil {
				c.t.Error(err)
			}
		}

		c.waitLive("after the end", strings.Join(numbered(1, 9), " "))
		if n := len(c.Get("/v2/sync-gate/runs", apitest.As(c.Exchange)).Texts("data", "id")); n != 4 {
			c.t.Errorf("there are %d runs, want 4: three files and one end", n)
		}
	})
}

// The goods of a portion that could not be imported are not known, so none counts as missing.
func TestCommerceMLMissing_afterAFailedPortionNothingIsArchived(t *testing.T) {
	eachMissing(t, func(c *oneC) {
		const why = "A file of the full package of 1C could not be imported, " +
			"so it is not known which goods are missing. Nothing was archived. Send all goods again."
		all := strings.Join(numbered(1, 10), " ")
		broken := strings.TrimSuffix(catalogFile("cat", "true", numbered(5, 6)...), "</КоммерческаяИнформация>")
		sendBroken := func() {
			c.begin()
			c.send("import.xml", broken)
			c.want("failure", "import", nil, "filename", "import.xml")
		}
		c.exchange("import.xml", catalogFile("cat", "true", numbered(1, 10)...))

		c.exchange("import.xml", catalogFile("cat", "false", numbered(1, 4)...))
		sendBroken()
		c.exchange("import.xml", catalogFile("cat", "true", numbered(7, 10)...))
		c.silence(31 * time.Minute)

		if got := c.waitRefused(); got != why {
			c.t.Errorf("the run says %q", got)
		}

		c.wantLive("after a failed portion", all)

		c.exchange("import0_1.xml", catalogFile("cat", "false", numbered(1, 9)...))
		c.send("import0_2.xml", broken)
		c.want("failure", "import", nil, "filename", "import0_2.xml")

		if lines := c.want("failure", "deactivate", nil); !slices.Contains(lines, why) {
			c.t.Errorf("deactivate says %q", lines)
		}

		c.wantLive("after a failed file of the exchange", all)

		sendBroken() // no package is open
		c.exchange("import.xml", catalogFile("cat", "false", numbered(1, 9)...))
		c.silence(31 * time.Minute)
		c.waitLive("the next package is whole", strings.Join(numbered(1, 9), " "))
	})
}
