package transfer

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/id"
)

// rowID is a UUID in a row.
type rowID = id.Of[table]

// A row has a value for each stored column: nil, string, int64, float64, bool, []byte or rowID.

// destination returns a pointer to scan a column into.
func (c *column) destination() any {
	switch c.kind {
	case database.Text:
		return new(*string)
	case database.BigInt:
		return new(*int64)
	case database.Double:
		return new(*float64)
	case database.Bool:
		return new(*bool)
	case database.Bytes:
		return new([]byte)
	}
	return new(*rowID)
}

// scanned returns the value at a destination.
func scanned(destination any) any {
	switch d := destination.(type) {
	case **string:
		return valueOrNil(*d)
	case **int64:
		return valueOrNil(*d)
	case **float64:
		return valueOrNil(*d)
	case **bool:
		return valueOrNil(*d)
	case **rowID:
		return valueOrNil(*d)
	case *[]byte:
		if *d != nil {
			return *d
		}
	}

	return nil
}

func valueOrNil[T any](p *T) any {
	if p == nil {
		return nil
	}
	return *p
}

// appendRow appends a row as a line with a JSON array.
func appendRow(line []byte, row []any) (_ []byte, err error) {
	line = append(line, '[')
	for i, value := range row {
		if i > 0 {
			line = append(line, ',')
		}

		switch v := value.(type) {
		case nil:
			line = append(line, "null"...)
		case string:
			if line, err = jsontext.AppendQuote(line, v); err != nil {
				return nil, err
			}
		case int64:
			line = strconv.AppendInt(line, v, 10)
		case float64:
			line = strconv.AppendFloat(line, v, 'g', -1, 64)
		case bool:
			line = strconv.AppendBool(line, v)
		case []byte:
			line = append(line, '"')
			line = base64.StdEncoding.AppendEncode(line, v)
			line = append(line, '"')
		case rowID:
			line = append(line, '"')
			line = v.Append(line)
			line = append(line, '"')
		default:
			return nil, fmt.Errorf("a value of type %T", value)
		}
	}
	return append(line, ']', '\n'), nil
}

var errRow = errors.New("a row is damaged")

// eachRow calls fn for each row of a chunk.
func eachRow(chunk []byte, list []column, fn func(row []any) error) error {
	decoder := jsontext.NewDecoder(bytes.NewReader(chunk))
	for {
		begin, err := decoder.ReadToken()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil || begin.Kind() != '[' {
			return errors.Join(errRow, err)
		}

		row := make([]any, len(list))
		for i := range list {
			token, err := decoder.ReadToken()
			if err != nil {
				return errors.Join(errRow, err)
			}
			if row[i], err = list[i].parse(token); err != nil {
				return fmt.Errorf("%w: column %s: %w", errRow, list[i].name, err)
			}
		}

		if end, err := decoder.ReadToken(); err != nil || end.Kind() != ']' {
			return errors.Join(errRow, err)
		}
		if err := fn(row); err != nil {
			return err
		}
	}
}

// parse returns the value of a token.
func (c *column) parse(token jsontext.Token) (any, error) {
	kind := token.Kind()
	if kind == 'n' {
		return nil, nil
	}

	want := jsontext.Kind('"')
	switch c.kind {
	case database.BigInt, database.Double:
		want = '0'
	case database.Bool:
		if kind == 't' || kind == 'f' {
			return token.Bool(), nil
		}
	}
	if kind != want {
		return nil, fmt.Errorf("a JSON value of the kind %s", kind)
	}

	switch c.kind {
	case database.BigInt:
		return strconv.ParseInt(token.String(), 10, 64)
	case database.Double:
		return strconv.ParseFloat(token.String(), 64)
	case database.Bytes:
		return base64.StdEncoding.DecodeString(token.String())
	case database.UUID:
		return id.Parse[table](token.String())
	}
	return token.String(), nil
}
