package admin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"vitrine/bench/harness"
)

const (
	// sheetAim is how much longer the sheet may take than the API calls that return the same products.
	sheetAim = 1.5
	// sheetProducts is the number of products of one API call.
	sheetProducts = 100
)

// Sheet compares the sheet of products, which has up to 5,000 variants, with the calls of the API that return the same
// products and variants, one after the other.
func Sheet(ctx context.Context, e *harness.Environment) ([]harness.Figure, error) {
	return e.EachSizeInMemory(ctx, func(s *harness.Server, c *http.Client, n int) ([]harness.Figure, error) {
		cookie, err := signIn(ctx, s, c)
		if err != nil {
			return nil, err
		}
		rows, products, bytes, err := readSheet(ctx, s, c, cookie)
		if err != nil {
			return nil, err
		}

		page := func() (time.Duration, error) {
			start := time.Now()
			err := getAdminPage(s, c, "/products/sheet", cookie)
			return time.Since(start), err
		}

		calls := func() (time.Duration, error) {
			start := time.Now()
			for number := range (products + sheetProducts - 1) / sheetProducts {
				path := fmt.Sprintf("/v2/products?with=variants&sort=-created_at&per_page=%d&page=%d", sheetProducts,
					number+1)
				if _, err := harness.TimeRequests(c, func() string { return s.URL + path }, s.Keys.SecretKey, 0,
					1); err != nil {
					return 0, err
				}
			}
			return time.Since(start), nil
		}

		ours, raw, err := harness.MeasureAlternately(5, page, calls)
		ratio := ours.Seconds() / raw.Seconds()
		name := fmt.Sprintf("sheet of %s variants of %s products, %s KiB, %s in all",
			harness.FormatThousands(rows), harness.FormatThousands(products), harness.FormatThousands(bytes>>10), harness.FormatThousands(n))
		return []harness.Figure{{Name: name, Engine: e.Engine, Ours: ours.Round(time.Millisecond).String(),
			Raw: raw.Round(time.Millisecond).String(), Ratio: ratio, Aim: fmt.Sprintf("≤ %.1f", sheetAim),
			Met: ratio <= sheetAim}}, err
	})
}

// readSheet returns the number of rows and of products that the sheet has, and its size in bytes.
func readSheet(
	ctx context.Context, s *harness.Server, c *http.Client, cookie *http.Cookie,
) (rows, products, bytes int, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.Admin+"/products/sheet", nil)
	if err != nil {
		return 0, 0, 0, err
	}
	request.AddCookie(cookie)
	response, err := c.Do(request)
	if err != nil {
		return 0, 0, 0, err
	}
	defer func() { _ = response.Body.Close() }()

	text, err := io.ReadAll(response.Body)
	if err != nil {
		return 0, 0, 0, err
	}
	_, rest, found := strings.Cut(string(text), `id="sheet-data">`)
	data, _, _ := strings.Cut(rest, "</script>")
	if !found {
		return 0, 0, 0, errors.New("the page has no sheet: " + response.Status)
	}

	var sheet struct {
		Rows []struct {
			First bool `json:"f"`
		} `json:"rows"`
	}
	if err := json.Unmarshal([]byte(data), &sheet); err != nil {
		return 0, 0, 0, err
	}
	for _, row := range sheet.Rows {
		if row.First {
			products++
		}
	}

	return len(sheet.Rows), products, len(text), nil
}
