package xlsx

import (
	"bufio"
	"encoding/xml"
	"errors"
	"io"
	"strings"

	"vitrine/internal/kit/fault"
)

// openPart opens a part of the file, of which at most limit bytes are unpacked.
func (f *File) openPart(name string, limit int64) (io.ReadCloser, error) {
	part := f.parts[partKey(name)]
	if part == nil {
		return nil, brokenFile(errors.New("the part " + name + " is missing"))
	}
	if part.UncompressedSize64 > uint64(limit) {
		return nil, tooLarge("unpacked it is longer than a file may be")
	}

	if part.Flags&1 != 0 {
		return nil, fault.New(fault.Invalid, "encrypted_workbook",
			"The file has a password. Save it without one, and choose it once more.")
	}
	r, err := part.Open()
	if err != nil {
		return nil, brokenFile(err)
	}
	return &partReader{in: r, left: limit}, nil
}

// partReader returns fault.TooLarge after left bytes, whatever the archive says about the size.
type partReader struct {
	in   io.ReadCloser
	left int64
}

func (p *partReader) Read(b []byte) (int, error) {
	n, err := p.in.Read(b)
	if p.left -= int64(n); p.left < 0 {
		return 0, tooLarge("unpacked it is longer than a file may be")
	}
	if err != nil && !errors.Is(err, io.EOF) {
		err = brokenFile(err)
	}
	return n, err
}

func (p *partReader) Close() error { return p.in.Close() }

// tokens reads the tokens of a part. A token that is longer than maxTokenBytes ends it with fault.TooLarge before it
// takes more memory.
type tokens struct {
	part    io.ReadCloser
	in      *tokenSource
	decoder *xml.Decoder
}

func (f *File) openTokens(name string, limit int64) (*tokens, error) {
	part, err := f.openPart(name, limit)
	if err != nil {
		return nil, err
	}
	in := &tokenSource{in: bufio.NewReaderSize(part, 64<<10)}
	t := &tokens{part: part, in: in, decoder: xml.NewDecoder(in)}
	return t, nil
}

// next returns the next token, or io.EOF. It is valid until the next call.
func (t *tokens) next() (xml.Token, error) {
	t.in.read = 0
	token, err := t.decoder.RawToken()
	if err == nil || errors.Is(err, io.EOF) {
		return token, err
	}
	if fault.KindOf(err) != fault.Internal {
		return nil, err
	}
	return nil, brokenFile(err)
}

func (t *tokens) close() { _ = t.part.Close() }

// tokenSource counts the bytes of a token. The decoder reads it byte by byte.
type tokenSource struct {
	in   *bufio.Reader
	read int
}

func (s *tokenSource) Read(b []byte) (int, error) { return s.in.Read(b) }

func (s *tokenSource) ReadByte() (byte, error) {
	if s.read++; s.read > maxTokenBytes {
		return 0, tooLarge("a cell is too long")
	}
	return s.in.ReadByte()
}

// eachToken calls fn with each token of a part.
func (f *File) eachToken(name string, limit int64, fn func(xml.Token) error) error {
	t, err := f.openTokens(name, limit)
	if err != nil {
		return err
	}
	defer t.close()

	for {
		token, err := t.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := fn(token); err != nil {
			return err
		}
	}
}

// attribute returns an attribute without a namespace; "" if there is none.
func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name && a.Name.Space == "" {
			return a.Value
		}
	}
	return ""
}

// relationID returns the attribute r:id, whatever the prefix of its namespace is.
func relationID(e xml.StartElement) string {
	for _, a := range e.Attr {
		if a.Name.Local == "id" && a.Name.Space != "" {
			return a.Value
		}
	}
	return ""
}

func isTrue(text string) bool { return text == "1" || strings.EqualFold(text, "true") }
