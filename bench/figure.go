package main

// figure is one line of the result.
type figure struct {
	name   string
	engine string
	ours   string
	raw    string
	ratio  float64 // 0 if there is none
	aim    string
	met    bool
}
