package main

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// The attacks in this file use the exchange with 1C and the gate. Their names begin with S, those of the second review.

const spoolAttack = "S-M7"

func exchangeAttacks() []attack {
	return []attack{
		{"S-C1", "files of 1C with long price types and large dictionaries, gzip", false, attackTexts},
		{"S-H1", "orders of 1C that are trees of empty elements and never end", false, attackTrees},
		{"S-H3", "imports of unknown names beside archives with 190,000 files", false, attackArchives},
		{"S-M5", "failed items of 1 MiB, gzip", false, attackRejects},
		{spoolAttack, "files of 1C that are never imported", false, attackWaitingFiles},
		{"S-M8", "one picture under 20,000 names", false, attackPictures},
	}
}

// smallSpool is the setting with which attackWaitingFiles fills the spool soon.
const smallSpool = "64MiB"

// callOneC sends a request of the exchange with 1C and returns the first line of the response.
func (a *attacker) callOneC(ctx context.Context, token, mode, file string, body []byte, headers ...header) string {
	method := http.MethodGet
	if body != nil {
		method = http.MethodPost
	}
	path := "/v2/sync-gate/" + token + "/commerceml?type=catalog&mode=" + mode + "&filename=" + url.QueryEscape(file)
	status, answer := a.sendTo(ctx, a.api, method, path, body, headers...)
	line, _, _ := strings.Cut(string(answer), "\n")
	if status != http.StatusOK {
		return fmt.Sprint(status)
	}
	return line
}

// importOneC sends a file that is compressed with gzip, and asks for its import until that ends.
func (a *attacker) importOneC(ctx context.Context, name string, packed []byte) {
	token := a.attacked.ExchangeToken
	a.callOneC(ctx, token, "init", "", nil)
	a.callOneC(ctx, token, "file", name, packed, header{"Content-Encoding", "gzip"})
	for ctx.Err() == nil && a.callOneC(ctx, token, "import", name, nil) == "progress" {
		time.Sleep(100 * time.Millisecond)
	}
}

// attackTexts imports a file with 60 price types whose names have 8 MiB, and one with eight dictionaries of 100,000
// values. The program held, and stored, all of it.
func attackTexts(ctx context.Context, a *attacker) error {
	const start = `<?xml version="1.0" encoding="UTF-8"?><КоммерческаяИнформация ВерсияСхемы="2.08">`
	types := gzipped(func(w io.Writer) {
		name := strings.Repeat("x", 8<<20-1000)
		_, _ = io.WriteString(w, start+`<ПакетПредложений><Ид>p</Ид><ТипыЦен>`)
		for i := range 60 {
			_, _ = fmt.Fprintf(w, `<ТипЦены><Ид>%d</Ид><Наименование>%s</Наименование></ТипЦены>`, i, name)
		}
		_, _ = io.WriteString(w, `</ТипыЦен></ПакетПредложений></КоммерческаяИнформация>`)
	})

	dictionaries := gzipped(func(w io.Writer) {
		_, _ = io.WriteString(w, start+`<Классификатор><Ид>c</Ид><Свойства>`)

		for i := range 8 {
			_, _ = fmt.Fprintf(w, `<Свойство><Ид>s%d</Ид><Наименование>S%d</Наименование>`+
				`<ТипЗначений>Справочник</ТипЗначений><ВариантыЗначений>`, i, i)
			for n := range 100_000 {
				_, _ = fmt.Fprintf(w,
					`<Справочник><ИдЗначения>%d-%036d</ИдЗначения><Значение>Value %d</Значение></Справочник>`, i, n, n)
			}
			_, _ = io.WriteString(w, `</ВариантыЗначений></Свойство>`)
		}

		_, _ = io.WriteString(w, `</Свойства></Классификатор></КоммерческаяИнформация>`)
	})

	a.importOneC(ctx, "offers.xml", types)
	a.importOneC(ctx, "import.xml", dictionaries)
	return nil
}

// attackTrees sends orders of two million elements each, some 8 KB compressed, and keeps their requests open.
func attackTrees(ctx context.Context, a *attacker) error {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, err := io.WriteString(z, `<КоммерческаяИнформация ВерсияСхемы="2.08"><Документ>`+
		strings.Repeat("<a/>", 2_000_000))
	if err := errors.Join(err, z.Flush()); err != nil { // the file has no end
		return err
	}
	text := fmt.Sprintf("POST /v2/sync-gate/%s/commerceml?type=sale&mode=file&filename=orders.xml HTTP/1.1\r\nHost: "+
		"%s\r\n"+
		"Content-Type: application/xml\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n",
		a.attacked.ExchangeToken, a.api, packed.Len(), packed.String())
	a.stall(ctx, a.api, 40, []byte(text), "", 0)
	return nil
}

// archiveOf returns an archive whose entries write adds.
func archiveOf(write func(z *zip.Writer) error) ([]byte, error) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	err := errors.Join(write(z), z.Close())
	return b.Bytes(), err
}

// attackArchives sends archives with many files, and asks for one that none of them has.
func attackArchives(ctx context.Context, a *attacker) error {
	token := a.attacked.ExchangeToken
	a.callOneC(ctx, token, "init", "", nil)
	const archives, entries = 4, 47_500
	for i := range archives {
		content, err := archiveOf(func(z *zip.Writer) error {
			for n := range entries {
				name := fmt.Sprintf("import_files/%d/%040d.jpg", i, n)
				if _, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store}); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}

		packed := gzipped(func(w io.Writer) { _, _ = w.Write(content) })
		if got := a.callOneC(ctx, token, "file", fmt.Sprintf("%d.zip", i), packed,
			header{"Content-Encoding", "gzip"}); got != "success" {
			return fmt.Errorf("archive %d: %s", i, got)
		}
	}

	flood(ctx, 16, 400, func(int) {
		a.callOneC(ctx, token, "import", "nosuch.xml", nil)
	})
	return nil
}

// attackRejects pushes large items that fail.
func attackRejects(ctx context.Context, a *attacker) error {
	packed := gzipped(func(w io.Writer) {
		text := strings.Repeat("x", 1<<20)
		for i := range 40 {
			_, _ = fmt.Fprintf(w, `{"id": "wrong %d", "name": 7, "description": "%s"}`+"\n", i, text)
		}
	})
	flood(ctx, 8, 100, func(int) {
		a.send(ctx, http.MethodPost, "/v2/sync-gate/products", a.attacked.ExchangeToken, packed, ndjson(),
			header{"Content-Encoding", "gzip"})
	})
	return nil
}

// attackWaitingFiles fills the spool with files that are not imported. The other store must still find room.
func attackWaitingFiles(ctx context.Context, a *attacker) error {
	token := a.attacked.ExchangeToken
	part := make([]byte, 1<<20)
	random := uint32(1)
	flood(ctx, 1, 100, func(i int) {
		for at := range part { // what cannot be compressed
			random = random*1664525 + 1013904223
			part[at] = byte(random >> 24)
		}
		a.callOneC(ctx, token, "file", fmt.Sprintf("%d.zip", i), part)
	})

	other := a.other.ExchangeToken
	if got := a.callOneC(ctx, other, "file", "import.xml", part[:64<<10]); got != "success" {
		return fmt.Errorf("a file of 1C of the other store: %s", got)
	}

	status, body := a.send(ctx, http.MethodPost, "/v2/sync-gate/products", other, products(10), ndjson(),
		header{"Prefer", "respond-async"})
	if status != http.StatusAccepted {
		return fmt.Errorf("a push of the other store in the background: %d %.200s", status, body)
	}

	return nil
}

// attackPictures imports goods that name one picture in many ways. An exchange of the other store must go on beside it.
func attackPictures(ctx context.Context, a *attacker) error {
	const start = `<?xml version="1.0" encoding="UTF-8"?><КоммерческаяИнформация ВерсияСхемы="2.08">` +
		`<Каталог СодержитТолькоИзменения="true"><Ид>c</Ид><Товары>`
	const end = `</Товары></Каталог></КоммерческаяИнформация>`
	const picture = "abcdefghijklmnopqrst.jpg"
	archive, err := archiveOf(func(z *zip.Writer) error {
		w, err := z.Create(picture)
		if err != nil {
			return err
		}
		_, err = w.Write(make([]byte, 9<<20))
		return err
	})
	if err != nil {
		return err
	}

	var goods strings.Builder
	goods.WriteString(start)
	for i := range 20_000 {
		name := []byte(picture)
		for bit := range 16 {
			if i>>bit&1 == 1 {
				name[bit] -= 'a' - 'A'
			}
		}
		fmt.Fprintf(&goods, `<Товар><Ид>p%d</Ид><Наименование>P</Наименование><Картинка>%s</Картинка></Товар>`, i/20,
			name)
	}

	goods.WriteString(end)

	token := a.attacked.ExchangeToken
	a.callOneC(ctx, token, "init", "", nil)
	for name, content := range map[string][]byte{"v8.zip": archive, "import.xml": []byte(goods.String())} {
		if got := a.callOneC(ctx, token, "file", name, content); got != "success" {
			return fmt.Errorf("%s: %s", name, got)
		}
	}

	a.callOneC(ctx, token, "import", "import.xml", nil)

	other := a.other.ExchangeToken
	a.callOneC(ctx, other, "init", "", nil)
	small := start + `<Товар><Ид>q</Ид><Наименование>Q</Наименование></Товар>` + end
	a.callOneC(ctx, other, "file", "import.xml", []byte(small))

	for {
		switch got := a.callOneC(ctx, other, "import", "import.xml", nil); {
		case got == "success":
			return nil
		case got != "progress" || ctx.Err() != nil:
			return fmt.Errorf("the import of the other store: %s", got)
		}
		time.Sleep(100 * time.Millisecond)
	}
}
