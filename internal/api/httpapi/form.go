package httpapi

import (
	"errors"
	"io"
	"mime"
	"net/url"
	"strings"

	"vitrine/internal/kit/fault"
)

// fieldMemory estimates how many bytes of memory a field of a form takes: its name and value in a map, what the handler
// makes of it, and the field in the page that is rendered again.
const fieldMemory = 512

// ReadForm reads the fields of a posted form into r.PostForm. A body of another media type has no fields. The memory is
// counted like that of every body. ReadForm returns fault.TooLarge if the form has more bytes or fields.
func (r *Request) ReadForm(maxBytes int64, maxFields int) error {
	r.PostForm = url.Values{}
	media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || media != "application/x-www-form-urlencoded" || r.ContentLength == 0 {
		return nil
	}

	if err := r.readBody(maxBytes); err != nil {
		return err
	}

	body := r.sent
	if err := body.memory.GrowAtMost(int64(cap(body.B)) + body.Len()); err != nil {
		return err
	}

	var text strings.Builder
	text.Grow(int(body.Len()))
	if _, err := io.Copy(&text, body.Reader()); err != nil {
		return err
	}

	fields := strings.Count(text.String(), "&") + 1
	if fields > maxFields {
		return fault.New(fault.TooLarge, "too_many_fields", "The form has more than %d fields.", maxFields)
	}
	if err := body.memory.GrowAtMost(int64(cap(body.B)) + body.Len() + int64(fields)*fieldMemory); err != nil {
		return err
	}
	if r.PostForm, err = parseFields(text.String()); err != nil {
		return fault.New(fault.Malformed, "malformed_form", "The form cannot be read.").Because(err)
	}

	return nil
}

// parseFields does the same as url.ParseQuery, which refuses more than 10,000 fields.
func parseFields(text string) (url.Values, error) {
	fields := url.Values{}
	for field := range strings.SplitSeq(text, "&") {
		if field == "" {
			continue
		}
		if strings.Contains(field, ";") {
			return nil, errors.New("a semicolon separates fields")
		}

		name, value, _ := strings.Cut(field, "=")
		name, err := url.QueryUnescape(name)
		if err != nil {
			return nil, err
		}

		value, err = url.QueryUnescape(value)
		if err != nil {
			return nil, err
		}

		fields[name] = append(fields[name], value)
	}

	return fields, nil
}
