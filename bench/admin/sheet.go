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
	"vitrine/internal/kit/database"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/view"
	"vitrine/internal/shop/store"
)

const (
	// sheetAim is how much longer the sheet may take than reading its products from the database.
	sheetAim = 2
)

// Sheet compares the sheet of products, which has up to 5,000 variants, with reading the same products and variants
// from the database.
func Sheet(ctx context.Context, e *harness.Environment) ([]harness.Figure, error) {
	return e.EachSizeInMemory(ctx, func(s *harness.Server, c *http.Client, n int) ([]harness.Figure, error) {
		cookie, err := signIn(ctx, s, c)
		if err != nil {
			return nil, err
		}
		rows, keys, bytes, err := readSheet(ctx, s, c, cookie)
		if err != nil {
			return nil, err
		}

		page := func() (time.Duration, error) {
			start := time.Now()
			err := getAdminPage(s, c, "/products/sheet", cookie)
			return time.Since(start), err
		}

		bare := func() (time.Duration, error) {
			start := time.Now()
			err := s.App.DB.Read(ctx, func(q database.Querier) error {
				for rest := keys; len(rest) > 0; {
					_, read, err := view.ReadRows(ctx, store.In(q, s.Keys.StoreID), rest, view.Parts{Variants: true},
						catalog.Live)
					if err != nil {
						return err
					}
					rest = rest[read:]
				}
				return nil
			})
			return time.Since(start), err
		}

		ours, raw, err := harness.MeasureAlternately(5, page, bare)
		ratio := ours.Seconds() / raw.Seconds()
		name := fmt.Sprintf("sheet of %s variants of %s products, %s KiB, %s in all", harness.FormatThousands(rows),
			harness.FormatThousands(len(keys)), harness.FormatThousands(bytes>>10), harness.FormatThousands(n))
		return []harness.Figure{{Name: name, Engine: e.Engine, Ours: ours.Round(time.Millisecond).String(),
			Raw: raw.Round(time.Millisecond).String(), Ratio: ratio, Aim: fmt.Sprintf("≤ %d", sheetAim),
			Met: ratio <= sheetAim}}, err
	})
}

// readSheet returns the number of rows that the sheet has, the keys of its products, and its size in bytes.
func readSheet(
	ctx context.Context, s *harness.Server, c *http.Client, cookie *http.Cookie,
) (rows int, keys []int64, bytes int, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.Admin+"/products/sheet", nil)
	if err != nil {
		return 0, nil, 0, err
	}
	request.AddCookie(cookie)
	response, err := c.Do(request)
	if err != nil {
		return 0, nil, 0, err
	}
	defer func() { _ = response.Body.Close() }()

	text, err := io.ReadAll(response.Body)
	if err != nil {
		return 0, nil, 0, err
	}
	_, rest, found := strings.Cut(string(text), `id="sheet-data">`)
	data, _, _ := strings.Cut(rest, "</script>")
	if !found {
		return 0, nil, 0, errors.New("the page has no sheet: " + response.Status)
	}

	var sheet struct {
		Rows []struct {
			Product int64 `json:"p"`
			First   bool  `json:"f"`
		} `json:"rows"`
	}
	if err := json.Unmarshal([]byte(data), &sheet); err != nil {
		return 0, nil, 0, err
	}
	for _, row := range sheet.Rows {
		if row.First {
			keys = append(keys, row.Product)
		}
	}

	return len(sheet.Rows), keys, len(text), nil
}
