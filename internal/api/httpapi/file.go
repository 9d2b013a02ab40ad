package httpapi

import (
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"strings"

	"vitrine/internal/kit/fault"
)

// maxFormOverhead is how many bytes a form may be longer than its file, for its other fields, the part headers and the
// boundaries.
const maxFormOverhead = 64 << 10

// File is an uploaded file: a field of a form, or the whole body. It is valid until the handler returns.
type File struct {
	// Content reads the bytes of the file.
	Content io.ReadSeeker

	part   *Buffer
	fields map[string]string // the other fields of the form by name; the last value of a repeated field
}

// Text returns the trimmed text of a form field other than the file, and whether the form has it. It returns
// fault.Invalid if the field has a control character or is not UTF-8.
func (f *File) Text(field string) (text string, sent bool, err error) {
	text, sent = f.fields[field]
	if !isText(text) {
		err = fault.OneField(field, "control_character", "This must be UTF-8 text without control characters.")
	}
	return strings.TrimSpace(text), sent, err
}

// File reads a file of at most limit bytes: the named field of a multipart form, or the whole body if accepts reports
// true for its media type. It returns fault.Unsupported for another media type, fault.TooLarge for a longer file,
// fault.Malformed for a form that cannot be parsed, and fault.Invalid for a form without the field.
func (r *Request) File(field string, limit int64, accepts func(mediaType string) bool) (*File, error) {
	if r.err != nil {
		return nil, r.err
	}

	media, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	form := err == nil && media == "multipart/form-data"
	if !form && (err != nil || !accepts(media)) {
		return nil, fault.New(fault.Unsupported, "unsupported_media_type",
			"The body must be multipart/form-data with the file in its field %s, "+
				"or the bytes of the file with its own "+
				"Content-Type or application/octet-stream.", field)
	}

	if !form {
		if err := r.readBody(limit); err != nil {
			return nil, err
		}
		return &File{Content: r.sent.Reader()}, nil
	}

	if err := r.readBody(limit + maxFormOverhead); err != nil {
		return nil, err
	}

	f := &File{fields: map[string]string{}}
	return f, f.readForm(r, params["boundary"], field, limit)
}

func (f *File) readForm(r *Request, boundary, field string, limit int64) error {
	if boundary == "" {
		return malformedForm(errors.New("no boundary"))
	}

	parts := multipart.NewReader(r.sent.Reader(), boundary)
	for {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return malformedForm(err)
		}

		if part.FormName() != field {
			err = f.readField(part)
		} else {
			err = f.readPart(r, part, limit)
		}

		if err != nil {
			return err
		}
	}

	if f.part == nil {
		return fault.OneField(field, "required", "The form has no field %s; the file goes there.", field)
	}

	f.Content = f.part.Reader()
	return nil
}

func (f *File) readPart(r *Request, part *multipart.Part, limit int64) error {
	if f.part != nil {
		return fault.OneField(part.FormName(), "duplicate_field",
			"The form has this field more than once; one file is taken at a time.")
	}
	f.part = r.newBodyBuffer()
	if err := f.part.readFrom(part, limit, func([]byte) {}); err != nil {
		if errors.Is(err, errTooLarge) || fault.KindOf(err) != fault.Internal {
			return bodyFault(err, limit)
		}
		return malformedForm(err)
	}
	return f.part.flush()
}

func (f *File) readField(part *multipart.Part) error {
	text, err := io.ReadAll(io.LimitReader(part, maxFormOverhead+1))
	if err != nil {
		return malformedForm(err)
	}
	if len(text) > maxFormOverhead {
		return bodyFault(errTooLarge, maxFormOverhead)
	}
	f.fields[part.FormName()] = string(text)
	return nil
}

func malformedForm(err error) error {
	return fault.New(fault.Malformed, "malformed_form",
		"The form cannot be read: it is cut off, or is not what its Content-Type says.").Because(err)
}
