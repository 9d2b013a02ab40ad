package wire

// LimitToken sets the token limit of r to n bytes, so that tests need not read megabytes.
func (r *Reader) LimitToken(n int64) { r.input.limit = n }
