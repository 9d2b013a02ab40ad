package transfer

import (
	"bytes"
	"encoding/binary"
	"errors"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"vitrine/internal/shop/catalog"
)

// keyBlock is the number of keys of a block of changed_products. Offsets are multiples of it.
const keyBlock = 1024

// renumber adds the offset to all keys of a row.
func renumber(t *table, list []column, row []any, offset int64) error {
	if offset == 0 {
		return nil
	}

	for i, c := range list {
		if row[i] == nil {
			continue
		}

		switch c.role {
		case ofRow, ofOther:
			if key := row[i].(int64); key > 0 {
				row[i] = key + offset
			}
		case ofBlock:
			row[i] = row[i].(int64) + offset/keyBlock
		case ofRows:
			list, err := renumberList(row[i].([]byte), offset)
			if err != nil {
				return err
			}
			row[i] = list
		case inJSON:
			text, err := renumberJSON(row[i].(string), c.member, offset)
			if err != nil {
				return err
			}
			row[i] = text
		case ofJob:
			if err := renumberJob(t, row, offset); err != nil {
				return err
			}
		}
	}

	return nil
}

// renumberList adds the offset to the keys of a list. Only a list of cells can begin with a bracket, since no key is so
// large.
func renumberList(list []byte, offset int64) ([]byte, error) {
	if bytes.HasPrefix(list, []byte("[")) {
		return renumberCells(list, offset)
	}

	list = bytes.Clone(list)
	for at := 0; at+8 <= len(list); at += 8 {
		binary.BigEndian.PutUint64(list[at:], binary.BigEndian.Uint64(list[at:])+uint64(offset))
	}
	return list, nil
}

// renumberCells adds the offset to the keys of cells.
func renumberCells(text []byte, offset int64) ([]byte, error) {
	var cells []catalog.Cell
	if err := json.Unmarshal(text, &cells); err != nil {
		return nil, errors.Join(errRow, err)
	}
	for i := range cells {
		c := &cells[i]
		c.Product += offset
		if c.Variant > 0 {
			c.Variant += offset
		}
	}
	return json.Marshal(cells)
}

// renumberJSON adds the offset to a member of a JSON object, or to all members if the name is empty.
func renumberJSON(text, name string, offset int64) (string, error) {
	var members map[string]jsontext.Value
	if err := json.Unmarshal([]byte(text), &members); err != nil {
		return "", err
	}

	changed := false
	for member, value := range members {
		var key int64
		if name != "" && name != member || json.Unmarshal(value, &key) != nil || key <= 0 {
			continue
		}
		renumbered, err := json.Marshal(key + offset)
		if err != nil {
			return "", err
		}
		members[member] = renumbered
		changed = true
	}

	if !changed {
		return text, nil
	}
	b, err := json.Marshal(members, json.Deterministic(true))
	return string(b), err
}
