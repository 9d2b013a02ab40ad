package commerceml

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"vitrine/internal/kit/fault"
)

// events returns what the scanner reads, one event a line, with neighbouring texts joined.
func events(file io.Reader) (string, error) {
	var b eventText
	for s := newScanner(file, NewRoom(nil, 0)); ; {
		e, err := s.next()
		if errors.Is(err, io.EOF) {
			return b.String(), nil
		}
		if err != nil {
			return b.String(), err
		}

		switch e.kind {
		case startEvent:
			b.start(e.start.name)
			for _, a := range e.start.attrs {
				b.attribute(a.name, a.value)
			}
		case endEvent:
			b.end()
		case textEvent:
			b.text(string(e.text))
		}
	}
}

// standardEvents returns the same of encoding/xml.
func standardEvents(file io.Reader) (string, error) {
	var b eventText
	d := xml.NewDecoder(file)
	d.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil }
	for {
		t, err := d.Token()
		if errors.Is(err, io.EOF) {
			return b.String(), nil
		}
		if err != nil {
			return b.String(), err
		}

		switch t := t.(type) {
		case xml.StartElement:
			b.start(t.Name.Local)
			for _, a := range t.Attr {
				b.attribute(a.Name.Local, a.Value)
			}
		case xml.EndElement:
			b.end()
		case xml.CharData:
			b.text(string(t))
		case xml.Directive:
			return "", errors.New("a document type")
		}
	}
}

// eventText writes events as text.
type eventText struct {
	strings.Builder
	inText bool
}

func (b *eventText) line(format string, args ...any) {
	if b.inText {
		b.inText = false
		b.WriteByte('\n')
	}
	fmt.Fprintf(b, format+"\n", args...)
}

func (b *eventText) start(name string)            { b.line("<%q", name) }
func (b *eventText) attribute(name, value string) { b.line("  %q=%q", name, value) }
func (b *eventText) end()                         { b.line(">") }

func (b *eventText) text(text string) {
	if text != "" {
		b.inText = true
		b.WriteString(strings.Trim(fmt.Sprintf("%q", text), `"`))
	}
}

// wellFormed are documents that both readers accept.
var wellFormed = []string{
	`<a/>`, "\n<a></a>\n", `<?xml version="1.0" encoding="UTF-8"?><a>x</a>`, `<a b="1" c='2'/>`, "<a\n\tb = \"1\"\n/>",
	`<a>1 &lt; 2 &amp;&#38;&#x26; &quot;&apos;</a>`, "<a>1\r\n2\r3</a>", "<a b=\"1\r\n2\"/>",
	`<a><![CDATA[<b>&amp;]]]]></a>`, `<a><!-- x - y --><b/>t</a>`,
	`<Товар Код="ш&quot;т"><Ид>good-1#2</Ид></Товар>`, `<n:a xmlns:n="u"><n:b n:c="d"/></n:a>`, `<a b=">"/>`,
	`<a b='"'>'</a>`,
	"<a>" + strings.Repeat("Текст ", 30_000) + "</a>", "<a b='" + strings.Repeat("x", 100_000) + "'/>",
	`<a ><b ></b ></a >`, `<a>]]</a>`, `<?pi?><a/>`, `<a b="1"c="2"/>`, `<a>&#xD800;</a>`,
	// texts that come in pieces
	"<a>" + strings.Repeat("&amp;", 120_000) + "</a>", "<a>x" + strings.Repeat("\r\n", 200_000) + "</a>",
	"<a>" + strings.Repeat("]", maxPiece+100) + "</a>", "<a>" + strings.Repeat("Ж", maxPiece) + "</a>",
	"<a>x" + strings.Repeat("😀", maxPiece/2) + "</a>",
}

// refused are documents that neither reader accepts.
var refused = []string{
	`<a>`, `<a`, `<`, `</a>`, `<a></b>`, `<a b/>`, `<a b=1/>`, `<a b="<"/>`, `<a>&b;</a>`, `<a>&</a>`, `<a>&#0;</a>`,
	`<a>]]></a>`, "<a>\x01</a>", "<a>\xff</a>", "<a b='\xff'/>", `<1/>`, `<a/ >`, `<>`, `</>`, `<a><![CDATA[x</a>`,
	`<a><!-- -- --></a>`, `<a><!-- x---></a>`, `<a><!-- x</a>`, `<a></a b>`,
	`<a:b:c/>`, `<a><b></a></b>`, `<a>&#1114112;</a>`, `<a>&lt</a>`,
	"<a>" + strings.Repeat("x", maxPiece-5) + "]]></a>", "<a>" + strings.Repeat("]", maxPiece+70_000) + "></a>",
	"<a>" + strings.Repeat("x", maxPiece-3) + "\xff" + strings.Repeat("x", maxPiece) + "</a>",
}

func TestScanner_readsWhatEncodingXMLReads(t *testing.T) {
	for _, text := range wellFormed {
		want, err := standardEvents(strings.NewReader(text))
		if err != nil {
			t.Errorf("encoding/xml: %.60q: %v", text, err)
		}
		for _, file := range []io.Reader{strings.NewReader(text), iotest.OneByteReader(strings.NewReader(text)),
			iotest.DataErrReader(strings.NewReader(text))} {
			if got, err := events(file); err != nil || got != want {
				t.Errorf("%.60q is read as\n%.300s\nwant\n%.300s\n%v", text, got, want, err)
			}
		}
	}
}

func TestScanner_refusesWhatEncodingXMLRefuses(t *testing.T) {
	for _, text := range refused {
		if got, err := standardEvents(strings.NewReader(text)); err == nil {
			t.Errorf("encoding/xml reads %q as\n%s", text, got)
		}

		for _, file := range []io.Reader{strings.NewReader(text), iotest.OneByteReader(strings.NewReader(text))} {
			got, err := events(file)
			if fault.KindOf(err) != fault.Malformed && !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("%q is read as\n%s\n%v", text, got, err)
			}
		}
	}

	for _, text := range []string{`<!DOCTYPE a><a/>`, `<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>`} {
		if _, err := events(strings.NewReader(text)); fault.KindOf(err) != fault.Malformed {
			t.Errorf("%q: %v, want a refusal", text, err)
		}
	}

	broken := errors.New("the disk is broken")
	if _, err := events(io.MultiReader(strings.NewReader("<a>"), iotest.ErrReader(broken))); !errors.Is(err, broken) {
		t.Errorf("an error of the file became %v", err)
	}
}

// Nothing that is held in memory grows with the size of a text or a tag.
func TestScanner_limitsTextsAndTags(t *testing.T) {
	for _, begin := range []string{"<a b='", "<a><!--", "<a><![CDATA[", "<?", "<a"} {
		endless := io.MultiReader(strings.NewReader(begin), io.LimitReader(zeroes{}, 10*maxElementBytes))
		_, err := events(endless)
		if fault.KindOf(err) != fault.Malformed || !strings.Contains(err.Error(), "has more than") {
			t.Errorf("%s without an end: %v", begin, err)
		}
	}
}

// What is held of an element is bounded, however its texts and tags are arranged.
func TestReader_limitsElements(t *testing.T) {
	text := strings.Repeat("x", 1<<20)
	nested := strings.Repeat("<a>", 20) + strings.Repeat(text+"</a>", 20)
	for _, inside := range []string{nested, strings.Repeat("<a>"+text+"</a>", 20),
		"<" + strings.Repeat("a", 2*maxNameBytes) + "/>"} {
		file := "<КоммерческаяИнформация><ПакетПредложений><Предложения><Предложение>" + inside +
			"</Предложение></Предложения></ПакетПредложений></КоммерческаяИнформация>"
		_, err := Convert(strings.NewReader(file), Options{}, &Memory{}, Target{Item: func(Item) error { return nil }})
		if fault.KindOf(err) != fault.Malformed || !strings.Contains(err.Error(), "has more than") {
			t.Errorf("%.30q…: %v", inside, err)
		}
	}
}

// zeroes is a file of digits.
type zeroes struct{}

func (zeroes) Read(b []byte) (int, error) {
	copy(b, bytes.Repeat([]byte("0"), len(b)))
	return len(b), nil
}

// FuzzScanner compares the scanner with encoding/xml, which accepts less: it knows which letters a name may have.
func FuzzScanner(f *testing.F) {
	for _, text := range slices.Concat(wellFormed, refused) {
		if len(text) < 1000 {
			f.Add(text)
		}
	}

	f.Fuzz(func(t *testing.T, text string) {
		want, wantErr := standardEvents(strings.NewReader(text))
		got, err := events(strings.NewReader(text))
		if again, errAgain := events(iotest.OneByteReader(strings.NewReader(text))); again != got ||
			(err == nil) != (errAgain == nil) {
			t.Fatalf("read byte by byte:\n%s\n%v\nat once:\n%s\n%v", again, errAgain, got, err)
		}

		if wantErr == nil && !strings.Contains(text, "<?xml") && (err != nil || got != want) {
			t.Fatalf("read as\n%s\n%v\nwant\n%s", got, err, want)
		}
	})
}
