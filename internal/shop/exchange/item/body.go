package item

import (
	"bytes"
	"io"

	"vitrine/internal/kit/wire"
)

// byteOrderMark is the byte order mark in UTF-8, which some accounting systems write.
const byteOrderMark = "\ufeff"

// skipMark returns the body without its byte order mark. It returns a Malformed fault if the first bytes show that the
// body is not UTF-8. In NDJSON, a first line that is no JSON is left to the reader of lines.
func skipMark(format Format, body io.Reader) (io.Reader, error) {
	head := make([]byte, 0, 4)
	var err error
	for len(head) < cap(head) && err == nil {
		var n int
		n, err = body.Read(head[len(head):cap(head)])
		head = head[:len(head)+n]
	}

	if format != NDJSON || wire.DetectEncoding(head) != wire.Markup {
		if err := wire.CheckEncoding(head); err != nil {
			return nil, err
		}
	}

	if err != nil {
		body = failedReader{err} // an error is returned by Read only once
	}

	return io.MultiReader(bytes.NewReader(bytes.TrimPrefix(head, []byte(byteOrderMark))), body), nil
}

type failedReader struct{ err error }

func (r failedReader) Read([]byte) (int, error) { return 0, r.err }

// looksLikeNDJSON is the message for NDJSON that was sent as one document.
const looksLikeNDJSON = "The body looks like NDJSON, with one item per line; send it as application/x-ndjson, " +
	`or send one document {"payload": […]}.`
