package main

import (
	"strings"
	"testing"
)

func TestReport_printsOnlyWhatFailed(t *testing.T) {
	const events = `{"Action":"build-output","ImportPath":"vitrine/a","Output":"a.go:1: no\n"}
{"Action":"start","Package":"vitrine/internal/b"}
{"Action":"output","Package":"vitrine/internal/b","Test":"TestGood","Output":"=== RUN   TestGood\n"}
{"Action":"output","Package":"vitrine/internal/b","Test":"TestGood","Output":"    a note\n"}
{"Action":"output","Package":"vitrine/internal/b","Test":"TestGood","Output":"==================\n"}
{"Action":"output","Package":"vitrine/internal/b","Test":"TestGood","Output":"WARNING: DATA RACE\n"}
{"Action":"output","Package":"vitrine/internal/b","Test":"TestGood","Output":"==================\n"}
{"Action":"output","Package":"vitrine/internal/b","Test":"TestGood","Output":"    another note\n"}
{"Action":"pass","Package":"vitrine/internal/b","Test":"TestGood","Elapsed":1.5}
{"Action":"output","Package":"vitrine/internal/b","Test":"TestBad","Output":"=== RUN   TestBad\n"}
{"Action":"output","Package":"vitrine/internal/b","Test":"TestBad/sqlite","Output":"    b_test.go:3: got 1\n"}
{"Action":"output","Package":"vitrine/internal/b","Test":"TestBad/sqlite","Output":"    --- FAIL: TestBad/sqlite (2.00s)\n"}
{"Action":"fail","Package":"vitrine/internal/b","Test":"TestBad/sqlite","Elapsed":2}
{"Action":"output","Package":"vitrine/internal/b","Test":"TestBad","Output":"--- FAIL: TestBad (2.00s)\n"}
{"Action":"fail","Package":"vitrine/internal/b","Test":"TestBad","Elapsed":2}
{"Action":"output","Package":"vitrine/internal/b","Test":"TestGood","Output":"panic: oh\n"}
{"Action":"output","Package":"vitrine/internal/b","Test":"TestGood","Output":"goroutine 1\n"}
{"Action":"output","Package":"vitrine/internal/b","Output":"FAIL\tvitrine/internal/b\t3.5s\n"}
{"Action":"fail","Package":"vitrine/internal/b","Elapsed":3.5}
{"Action":"output","Package":"vitrine/c","Test":"TestFine","Output":"--- PASS: TestFine (0.10s)\n"}
{"Action":"pass","Package":"vitrine/c","Test":"TestFine","Elapsed":0.1}
{"Action":"output","Package":"vitrine/c","Test":"TestLong","Output":"    c_test.go:9: left to make thorough\n"}
{"Action":"skip","Package":"vitrine/c","Test":"TestLong","Elapsed":0}
{"Action":"skip","Package":"vitrine/internal/d","Elapsed":0}
{"Action":"output","Package":"vitrine/c","Output":"PASS\n"}
{"Action":"output","Package":"vitrine/c","Output":"ok  \tvitrine/c\t0.1s\n"}
{"Action":"pass","Package":"vitrine/c","Elapsed":0.1}
not JSON
`

	const want = `a.go:1: no
==================
WARNING: DATA RACE
==================
    b_test.go:3: got 1
    --- FAIL: TestBad/sqlite (2.00s)
--- FAIL: TestBad (2.00s)
panic: oh
goroutine 1
FAIL	vitrine/internal/b	3.5s
ok  	vitrine/c	0.1s
not JSON

Seconds per package:
     3.5  b
          and 2 packages below 1 s

The slowest tests, in seconds, with the time that their subtests wait for a processor:
     2.0  b TestBad
     1.5  b TestGood
     0.1  c TestFine
     0.0  c TestLong

Left out, 1 tests; "make thorough" leaves out none:
          c TestLong
`

	var out strings.Builder
	r := newReport(&out, false)
	if err := r.read(strings.NewReader(events)); err != nil {
		t.Fatal(err)
	}

	r.summarize()
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}
