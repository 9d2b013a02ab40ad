package demo

// WithBatchSize makes a run write so many products in a transaction.
func (o Options) WithBatchSize(n int) Options {
	o.batch = n
	return o
}
