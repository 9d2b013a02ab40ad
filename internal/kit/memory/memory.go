// Package memory divides the memory of the process into shares and admits work against them. It finds out how much
// memory the process may use, and counts what clients can make it hold: request bodies, decompression windows, caches,
// responses, connections, and the bytes of temporary files. It does not measure the heap; callers acquire bytes before
// they allocate them.
package memory

import (
	"io/fs"
	"math"
	"path"
	"strconv"
	"strings"
)

// usablePercent is the part of the detected memory that the process uses by default. The rest is for the kernel, for
// the page cache of the database file, and for other processes of the same control group.
const usablePercent = 80

// fallbackLimit is the limit of a machine on which no memory size was found.
const fallbackLimit = 1 << 30

// DefaultLimit returns the limit of the process in bytes if none is configured: 80 % of the memory that its control
// group or the machine has, whichever is less. The file system root is the root of the machine, os.DirFS("/") except in
// tests.
func DefaultLimit(root fs.FS) int64 {
	total := min(machineMemory(root), controlGroupMemory(root))
	if total == math.MaxInt64 {
		return fallbackLimit
	}
	return total / 100 * usablePercent
}

// machineMemory returns the memory of the machine, or math.MaxInt64 if it is unknown.
func machineMemory(root fs.FS) int64 {
	for line := range strings.Lines(readFile(root, "proc/meminfo")) {
		name, value, _ := strings.Cut(line, ":")
		if name != "MemTotal" {
			continue
		}
		kib, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
		if err == nil && kib > 0 {
			return kib << 10
		}
	}
	return math.MaxInt64
}

// controlGroupMemory returns the smallest memory limit of the control groups of the process, or math.MaxInt64 without
// one. A limit applies to all groups below it, so the parents count, too. Inside a container the path in
// /proc/self/cgroup may be that of the host; the walk ends at the root of the mounted hierarchy in any case.
func controlGroupMemory(root fs.FS) int64 {
	limit := int64(math.MaxInt64)
	for line := range strings.Lines(readFile(root, "proc/self/cgroup")) {
		// The line has the form hierarchy:controllers:path. Version 2 has the hierarchy 0 and no controllers.
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) < 3 {
			continue
		}

		mount, file := "sys/fs/cgroup", "memory.max"
		switch {
		case parts[1] == "":
		case hasController(parts[1], "memory"):
			mount = "sys/fs/cgroup/memory"
			file = "memory.limit_in_bytes"
		default:
			continue
		}

		for group := path.Clean("/" + parts[2]); ; group = path.Dir(group) {
			limit = min(limit, parseLimit(readFile(root, path.Join(mount, group, file))))
			if group == "/" {
				break
			}
		}
	}

	return limit
}

func hasController(list, name string) bool {
	for c := range strings.SplitSeq(list, ",") {
		if c == name {
			return true
		}
	}
	return false
}

// parseLimit parses the limit of a control group. The text "max", an empty text and values that no machine has mean no
// limit: version 1 writes the largest multiple of a page.
func parseLimit(text string) int64 {
	n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	if err != nil || n <= 0 || n >= math.MaxInt64>>12<<12 {
		return math.MaxInt64
	}
	return n
}

// readFile returns the text of a file, or "" if it cannot be read.
func readFile(root fs.FS, name string) string {
	text, err := fs.ReadFile(root, name)
	if err != nil {
		return ""
	}
	return string(text)
}
