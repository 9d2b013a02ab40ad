package search

import "math"

// codeColumn holds one code per row, in the narrowest integer type that fits the largest code.
type codeColumn struct {
	narrow []uint8
	middle []uint16
	wide   []uint32
	width  int // 0 narrow, 1 middle, 2 wide
}

func (c *codeColumn) len() int { return len(c.narrow) + len(c.middle) + len(c.wide) }

func (c *codeColumn) at(row uint32) uint32 {
	switch c.width {
	case 0:
		return uint32(c.narrow[row])
	case 1:
		return uint32(c.middle[row])
	default:
		return c.wide[row]
	}
}

func (c *codeColumn) widenFor(code uint32) {
	if c.width == 0 && code > math.MaxUint8 {
		c.middle, c.narrow, c.width = convertCodes[uint16](c.narrow), nil, 1
	}
	if c.width == 1 && code > math.MaxUint16 {
		c.wide, c.middle, c.width = convertCodes[uint32](c.middle), nil, 2
	}
}

func convertCodes[To, From uint8 | uint16 | uint32](from []From) []To {
	to := make([]To, len(from), cap(from))
	for i, v := range from {
		to[i] = To(v)
	}
	return to
}

func (c *codeColumn) set(row, code uint32) {
	c.widenFor(code)
	switch c.width {
	case 0:
		c.narrow[row] = uint8(code)
	case 1:
		c.middle[row] = uint16(code)
	default:
		c.wide[row] = code
	}
}

func (c *codeColumn) add(code uint32) {
	c.widenFor(code)
	switch c.width {
	case 0:
		c.narrow = append(c.narrow, uint8(code))
	case 1:
		c.middle = append(c.middle, uint16(code))
	default:
		c.wide = append(c.wide, code)
	}
}

func (c *codeColumn) bytes() int { return cap(c.narrow) + 2*cap(c.middle) + 4*cap(c.wide) }

// reorder returns a copy of the column in which row i has the code of row order[i].
func (c *codeColumn) reorder(order []uint32) codeColumn {
	return codeColumn{reorder(c.narrow, order), reorder(c.middle, order), reorder(c.wide, order), c.width}
}

// reorder returns a copy of the column in which element i is column[order[i]], with little spare capacity.
func reorder[T any](column []T, order []uint32) []T {
	if len(column) == 0 {
		return nil
	}
	to := make([]T, len(order), len(order)+len(order)/32)
	for i, row := range order {
		to[i] = column[row]
	}
	return to
}
