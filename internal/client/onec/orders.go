package onec

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"golang.org/x/text/encoding/charmap"

	"vitrine/internal/kit/fault"
)

// Order is an order as the site gives it to 1C.
type Order struct {
	ID         string      `xml:"Ид"`
	Number     string      `xml:"Номер"`
	Date       string      `xml:"Дата"`
	Operation  string      `xml:"ХозОперация"`
	Currency   string      `xml:"Валюта"`
	Total      string      `xml:"Сумма"`
	Customer   string      `xml:"Контрагенты>Контрагент>Наименование"`
	Lines      []OrderLine `xml:"Товары>Товар"`
	Requisites []Requisite `xml:"ЗначенияРеквизитов>ЗначениеРеквизита"`
}

// OrderLine is a line of an Order. ID is the id of the offer.
type OrderLine struct {
	ID       string `xml:"Ид"`
	Name     string `xml:"Наименование"`
	Price    string `xml:"ЦенаЗаЕдиницу"`
	Quantity string `xml:"Количество"`
	Total    string `xml:"Сумма"`
}

// Requisite is a named value of a document.
type Requisite struct {
	Name  string `xml:"Наименование"`
	Value string `xml:"Значение"`
}

// Orders fetches the orders that the site has for 1C and passes each to fn. With confirm, it tells the site that they
// are stored, so that the site does not give them again.
func (s Site) Orders(ctx context.Context, confirm bool, fn func(Order) error) error {
	session, err := s.Begin(ctx, "sale", "")
	if err != nil {
		return err
	}
	if err := session.Query(ctx, fn); err != nil || !confirm {
		return err
	}
	_, err = session.call(ctx, "success", nil)
	return err
}

// Query fetches the orders and passes each to fn.
func (s *Session) Query(ctx context.Context, fn func(Order) error) error {
	started := time.Now()
	resp, described, err := s.open(ctx, http.MethodGet, "query", nil, nil, 0)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()

	body := &countingReader{r: resp.Body}
	if !strings.Contains(resp.Header.Get("Content-Type"), "xml") {
		text, err := io.ReadAll(io.LimitReader(body, maxResponseBytes))
		lines := responseLines(text)
		s.tell(Turn{Request: described, Received: body.n, Response: lines, Duration: time.Since(started)})
		if err != nil {
			return err
		}
		return wantSuccess("query", lines)
	}

	err = readOrders(body, fn)
	s.tell(Turn{Request: described, Received: body.n, Duration: time.Since(started)})
	return err
}

type countingReader struct {
	r io.Reader
	n int64
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

// readOrders reads the documents one by one. The whole response may be of any size.
func readOrders(r io.Reader, fn func(Order) error) error {
	d := xml.NewDecoder(r)
	d.CharsetReader = func(charset string, in io.Reader) (io.Reader, error) {
		if strings.EqualFold(charset, "windows-1251") {
			return charmap.Windows1251.NewDecoder().Reader(in), nil
		}
		return nil, fault.New(fault.Invalid, "unknown_charset", "1C does not read XML in %s.", charset)
	}
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fault.New(fault.Conflict, "invalid_orders", "The orders are not a valid XML document.").Because(err)
		}

		start, ok := token.(xml.StartElement)
		if !ok || start.Name.Local != "Документ" {
			continue
		}

		var o Order
		if err := d.DecodeElement(&o, &start); err != nil {
			return fault.New(fault.Conflict, "invalid_orders", "An order is not valid.").Because(err)
		}
		if err := fn(o); err != nil {
			return err
		}
	}
}

// State is the state of an order in 1C.
type State struct {
	OrderID, Number string
	// Name is the requisite Статус заказа; "" leaves it out.
	Name string
	// Posted and Deleted are the requisites Проведен and ПометкаУдаления.
	Posted, Deleted bool
	// Payment and Shipment are the numbers of the payment and of the shipment in 1C; "" if there is none.
	Payment, Shipment string
	// Lines are the lines of the order, which 1C:УТ 11 sends back.
	Lines []OrderLine
}

// PostedState returns an order as 1C:УТ 11 sends it back: under an id of 1C, without the name of a state. step is how
// far 1C is with it: posted, paid, shipped or cancelled.
func PostedState(o Order, step string) (State, error) {
	s := State{OrderID: documentID(o.Number), Number: o.Number, Posted: true, Lines: o.Lines}

	switch step {
	case "posted":
	case "paid":
		s.Payment = "ПП-" + o.Number
	case "shipped":
		s.Payment = "ПП-" + o.Number
		s.Shipment = "РТУ-" + o.Number
	case "cancelled":
		s.Posted = false
		s.Deleted = true
	default:
		return s, fault.New(fault.Invalid, "unknown_state",
			"In the style %s an order is posted, paid, shipped or cancelled; %q is none of them.", UT11, step)
	}
	return s, nil
}

// documentID returns the id that an order has in 1C, which is not the site's.
func documentID(number string) string {
	n, _ := strconv.Atoi(number) // another number is 0
	return fmt.Sprintf("0dde0000-0000-4000-8000-%012x", n)
}

// SendStates sends the states of orders to the site, in a session of its own.
func (s Site) SendStates(ctx context.Context, states []State) error {
	session, err := s.Begin(ctx, "sale", "")
	if err != nil {
		return err
	}
	document, err := marshalStates(states)
	if err != nil {
		return err
	}
	return session.Upload(ctx, "orders.xml", bytes.NewReader(document))
}

type statesDocument struct {
	XMLName   xml.Name        `xml:"КоммерческаяИнформация"`
	Version   string          `xml:"ВерсияСхемы,attr"`
	CreatedAt string          `xml:"ДатаФормирования,attr"`
	Documents []stateDocument `xml:"Документ"`
}

type stateDocument struct {
	ID         string      `xml:"Ид"`
	Number     string      `xml:"Номер"`
	Operation  string      `xml:"ХозОперация"`
	Lines      []OrderLine `xml:"Товары>Товар,omitempty"`
	Requisites []Requisite `xml:"ЗначенияРеквизитов>ЗначениеРеквизита"`
}

func marshalStates(states []State) ([]byte, error) {
	d := statesDocument{Version: "2.09", CreatedAt: time.Now().Format("2006-01-02T15:04:05")}
	for _, state := range states {
		one := stateDocument{ID: state.OrderID, Number: state.Number, Operation: "Заказ товара", Lines: state.Lines}
		if state.Name != "" {
			one.Requisites = append(one.Requisites, Requisite{"Статус заказа", state.Name})
		}

		one.Requisites = append(one.Requisites,
			Requisite{"Проведен", yesNo(state.Posted)}, Requisite{"ПометкаУдаления", yesNo(state.Deleted)})
		for _, r := range []Requisite{
			{"Номер оплаты по 1С", state.Payment}, {"Номер отгрузки по 1С", state.Shipment},
		} {
			if r.Value != "" {
				one.Requisites = append(one.Requisites, r)
			}
		}
		d.Documents = append(d.Documents, one)
	}
	body, err := xml.MarshalIndent(d, "", "\t")
	return append([]byte(xml.Header), body...), err
}

func yesNo(b bool) string {
	if b {
		return "true"
	}
	return "false"
}
