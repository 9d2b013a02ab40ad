package wire

// LimitToken makes r refuse tokens of more than n bytes, so that tests need not read megabytes.
func (r *Reader) LimitToken(n int64) { r.input.limit = n }
