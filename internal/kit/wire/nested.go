package wire

import "bytes"

// ReadNested calls fn with a reader of raw, a value that Raw returned. The paths of that reader begin with the current
// path of r. The rules that the value breaks are recorded in r.
func (r *Reader) ReadNested(raw []byte, fn func(in *Reader)) {
	if r.err != nil {
		return
	}
	in := NewReader(bytes.NewReader(raw))
	in.path = append(in.path, r.path...)
	in.fields = r.fields
	fn(in)
	r.fields, r.err = in.fields, in.err
}

// SkipText skips the next value like Skip, and checks its strings and member names for control characters like String.
// It is for values that are stored without being interpreted.
func (r *Reader) SkipText() (ok bool) {
	depth := r.dec.StackDepth()
	noted := len(r.fields)
	for r.err == nil {
		if name := r.atName(); name || r.dec.PeekKind() == '"' {
			r.readCleanText(name)
		} else {
			r.readToken()
		}
		if r.dec.StackDepth() <= depth {
			break
		}
	}
	return r.err == nil && len(r.fields) == noted
}
