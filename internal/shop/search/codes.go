package search

import "math"

// codes is a column of small numbers, one a row, each as wide as the largest needs.
type codes struct {
	narrow []uint8
	middle []uint16
	wide   []uint32
	width  int // 0 is narrow, 1 middle, 2 wide
}

func (c *codes) len() int { return len(c.narrow) + len(c.middle) + len(c.wide) }

func (c *codes) at(row uint32) uint32 {
	switch c.width {
	case 0:
		return uint32(c.narrow[row])
	case 1:
		return uint32(c.middle[row])
	default:
		return c.wide[row]
	}
}

// fit widens the column until a code goes into it.
func (c *codes) fit(code uint32) {
	if c.width == 0 && code > math.MaxUint8 {
		c.middle, c.narrow, c.width = widen[uint16](c.narrow), nil, 1
	}
	if c.width == 1 && code > math.MaxUint16 {
		c.wide, c.middle, c.width = widen[uint32](c.middle), nil, 2
	}
}

func widen[To, From uint8 | uint16 | uint32](from []From) []To {
	to := make([]To, len(from), cap(from))
	for i, v := range from {
		to[i] = To(v)
	}
	return to
}

func (c *codes) set(row, code uint32) {
	c.fit(code)
	switch c.width {
	case 0:
		c.narrow[row] = uint8(code)
	case 1:
		c.middle[row] = uint16(code)
	default:
		c.wide[row] = code
	}
}

func (c *codes) add(code uint32) {
	c.fit(code)
	switch c.width {
	case 0:
		c.narrow = append(c.narrow, uint8(code))
	case 1:
		c.middle = append(c.middle, uint16(code))
	default:
		c.wide = append(c.wide, code)
	}
}

// bytes is the memory that the column takes.
func (c *codes) bytes() int { return cap(c.narrow) + 2*cap(c.middle) + 4*cap(c.wide) }

// reorder returns the column with its rows in another order: row i is then what row order[i] was.
func (c *codes) reorder(order []uint32) codes {
	return codes{reorder(c.narrow, order), reorder(c.middle, order), reorder(c.wide, order), c.width}
}

// reorder puts a column into another order, in memory of its own size and a little more.
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
