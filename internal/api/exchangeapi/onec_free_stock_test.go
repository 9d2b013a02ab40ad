package exchangeapi_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"

	"vitrine/internal/testkit/apitest"
	"vitrine/internal/testkit/promise"
)

// oneCShop is a shop whose stock and orders are exchanged with 1C.
type oneCShop struct {
	*oneC       // exchanges goods
	sale  *oneC // exchanges orders
	// stockOnly says that stock comes in files with nothing else, as rests.xml.
	stockOnly bool
}

// eachOneCShop runs a test with a shop in both forms in which 1C sends stock. Without VITRINE_PROVE, files with nothing
// but stock are tried on SQLite only: they are written by the same statements as those in offers.
func eachOneCShop(t *testing.T, fn func(s *oneCShop)) {
	t.Helper()
	for name, stockOnly := range map[string]bool{"offers": false, "rests": true} {
		each := eachOneC
		if stockOnly && !promise.ProveAll() {
			each = eachOneCOnSQLite
		}

		t.Run(name, func(t *testing.T) {
			each(t, func(c *oneC) {
				c.exchange("import.xml", goodsFile("true", good("p1", "Стол", "")))
				s := &oneCShop{oneC: c, stockOnly: stockOnly}
				s.sale = (&oneC{Server: c.Server, t: c.t, password: c.Exchange, kind: "sale"}).begin()
				s.exchange("offers.xml", offersFile(offer("p1", "Стол", "100", `<Количество>0</Количество>`)))
				fn(s)
			})
		})
	}
}

// stockFile returns a file with the stock of the good: a total, or warehouses and quantities.
func (s *oneCShop) stockFile(quantities ...any) string {
	text := fmt.Sprintf(`<Количество>%v</Количество>`, quantities[0])
	if len(quantities) > 1 {
		text = ""
		for i := 0; i < len(quantities); i += 2 {
			text += fmt.Sprintf(`<Склад ИдСклада="%v" КоличествоНаСкладе="%v"/>`, quantities[i], quantities[i+1])
		}
	}
	if s.stockOnly {
		return offersFile(offer("p1", "", "", text))
	}
	return offersFile(offer("p1", "Стол", "100", text))
}

// sendStock makes 1C send the stock of the good.
func (s *oneCShop) sendStock(quantities ...any) {
	s.t.Helper()
	s.exchange("rests.xml", s.stockFile(quantities...))
}

// order submits an order for the good and returns its id.
func (s *oneCShop) order(quantity int) string {
	s.t.Helper()
	variant := s.product("p1").Text("data.variants.0.id")
	id := s.OK(201, "POST", "/v2/orders", fmt.Sprintf(`{"items": [{"variant_id": %q, "quantity": %d}]}`, variant,
		quantity)).Text("data.id")
	s.OK(200, "POST", "/v2/orders/"+id+"/submit",
		`{"contact": {"name": "Анна", "phone": "+79990000000"}, "delivery": {"address": "Москва"}}`)
	return id
}

// wantStock requires what is available of the good, and what all stocks have of it and have reserved.
func (s *oneCShop) wantStock(what string, available, quantity, reserved int) {
	s.t.Helper()
	r := s.product("p1")
	number := func(path string) int {
		n, err := strconv.Atoi(r.Text("data.variants.0." + path))
		if err != nil {
			s.t.Fatal(err)
		}
		return n
	}
	got := [3]int{number("available")}
	for i := range r.Len("data.variants.0.remainders") {
		got[1] += number(fmt.Sprintf("remainders.%d.quantity", i))
		got[2] += number(fmt.Sprintf("remainders.%d.reserved", i))
	}

	if want := [3]int{available, quantity, reserved}; got != want {
		s.t.Errorf("%s: available, quantity and reserved are %v, want %v", what, got, want)
	}
}

func TestCommerceML_stockIsFreeOfTakenOrders(t *testing.T) {
	t.Parallel()
	eachOneCShop(t, func(s *oneCShop) {
		s.sendStock(10)
		s.wantStock("at first", 10, 10, 0)
		s.order(4)
		s.wantStock("after an order", 6, 10, 4)
		s.sendStock(10)
		s.wantStock("after the stock of a 1C that knows nothing of the order", 6, 10, 4)
		s.sale.query()
		s.sale.query()
		s.sendStock(10)
		s.wantStock("after two queries without success", 6, 10, 4)

		s.sale.take()
		s.wantStock("after success", 6, 10, 4)
		s.sendStock(6)
		s.wantStock("after the stock of a 1C that has the order", 6, 10, 4)
		s.sendStock(6)
		s.wantStock("after the same stock again", 6, 10, 4)

		s.sale.sendBack(utDocument(guid("01"), "1", "Проведен", "true", "Номер отгрузки по 1С", "ТДУТ-000031"))
		s.wantStock("after the shipment", 6, 6, 0)
		s.sendStock(6)
		s.wantStock("after the stock that follows the shipment", 6, 6, 0)
		s.sendStock(6)
		s.wantStock("after the same stock again", 6, 6, 0)
	})
}

func TestCommerceML_stockIsNotFreeOfOrdersThatWereNotTaken(t *testing.T) {
	t.Parallel()
	eachOneCShop(t, func(s *oneCShop) {
		s.sendStock(10)
		s.order(4)
		s.sale.take()
		s.order(3)
		s.sendStock(6)
		s.wantStock("with one order taken and one not", 3, 10, 7)
		s.sendStock(2)
		s.wantStock("with less stock than is reserved", 0, 6, 7)

		s.sale.take()
		s.sendStock(3)
		s.wantStock("with both orders taken", 3, 10, 7)
		s.sale.sendBack(utDocument(guid("01"), "1", "Номер отгрузки по 1С", "31"))
		s.wantStock("after the first is shipped", 3, 6, 3)
		s.sendStock(3)
		s.wantStock("and stock follows", 3, 6, 3)
	})
}

func TestCommerceML_stockIsFreeInEachWarehouse(t *testing.T) {
	t.Parallel()
	eachOneCShop(t, func(s *oneCShop) {
		s.sendStock("w1", 5, "w2", 5)
		s.order(7)
		s.wantStock("after an order from both", 3, 10, 7)
		s.sale.take()
		s.sendStock("w1", 0, "w2", 3)
		s.wantStock("after the stock of a 1C that has the order", 3, 10, 7)
		s.sendStock("w1", 1, "w2", 2)
		s.wantStock("after a transfer between warehouses", 3, 10, 7)
		s.sale.sendBack(utDocument(guid("01"), "1", "Номер отгрузки по 1С", "31"))
		s.wantStock("after the shipment", 3, 3, 0)
		s.sendStock("w1", 1, "w2", 2)
		s.wantStock("and stock follows", 3, 3, 0)
	})
}

func TestCommerceML_stockAfterATakenOrderIsCancelled(t *testing.T) {
	t.Parallel()
	eachOneCShop(t, func(s *oneCShop) {
		s.sendStock(10)
		s.order(4)
		second := s.order(1)
		s.sale.take()
		s.sendStock(5)
		s.wantStock("before", 5, 10, 5)

		s.sale.sendBack(utDocument(guid("01"), "1", "Отменен", "true"))
		s.wantStock("after 1C has cancelled", 9, 10, 1)
		s.sendStock(9)
		s.wantStock("and stock follows", 9, 10, 1)

		// 1C does not know of a cancellation here until it asks: until then its stock lacks the goods.
		s.OK(200, "POST", "/v2/orders/"+second+"/cancel", `{}`)
		s.wantStock("after the shop has cancelled", 10, 10, 0)
		s.sendStock(9)
		s.wantStock("after the same stock as before", 9, 9, 0)
		s.sale.take()
		s.sendStock(10)
		s.wantStock("once 1C knows", 10, 10, 0)
	})
}

// Files are recognized by their content, but an order changes what the same content means.
func TestCommerceML_theSameStockCountsAgainAfterAnOrder(t *testing.T) {
	t.Parallel()
	eachOneCShop(t, func(s *oneCShop) {
		s.sendStock(10)
		id := s.order(4)
		s.sale.take()
		s.sendStock(10) // four more have come
		s.wantStock("after the order was taken", 10, 14, 4)
		s.OK(200, "POST", "/v2/orders/"+id+"/confirm", `{}`)
		s.OK(200, "POST", "/v2/orders/"+id+"/complete", `{}`)
		s.wantStock("after the shop has completed it", 10, 10, 0)
		s.sendStock(10)
		s.wantStock("and stock follows", 10, 10, 0)
	})
}

func TestCommerceML_stockThatIsNotFree(t *testing.T) {
	t.Parallel()
	eachOneCShop(t, func(s *oneCShop) {
		if got := s.DoAdmin("GET", "/api/store/settings", nil).Text("data.commerceml.stock_is_free"); got != "true" {
			t.Errorf("the default of stock_is_free is %s", got)
		}

		s.settings(`{"stock_is_free": false}`)
		s.sendStock(10)
		s.order(4)
		s.sale.take()
		s.sendStock(6)
		s.wantStock("with all stock", 2, 6, 4)
		s.settings(`{"stock_is_free": true}`)
		s.sendStock(6)
		s.wantStock("with free stock, after the same file", 6, 10, 4)
		s.settings(`{"stock_is_free": false}`)
		s.sendStock(6)
		s.wantStock("with all stock again", 2, 6, 4)
	})
}

// What 1C sent before it had the order is not free of it, even if it is imported after that.
func TestCommerceML_stockThatCameBeforeSuccessIsNotFreeOfTheOrder(t *testing.T) {
	t.Parallel()
	eachOneCShop(t, func(s *oneCShop) {
		s.sendStock(20)
		s.order(4)

		for _, file := range []string{"rests.xml", "rests.zip"} {
			s.begin()

			if file == "rests.zip" {
				s.want("success", "file", zipped(t, "rests.xml", s.stockFile(12)), "filename", file)
			} else {
				s.send(file, s.stockFile(10))
			}

			s.sale.take()
			s.apply("rests.xml")

			if file == "rests.xml" {
				s.wantStock("after a file", 6, 10, 4)
				s.order(2)
			} else {
				s.wantStock("after an archive", 10, 16, 6)
			}
		}

		s.sendStock(12)
		s.wantStock("after the same stock, sent again", 12, 18, 6)
	})
}

func TestCommerceML_successThatBrokeOffIsRepeated(t *testing.T) {
	t.Parallel()

	eachOneCShop(t, func(s *oneCShop) {
		s.sendStock(10)
		first, second := s.order(4), s.order(3)
		s.sale.query()
		s.Write(func(ctx context, q database.Querier) error {
			return database.Exec(ctx, store.In(q, s.StoreID),
				"UPDATE orders SET taken = 1 WHERE store_id = $1 AND number = $2", 1)
		})
		s.sale.begin().wantOrders("after the program was killed during success", first, second)
		s.sale.take()
		s.sale.want("success", "success", nil)
		s.sale.wantOrders("after success")
		s.sendStock(3)
		s.wantStock("after success", 3, 10, 7)
	})
}

// Many orders are taken page by page.
func TestCommerceML_successTakesManyOrders(t *testing.T) {
	t.Parallel()
	eachOneC(t, func(c *oneC) {
		c.exchange("import.xml", goodsFile("true", good("p1", "Стол", "")))
		s := &oneCShop{oneC: c, sale: (&oneC{Server: c.Server, t: c.t, password: c.Exchange, kind: "sale"}).begin()}
		s.sendStock(1000)
		for range 250 {
			s.order(2)
		}
		s.sale.take()
		s.sendStock(500)
		s.wantStock("after 250 orders", 500, 1000, 500)
	}, apitest.Alone()) // 250 orders one after the other would wait for the writes of other tests
}

func TestCommerceML_stockOfAnotherStoreIsNotTouchedByTakenOrders(t *testing.T) {
	t.Parallel()
	eachOneCShop(t, func(s *oneCShop) {
		other := newOneC(s.t, s.WithKeys(s.Other))
		other.exchange("import.xml", goodsFile("true", good("p1", "Стол", "")))
		other.exchange("offers.xml", offersFile(offer("p1", "Стол", "100", `<Количество>0</Количество>`)))
		foreign := &oneCShop{oneC: other, stockOnly: s.stockOnly}
		foreign.sendStock(10)
		foreign.order(4)
		s.sendStock(10)
		s.order(1)
		s.sale.take()
		foreign.sendStock(6)
		foreign.wantStock("in a store whose orders were not taken", 2, 6, 4)
		s.sendStock(9)
		s.wantStock("in the store whose order was taken", 9, 10, 1)

		if got := strings.Join(s.sale.query(), " "); got != "" {
			t.Errorf("1C gets %s", got)
		}
	})
}
