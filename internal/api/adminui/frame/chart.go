package frame

// Chart is the data of the template "chart": a table of numbers, which a script also draws.
type Chart struct {
	// Kind is bars, stacked or lines.
	Kind  string
	Title string
	// Column is the heading of the column with the labels, such as Day.
	Column string
	Labels []string
	Series []Series
}

// Series is one column of numbers. Texts are the numbers as people read them.
type Series struct {
	Name   string
	Values []float64
	Texts  []string
	// Color is good, bad, warn, or empty for the default colour.
	Color string
}

// ChartRow is a row of the chart's table.
type ChartRow struct {
	Label string
	Cells []ChartCell
}

// ChartCell is a number of a chart.
type ChartCell struct {
	Name, Text string
	Value      float64
}

// Rows returns the numbers by label.
func (c Chart) Rows() []ChartRow {
	rows := make([]ChartRow, len(c.Labels))
	for i, label := range c.Labels {
		rows[i].Label = label
		for _, s := range c.Series {
			rows[i].Cells = append(rows[i].Cells, ChartCell{Name: s.Name, Text: s.Texts[i], Value: s.Values[i]})
		}
	}
	return rows
}
