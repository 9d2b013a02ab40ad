package app

// SetFreeDisk replaces the function that returns the free bytes of a disk.
func (a *App) SetFreeDisk(fn func(dir string) int64) { a.freeDisk = fn }
