package memory

import (
	"fmt"
	"testing"
	"testing/fstest"
)

func TestDefaultLimit_isTakenFromControlGroupOrMachine(t *testing.T) {
	const meminfo = "MemTotal:       24683456 kB\nMemFree:        10695680 kB\n"

	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	machine := int64(24683456) << 10
	for _, c := range []struct {
		name  string
		files fstest.MapFS
		want  int64
	}{
		{"no files", fstest.MapFS{}, fallbackLimit},
		{"a machine without control groups", fstest.MapFS{"proc/meminfo": file(meminfo)}, machine / 100 * 80},
		{"version 2, own group", fstest.MapFS{"proc/meminfo": file(meminfo),
			"proc/self/cgroup": file("0::/system.slice/vitrine.service\n"),
			"sys/fs/cgroup/system.slice/vitrine.service/memory.max": file("536870912\n"),
			"sys/fs/cgroup/system.slice/memory.max":                 file("max\n"),
		}, 536870912 / 100 * 80},
		{"version 2, a parent has the smaller limit", fstest.MapFS{"proc/meminfo": file(meminfo),
			"proc/self/cgroup":                       file("0::/pod/container\n"),
			"sys/fs/cgroup/pod/container/memory.max": file("2147483648\n"),
			"sys/fs/cgroup/pod/memory.max":           file("1073741824\n"),
		}, 1073741824 / 100 * 80},
		{"version 2, a container whose path is that of the host", fstest.MapFS{"proc/meminfo": file(meminfo),
			"proc/self/cgroup":         file("0::/host/docker/abc\n"),
			"sys/fs/cgroup/memory.max": file("268435456\n"),
		}, 268435456 / 100 * 80},
		{"version 1", fstest.MapFS{"proc/meminfo": file(meminfo),
			"proc/self/cgroup": file("5:cpu,cpuacct:/x\n4:memory:/docker/abc\n"),
			"sys/fs/cgroup/memory/docker/abc/memory.limit_in_bytes": file("1073741824\n"),
			"sys/fs/cgroup/memory/memory.limit_in_bytes":            file("9223372036854771712\n"),
		}, 1073741824 / 100 * 80},
		{"a limit above the machine's memory", fstest.MapFS{"proc/meminfo": file(meminfo),
			"proc/self/cgroup":         file("0::/\n"),
			"sys/fs/cgroup/memory.max": file("9223372036854771712\n"),
		}, machine / 100 * 80},
	} {
		if got := DefaultLimit(c.files); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

func TestSize_isParsedWithUnit(t *testing.T) {
	for text, want := range map[string]Size{
		"512MiB": 512 << 20, "2GiB": 2 << 30, "2g": 2 << 30, "1 TiB": 1 << 40, "64k": 64 << 10, "5MB": 5e6, "100": 100,
		"100B": 100, "0": 0, " 1KiB ": 1024,
	} {
		var s Size
		if err := s.UnmarshalText([]byte(text)); err != nil || s != want {
			t.Errorf("%q is %d, %v, want %d", text, s, err, want)
		}
	}

	for _, bad := range []string{"", "MiB", "-1MiB", "1.5GiB", "1XiB", "9999999TiB", "1 2MiB"} {
		var s Size
		if err := s.UnmarshalText([]byte(bad)); err == nil {
			t.Errorf("%q was accepted as %d", bad, s)
		}
	}

	for s, want := range map[Size]string{512 << 20: "512MiB", 1000: "1000B", 3 << 30: "3GiB", 0: "0B",
		1 << 50: "1024TiB"} {
		if got := fmt.Sprint(s); got != want {
			t.Errorf("%d is written %s, want %s", int64(s), got, want)
		}
	}
}
