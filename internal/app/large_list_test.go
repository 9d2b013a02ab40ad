package app_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"vitrine/internal/testkit/apitest"
	"vitrine/internal/testkit/promise"
)

const (
	optionsPath = "/v2/variant-options"
	// unknownID is an id that no entity has.
	unknownID = "018f0000-0000-7000-8000-000000000000"
)

// streamBody returns a body that is written while it is sent, so that it is never in memory as a whole.
func streamBody(write func(w *bufio.Writer)) io.Reader {
	r, w := io.Pipe()
	go func() {
		b := bufio.NewWriterSize(w, 64<<10)
		write(b)
		_ = w.CloseWithError(b.Flush())
	}()
	return r
}

// writeList writes a JSON list of n elements.
func writeList(w *bufio.Writer, n int, element func(i int)) {
	w.WriteByte('[')
	for i := range n {
		if i > 0 {
			w.WriteByte(',')
		}
		element(i)
	}
	w.WriteByte(']')
}

// valueIDs returns the ids of all values in a response.
func valueIDs(t *testing.T, r *apitest.Response) []string {
	t.Helper()
	var response struct {
		Data struct {
			Values []struct {
				ID string `json:"id"`
			} `json:"values"`
		} `json:"data"`
	}
	if err := json.Unmarshal(r.Body, &response); err != nil {
		t.Fatal(err)
	}

	ids := make([]string, len(response.Data.Values))
	for i, v := range response.Data.Values {
		ids[i] = v.ID
	}

	return ids
}

// The following tests run the program as a separate process without the race detector. In the test process, with the
// detector, SQLite takes forty times as long.

// One request can create, rename, remove and add any number of values, in linear time. The default is enough for a
// staged option, for an edit in many chunks, and for a deletion in the background. VITRINE_VALUES=1000000 takes
// minutes.
func TestLargeList_editsManyValues(t *testing.T) {
	promise.OnlyThorough(t)
	t.Parallel()
	n := promise.Number(t, "VITRINE_VALUES", 32_000)
	sampledEngine(t, func(t *testing.T, inst *installation) { testManyValues(t, inst, n) })
}

func testManyValues(t *testing.T, inst *installation, n int) {
	t.Helper()
	_, s := inst.FirstRun()
	start := time.Now()
	logDuration := func(what string) {
		t.Logf("%s: %s %d values in %s", inst.Engine, what, n, time.Since(start).Round(time.Millisecond))
		start = time.Now()
	}
	r := s.OK(201, "POST", optionsPath+"?with=values", streamBody(func(w *bufio.Writer) {
		w.WriteString(`{"values": `)
		writeList(w, n, func(i int) { fmt.Fprintf(w, `{"name": "v%d"}`, i) })
		w.WriteString(`, "name": "Many"}`) // the name may come after the values
	}))
	logDuration("created")

	ids := valueIDs(t, r)
	if len(ids) != n {
		t.Fatalf("%d values were created, want %d", len(ids), n)
	}

	path := optionsPath + "/" + r.Text("data.id")

	// Of every four values, remove one and rename one. Add as many values as are removed.
	r = s.OK(200, "PUT", path, streamBody(func(w *bufio.Writer) {
		w.WriteString(`{"removed_values": `)
		writeList(w, n/4, func(i int) { fmt.Fprintf(w, `%q`, ids[4*i]) })
		w.WriteString(`, "values": `)
		writeList(w, n/2, func(i int) {
			if i%2 == 0 {
				fmt.Fprintf(w, `{"id": %q, "name": "renamed %d"}`, ids[2*i+1], 2*i+1)
			} else {
				fmt.Fprintf(w, `{"name": "new %d"}`, i)
			}
		})
		w.WriteString(`}`)
	}))

	logDuration("edited half of")
	if r.Header.Get("ETag") != `"v2"` {
		t.Errorf("the ETag after the edit is %s, want \"v2\"", r.Header.Get("ETag"))
	}

	for page, want := range map[int]string{
		1:       "renamed 1 v2 v3 renamed 5 v6 v7", // the first of each four is removed
		n / 8:   fmt.Sprintf("renamed %d v%d v%d renamed %d v%d v%d", n-7, n-6, n-5, n-3, n-2, n-1),
		n/8 + 1: "new 1 new 3 new 5 new 7 new 9 new 11",
	} {
		got := strings.Join(s.Get(fmt.Sprintf("%s/values?per_page=6&page=%d", path, page)).Texts("data", "name"), " ")
		if got != want {
			t.Errorf("page %d is %q, want %q", page, got, want)
		}
	}

	if got := s.Get(path + "/values?per_page=1").Text("meta.total"); got != fmt.Sprint(n) {
		t.Errorf("%s values are left, want %d", got, n)
	}

	// One invalid element is reported with its index, and nothing is changed.
	problem := fmt.Sprintf("422 values[%d].id unknown_value", n/2)
	if got := s.Do("PUT", path, streamBody(func(w *bufio.Writer) {
		w.WriteString(`{"values": `)
		writeList(w, n/2+1, func(i int) {
			id := unknownID
			if i < n/2 {
				id = ids[2*i+1]
			}
			fmt.Fprintf(w, `{"id": %q, "name": "never"}`, id)
		})
		w.WriteString(`}`)
	})).Problem(); got != problem {
		t.Errorf("the edit with one unknown id returns %s, want %s", got, problem)
	}

	logDuration("refused an edit of half of")
	if got := s.Get(path).Header.Get("ETag"); got != `"v2"` {
		t.Errorf("the ETag after a refused edit is %s, want \"v2\"", got)
	}

	s.OK(204, "DELETE", path, nil)
	logDuration("deleted all")
}

// Editing a long list takes less heap memory than half of the size of the body. Without a limit it would take more than
// the whole size. Garbage adds to the measured size, more of it on a busy machine.
func TestLargeList_takesBoundedMemory(t *testing.T) {
	promise.OnlyThorough(t)
	t.Parallel()
	const n, existing, length = 100_000, 10_000, 200
	const size = n * (length + 14) // approximate size of the body in bytes; the JSON around each name takes about 14
	name := strings.Repeat("x", length)

	sampledEngine(t, func(t *testing.T, inst *installation) {
		cmd := inst.ServeCommand()
		cmd.Env = append(cmd.Env, "GOGC=10") // keeps garbage out of the measurement
		p := apitest.LaunchServer(t, cmd)
		keys, _ := p.FirstRunKeys()
		s := p.Server(keys.Keys(t))
		created := s.OK(201, "POST", optionsPath+"?with=values", streamBody(func(w *bufio.Writer) {
			w.WriteString(`{"name": "Many", "values": `)
			writeList(w, existing, func(i int) { fmt.Fprintf(w, `{"name": "v%d"}`, i) })
			w.WriteString(`}`)
		}))
		ids := valueIDs(t, created)

		stopWatch := watchHeap(t, p)

		// A tenth of the elements rename or remove values, the others add some.
		s.OK(200, "PUT", optionsPath+"/"+created.Text("data.id"), streamBody(func(w *bufio.Writer) {
			w.WriteString(`{"removed_values": `)
			writeList(w, existing/2, func(i int) { w.WriteString(`"` + ids[2*i] + `"`) })
			w.WriteString(`, "values": `)
			writeList(w, n-existing/2, func(i int) {
				if i < existing/2 {
					w.WriteString(`{"id": "` + ids[2*i+1] + `", "name": "` + name + `"}`)
				} else {
					w.WriteString(`{"name": "` + name + `"}`)
				}
			})
			w.WriteString(`}`)
		}))

		before, peak := stopWatch()
		t.Logf("%s: a body of %d MiB took %d MiB of heap in addition to %d MiB", inst.Engine, size>>20,
			(peak-before)>>20, before>>20)
		if peak-before > size/2 {
			t.Errorf("a body of %d MiB took %d MiB of heap", size>>20, (peak-before)>>20)
		}

		// Rendering the response takes less heap memory than half of size, too.
		stopWatch = watchHeap(t, p)
		if got := len(s.Get(optionsPath + "/" + created.Text("data.id") + "?with=values").Body); got < size {
			t.Errorf("the response has only %d bytes", got)
		}
		if before, peak := stopWatch(); peak-before > size/2 {
			t.Errorf("a response of more than %d MiB took %d MiB of heap", size>>20, (peak-before)>>20)
		}
	})
}

// heapLine matches the heap size in the output of /metrics.
var heapLine = regexp.MustCompile(`(?m)^go_memstats_heap_alloc_bytes (\S+)$`)

// watchHeap samples the heap size of the process. The returned function stops the sampling and returns the first and
// the largest size in bytes.
func watchHeap(t *testing.T, p *apitest.Process) (stopWatch func() (before, peak int64)) {
	t.Helper()
	heap := func() int64 {
		_, metrics := p.GetAdmin("/metrics")
		found := heapLine.FindStringSubmatch(metrics)
		if found == nil {
			t.Error("/metrics does not report the heap")
			return 0
		}

		bytes, err := strconv.ParseFloat(found[1], 64)
		if err != nil {
			t.Error(err)
		}

		return int64(bytes)
	}

	before := heap()
	peak := before
	stop := make(chan struct{})
	var wait sync.WaitGroup

	wait.Go(func() {
		for {
			select {
			case <-stop:
				return
			case <-time.After(10 * time.Millisecond):
				peak = max(peak, heap())
			}
		}
	})

	return func() (int64, int64) {
		close(stop)
		wait.Wait()
		return before, peak
	}
}
