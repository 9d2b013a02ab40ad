package demo

// WithBatchSize sets the number of products per transaction.
func (o Options) WithBatchSize(n int) Options {
	o.batch = n
	return o
}
