package wire

import "bytes"

// Inside lets fn read a value that Raw gave, as if it stood at the present place: the rules that it breaks are noted there.
func (r *Reader) Inside(raw []byte, fn func(in *Reader)) {
	if r.err != nil {
		return
	}
	in := NewReader(bytes.NewReader(raw))
	in.path, in.fields = append(in.path, r.path...), r.fields
	fn(in)
	r.fields, r.err = in.fields, in.err
}

// SkipText passes over the next value like Skip, and notes control characters in its texts and names like String. It is for what is
// kept without being understood.
func (r *Reader) SkipText() (ok bool) {
	depth, noted := r.dec.StackDepth(), len(r.fields)
	for r.err == nil {
		if r.dec.PeekKind() == '"' {
			r.readCleanString()
		} else {
			r.readToken()
		}
		if r.dec.StackDepth() <= depth {
			break
		}
	}
	return r.err == nil && len(r.fields) == noted
}
