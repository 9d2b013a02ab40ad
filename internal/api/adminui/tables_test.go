package adminui_test

import (
	"bytes"
	"net/url"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/kit/xlsx"
	"vitrine/internal/shop/access"
	"vitrine/internal/testkit/apitest"
	"vitrine/internal/testkit/blobtest"
)

// rowsOf returns the rows of an XLSX file.
func rowsOf(t *testing.T, file string) (rows [][]string) {
	t.Helper()
	book, err := xlsx.Open(strings.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	for row, err := range book.Rows("") {
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, append([]string{}, row.Cells...))
	}
	return rows
}

// The list of products comes as a table that changes nothing when it is uploaded, also of products that were made here.
func TestProducts_areDownloadedAndUploadedAgain(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		as := apitest.As(s.store.SecretKey)
		s.createShirts("=Shirt", "-5")
		long := strings.Repeat("я", 40_000)
		lamp := s.OK(201, "POST", "/v2/products", map[string]any{"name": "Lamp", "description": long,
			"variants": []any{map[string]any{"sku": "L-1", "price": 5}, map[string]any{"sku": "L-2", "price": 6.5}}},
			as).Text("data.id")
		v := s.owner()
		v.upload("/products/"+lamp+"/images", blobtest.EncodePNG(20, 20, 9)).wantStatus(303)

		viewer := s.signIn(s.newOperator(access.Viewer), apitest.OperatorPassword)
		read := viewer.post("/products/download", url.Values{"format": {"csv"}}).wantStatus(200)
		if !strings.Contains(read.text, "Lamp") || strings.Count(read.text, "\n") < 4 {
			t.Errorf("the file of a viewer is %q", read.text)
		}
		v.get("/settings/log").omits("Ids for accounting given")

		v.post("/products/download", url.Values{"format": {"pdf"}}).wantStatus(400)
		csv := v.post("/products/download", url.Values{"format": {"csv"}}).wantStatus(200)
		if got := csv.Header.Get("Content-Disposition"); !strings.Contains(got, `filename="products-`) {
			t.Errorf("Content-Disposition is %q", got)
		}
		if !strings.Contains(csv.text, "'=Shirt") || !strings.Contains(csv.text, "'-5") {
			t.Errorf("the file has formulas: %.300q", csv.text)
		}
		book := v.post("/products/download", url.Values{"format": {"xlsx"}, "selection": {"q=lamp"}}).wantStatus(200)
		rows := rowsOf(t, book.text)
		if len(rows) != 3 || rows[0][0] != "id" || !slices.Contains(rows[0], "images_mode") || rows[1][1] != "Lamp" ||
			rows[2][1] != "" {
			t.Errorf("the workbook is %.300q", rows)
		}
		if strings.Contains(book.text, "яяя") || len(strings.Join(rows[1], "")) > 5000 {
			t.Error("a text that no workbook can have is cut")
		}

		for name, file := range map[string]string{"products.csv": csv.text, "products.xlsx": book.text} {
			run := v.sendFile("products", name, file).wantStatus(303).Header.Get("Location")
			v.eventuallyShows(run, "The shop has all of the file already").omits("Apply the file")
		}
	})
}

// Customers come as a table with what the list shows, and the download is in the log.
func TestCustomers_areDownloaded(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		p := s.createShirts("Shirt", "S")
		p.order(1, "@Anna", "anna@example.com")
		p.order(2, "Boris", "boris@example.com")
		v := s.owner()
		v.eventuallyShows("/customers", "Anna").contains("/customers.csv", "/customers.xlsx", "Boris")

		csv := v.get("/customers.csv").wantStatus(200).contains("'@Anna", "anna@example.com", ",39,")
		if !strings.HasPrefix(csv.text, "\ufeffName,") {
			t.Errorf("the file is %q", csv.text)
		}
		rows := rowsOf(t, v.get("/customers.xlsx?q=anna").wantStatus(200).text)
		if len(rows) != 2 || rows[1][0] != "@Anna" || rows[1][8] != "19.5" {
			t.Errorf("the workbook is %q", rows)
		}
		s.wantAudit("customers.downloaded", "customers.downloaded")

		stranger := &client{fixture: s}
		stranger.get("/customers.csv").wantStatus(303).omits("Anna")
	})
}

// Orders come as a workbook with the columns of the CSV file.
func TestOrders_areDownloadedAsWorkbook(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		p := s.createShirts("=Shirt", "-5")
		p.order(2, "@Anna", "anna@example.com")
		file := s.owner().get("/orders.xlsx").wantStatus(200)
		if !bytes.HasPrefix([]byte(file.text), []byte("PK")) || file.Header.Get("Content-Type") != xlsx.MediaType {
			t.Errorf("the type is %s", file.Header.Get("Content-Type"))
		}
		rows := rowsOf(t, file.text)
		if len(rows) != 2 || rows[0][0] != "Number" || rows[1][3] != "@Anna" || rows[1][10] != "39" ||
			!strings.HasPrefix(rows[1][9], "=Shirt") {
			t.Errorf("the workbook is %q", rows)
		}
	})
}
