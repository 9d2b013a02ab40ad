package harness

// Figure is one line of the result.
type Figure struct {
	Name   string
	Engine string
	Ours   string
	Raw    string
	Ratio  float64 // 0 if there is none
	Aim    string
	Met    bool
}
