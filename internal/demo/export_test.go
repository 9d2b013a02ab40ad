package demo

// InBatchesOf makes a run write so many products in a transaction.
func (o Options) InBatchesOf(n int) Options {
	o.batch = n
	return o
}
