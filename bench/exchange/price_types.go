package exchange

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"vitrine/bench/harness"
	"vitrine/internal/client/onec"
)

const (
	// manyPriceTypes is the number of price types that are compared with one.
	manyPriceTypes = 5
	// accountingSchema is the version of CommerceML: goods are one file, and offers with prices and stock another one.
	accountingSchema = "2.08"
)

// PriceTypes measures an exchange with 1C:УТ 11 that has five price types, against one that has a single one. Then each
// comes again unchanged, and is compared with its first time. The catalogue is that of `vitrine 1c`: complete lists of
// stock, properties, units, VAT rates, barcodes, three offers of each good.
func PriceTypes(ctx context.Context, e *harness.Environment) ([]harness.Figure, error) {
	var figures []harness.Figure
	for _, n := range e.Pushes.Sizes {
		more, err := measurePriceTypes(ctx, e, n)
		if err != nil {
			return nil, fmt.Errorf("%s goods: %w", harness.FormatThousands(n), err)
		}
		figures = append(figures, more...)
	}
	return figures, nil
}

// repeatedExchange has the times of an exchange and of the same one again.
type repeatedExchange struct {
	first, again time.Duration
}

func measurePriceTypes(ctx context.Context, e *harness.Environment, n int) (_ []harness.Figure, err error) {
	fresh, drop, err := e.FreshEnvironment(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, drop()) }()

	p, stores, err := fresh.StartGate(ctx, 3)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.Stop()) }()

	warmUp, err := generatedArchive(fresh.Dir, harness.WarmUpProducts, manyPriceTypes)
	if err != nil {
		return nil, err
	}
	if _, err := exchangeAccounting(ctx, stores[0], warmUp); err != nil {
		return nil, err
	}

	one, err := exchangeTwice(ctx, fresh, stores[1], n, 1)
	if err != nil {
		return nil, err
	}
	many, err := exchangeTwice(ctx, fresh, stores[2], n, manyPriceTypes)
	if err != nil {
		return nil, err
	}

	line := func(what string, ours, against time.Duration, name string, aim float64) harness.Figure {
		ratio := against.Seconds() / ours.Seconds()
		return harness.Figure{Name: fmt.Sprintf("УТ 11, %s goods, %s", harness.FormatThousands(n), what),
			Engine: e.Engine, Ours: harness.FormatRate(n, ours) + " goods/s",
			Raw: harness.FormatRate(n, against) + " goods/s " + name, Ratio: ratio, Aim: fmt.Sprintf("≥ %g", aim),
			Met: ratio >= aim}
	}
	return []harness.Figure{
		line("5 price types", many.first, one.first, "with one", 0.6),
		line("one price type, the same again", one.again, one.first, "create", 5),
		line("5 price types, the same again", many.again, many.first, "create", 5),
	}, nil
}

// exchangeTwice sends an exchange to a new store, and then the same one again.
func exchangeTwice(
	ctx context.Context, e *harness.Environment, s *harness.Server, goods, priceTypes int,
) (took repeatedExchange, err error) {
	archive, err := generatedArchive(e.Dir, goods, priceTypes)
	if err != nil {
		return took, err
	}
	if took.first, err = exchangeAccounting(ctx, s, archive); err != nil {
		return took, err
	}
	took.again, err = exchangeAccounting(ctx, s, archive)
	return took, err
}

// generatedArchive returns the files of an exchange with 1C:УТ 11 in an archive.
func generatedArchive(under string, goods, priceTypes int) (_ []byte, err error) {
	dir, err := os.MkdirTemp(under, "1c-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()

	g := onec.Generated{Goods: goods, Offers: offersPerGood, Version: accountingSchema, PriceTypes: priceTypes,
		Currency: storeCurrency}
	if err := onec.Generate(dir, g); err != nil {
		return nil, err
	}

	var b bytes.Buffer
	archive := zip.NewWriter(&b)
	if err := archive.AddFS(os.DirFS(dir)); err != nil {
		return nil, err
	}

	err = archive.Close()
	return b.Bytes(), err
}

// exchangeAccounting sends an archive and imports its files. It returns the time from the sign-in on.
func exchangeAccounting(ctx context.Context, s *harness.Server, archive []byte) (time.Duration, error) {
	client := harness.NewClient()
	defer client.CloseIdleConnections()

	site := onec.Site{URL: s.URL + "/v2/sync-gate/commerceml", Login: "1c", Password: s.Keys.ExchangeToken,
		Client: client}
	start := time.Now()
	session, err := site.Begin(ctx, "catalog", accountingSchema)
	if err != nil {
		return 0, err
	}

	if err := session.Upload(ctx, "import.zip", bytes.NewReader(archive)); err != nil {
		return 0, err
	}

	for _, name := range []string{"import0_1.xml", "offers0_1.xml"} {
		if err := session.Import(ctx, name, 0); err != nil {
			return 0, err
		}
	}

	return time.Since(start), nil
}
