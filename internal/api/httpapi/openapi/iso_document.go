package openapi

import (
	"bytes"
	"encoding/json"

	"github.com/go-json-experiment/json/jsontext"

	"vitrine/internal/kit/schema"
)

// isoIntro is the paragraph that the introduction of the document with ISO dates begins with.
const isoIntro = "**This is the document with `dates=iso`**: it describes the answers to requests with that query " +
	"parameter, which all operations therefore require. Payloads of webhooks keep their date objects.\n\n"

// isoDateSchema is the schema of a date in the document with ISO dates.
const isoDateSchema = `{"type":"string","format":"date-time","description":"An instant in UTC, in ISO 8601.",` +
	`"examples":["2026-11-14T12:00:05Z"]}`

// withISODates returns a document in which dates are strings instead of date objects, in schemas and in examples.
// Webhooks, and payloads and examples of events in responses, keep their date objects.
func withISODates(document []byte) ([]byte, error) {
	converted, err := convertDates(document)
	if err != nil {
		return nil, err
	}
	at := bytes.LastIndex(converted, []byte(`"DateObject":{`))
	added := append([]byte(`"ISODate":`+isoDateSchema+`,`), converted[at:]...)
	return append(converted[:at:at], added...), nil
}

// convertDates returns a JSON value in which references to the schema of date objects are references to that of
// strings, and in which date objects are strings.
func convertDates(value jsontext.Value) (jsontext.Value, error) {
	kind := value.Kind()
	if kind != '{' && kind != '[' {
		return value, nil
	}
	if text := isoText(value); text != nil {
		return text, nil
	}

	var out bytes.Buffer
	members := jsontext.NewDecoder(bytes.NewReader(value))
	if _, err := members.ReadToken(); err != nil {
		return nil, err
	}

	out.WriteByte(byte(kind))
	for first := true; members.PeekKind() != '}' && members.PeekKind() != ']'; first = false {
		if !first {
			out.WriteByte(',')
		}

		name := ""
		if kind == '{' {
			token, err := members.ReadToken()
			if err != nil {
				return nil, err
			}
			name = token.String()
			quoted, err := json.Marshal(name)
			if err != nil {
				return nil, err
			}
			out.Write(append(quoted, ':'))
		}

		member, err := members.ReadValue()
		if err != nil {
			return nil, err
		}

		switch {
		case name == "$ref" && string(member) == `"`+schema.Prefix+`DateObject"`:
			member = jsontext.Value(`"` + schema.Prefix + `ISODate"`)
		case name != "webhooks" && name != "payload" && name != "example":
			if member, err = convertDates(member); err != nil {
				return nil, err
			}
		}

		out.Write(member)
	}

	out.WriteByte(byte(kind + 2)) // the closing bracket
	return out.Bytes(), nil
}

// isoText returns the ISO form of a date object as JSON, or nil if the value is something else.
func isoText(value jsontext.Value) jsontext.Value {
	if value.Kind() != '{' || !bytes.Contains(value, []byte(`"iso_utc":`)) {
		return nil
	}
	var date struct {
		UTC      jsontext.Value `json:"iso_utc"`
		DateTime string         `json:"datetime_utc"`
	}
	if json.Unmarshal(value, &date) != nil || date.UTC.Kind() != '"' || date.DateTime == "" {
		return nil
	}
	return bytes.Replace(date.UTC, []byte("+00:00"), []byte("Z"), 1)
}
