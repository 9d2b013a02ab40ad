package drawing

import "fmt"

// f formats the points of a curve.
func f(format string, args ...any) string { return fmt.Sprintf(format, args...) }
