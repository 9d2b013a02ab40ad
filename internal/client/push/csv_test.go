package push_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"vitrine/internal/client/push"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// Tables of all entities are converted to the items they describe.
func TestCSV_convertsLinesToItems(t *testing.T) {
	for name, c := range map[string]struct {
		entity, text string
		items        []string
	}{
		"products with one variant each": {
			"products",
			"id,name,description,categories,images,images_mode,feature:colour,feature:size,sku,price,remainder:main," +
				"remainder:shop,option:fit,variant_name\n" +
				`7,Tee,"Soft, light",a|b,https://x.example/1.jpg|https://x.example/2.jpg,replace,red|blue,,TEE,` +
				`012.50,5,,slim,Slim` + "\n" +
				"8,Cap,,,,,,,,,,,,\n",
			[]string{
				`{"id":"7","name":"Tee","description":"Soft, light","categories":["a","b"],` +
					`"images":["https://x.example/1.jpg","https://x.example/2.jpg"],"images_mode":"replace",` +
					`"features":[{"id":"colour","value_id":"red"},{"id":"colour","value_id":"blue"}],` +
					`"single_variant":true,"variant_sku":"TEE","variant_price":12.50,` +
					`"variant_remainders":[{"stock_id":"main","quantity":5}],"variant_options":[{"id":"fit",` +
					`"value_id":"slim"}],"variant_name":"Slim"}`,
				`{"id":"8","name":"Cap","categories":[],"features":[],"single_variant":true,"variant_remainders":[],` +
					`"variant_options":[]}`,
			},
		},
		"products with variants, a line each": {
			"products",
			"\ufeffid;name;variant_id;price;option:size;remainder:main\r\n" +
				"7;Tee;7-s;1 234,5;s;3,5\r\n7;;7-m;12.50;m;\r\n7;Tee;7-l;-1;l;0\r\n;;;;;\r\n8;Cap;;;;\r\n",
			[]string{
				`{"id":"7","name":"Tee","variants":[{"id":"7-s","price":1234.5,"options":[{"id":"size",` +
					`"value_id":"s"}],"remainders":[{"stock_id":"main","quantity":3.5}]},` +
					`{"id":"7-m","price":12.50,"options":[{"id":"size","value_id":"m"}],"remainders":[]},{"id":"7-l",` +
					`"price":-1,"options":[{"id":"size","value_id":"l"}],"remainders":[{"stock_id":"main",` +
					`"quantity":0}]}]}`,
				`{"id":"8","name":"Cap"}`,
			},
		},
		"products without variants": {
			"products", "ID\tName\n7\tTee \"x\"\n8\t\"A\ncap with \"\"quotes\"\"\"\n",
			[]string{`{"id":"7","name":"Tee \"x\""}`, `{"id":"8","name":"A\ncap with \"quotes\""}`},
		},
		"features": {"features",
			"id,name,filterable,field_type,range_type,value_id,value_name\nw,Weight,true,range,float,1,1.5\nw,,,,,2," +
				"2\nc,Colour,0,,,,\n",
			[]string{`{"id":"w","name":"Weight","filterable":true,"field_type":"range","range_type":"float",` +
				`"values":[{"id":"1","name":"1.5"},{"id":"2","name":"2"}]}`,
				`{"id":"c","name":"Colour","filterable":false}`}},
		"options": {
			"variant-options", "value_id,value_name,id,name\ns,Small,size,Size\nm,Medium,size,Size\n",
			[]string{`{"id":"size","name":"Size","values":[{"id":"s","name":"Small"},{"id":"m","name":"Medium"}]}`},
		},
		"categories": {
			"categories", "id,name,parent_id\na,Clothes,\nb,Tees,a\n",
			[]string{`{"id":"a","name":"Clothes","parent_id":null}`, `{"id":"b","name":"Tees","parent_id":"a"}`},
		},
		"texts for search engines": {
			"categories", "id,slug,seo_title,seo_description,seo_noindex\n" +
				"a,tops,Tops,\"Warm\nand soft\",1\nb,,Tees,,\nc,,,,FALSE\nd,,,,\ne,,null,,\n",
			[]string{
				`{"id":"a","slug":"tops","seo":{"title":"Tops","description":"Warm\nand soft","noindex":true}}`,
				`{"id":"b","seo":{"title":"Tees","description":""}}`,
				`{"id":"c","seo":{"title":"","description":"","noindex":false}}`, `{"id":"d"}`, `{"id":"e","seo":null}`,
			},
		},
		"stocks": {"stocks", "id,name\nmain,Main\n", []string{`{"id":"main","name":"Main"}`}},
		"remainders": {
			"remainders", "variant_id,product_id,stock_id,quantity\n7-s,7,main,4\n7-s,,shop,0.5\n",
			[]string{
				`{"variant_id":"7-s","product_id":"7","stock_id":"main","quantity":4}`,
				`{"variant_id":"7-s","stock_id":"shop","quantity":0.5}`,
			},
		},
		"prices": {"prices", "variant_id;price\n7-s;1\u00a0234,50\n7-m;null\n7-l;0\n", []string{
			`{"variant_id":"7-s","price":1234.50}`, `{"variant_id":"7-m","price":null}`,
			`{"variant_id":"7-l","price":0}`}},
		"products not for sale": {
			"products", "id,name,variant_id,price\n7,Tee,7-s,NULL\n7,,7-m,\n",
			[]string{`{"id":"7","name":"Tee","variants":[{"id":"7-s","price":null},{"id":"7-m"}]}`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := &fakeGate{}
			p := newTestJob(t, g, "table", c.text)
			p.Entity = c.entity

			r := p.mustPush(t)
			if r.Failed != 0 || len(r.IgnoredFields) != 0 {
				t.Errorf("the report is %+v", r)
			}
			if diff := cmp.Diff(parseItems(t, c.items), parseItems(t, g.applied)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// parseItems decodes items, so that the order of their members does not matter. Numbers stay as written, such as 10.50.
func parseItems(t *testing.T, items []string) (all []any) {
	t.Helper()
	for _, it := range items {
		var v any
		d := json.NewDecoder(strings.NewReader(it))
		d.UseNumber()
		if err := d.Decode(&v); err != nil {
			t.Fatalf("%s: %v", it, err)
		}
		all = append(all, v)
	}
	return all
}

// An unreadable line makes its item fail. The report has its line number and the rejects file its content. Other items
// are sent.
func TestCSV_rejectsUnreadableLines(t *testing.T) {
	for name, c := range map[string]struct {
		text    string
		issues  []string // line, id and a part of the message of each
		applied string   // ids, separated by spaces
		rejects string
	}{
		"a price that is not a number": {
			"id,price\n1,10\n2,ten\n3,\"1,5\"\n4,40\n", []string{"3 2 price", "4 3 price"}, "1 4",
			`{"id":"2","single_variant":true,"variant_price":"ten"}` + "\n" +
				`{"id":"3","single_variant":true,"variant_price":"1,5"}` + "\n",
		},
		"one of a product's variants": {
			"id,variant_id,price\n1,a,1\n2,b,2\n2,c,x\n2,d,4\n3,e,5\n", []string{"4 2 price"}, "1 3",
			`{"id":"2","variants":[{"id":"b","price":2},{"id":"c","price":"x"},{"id":"d","price":4}]}` + "\n",
		},
		"a line with too many cells": {
			"id,variant_id,price\n1,a,1\n2,b,2\n2,c,3,4\n3,e,5\n", []string{"4 2 cells"}, "1 3",
			`{"error":"Line 4: it has 4 cells, but the first line has 3.","csv":["2,b,2","2,c,3,4"]}` + "\n",
		},
		"a quote that does not close": {
			"id,name\n1,A\n2,\"B\n3,C\n4,D\n", []string{"3 2 quote"}, "1 3 4",
			`{"error":"Line 3: a quote is opened and not closed.","csv":["2,\"B"]}` + "\n",
		},
		"a quote inside a cell": {
			"id,name\n1,\"A\" b\n2,\"B\n\"c\n3,C\n", []string{"2 1 twice", "3 2 twice", "4 c quote"}, "3",
			`{"error":"Line 2: after a quote that closes a cell there must be a separator; a quote inside a cell is ` +
				`written twice.","csv":["1,\"A\" b"]}` + "\n" +
				`{"error":"Line 3: after a quote that closes a cell there must be a separator; a quote inside a cell ` +
				`is written twice.","csv":["2,\"B"]}` + "\n" +
				`{"error":"Line 4: a quote is opened and not closed.","csv":["\"c"]}` + "\n",
		},
		"a line that is not UTF-8": {"id,name\n1,\xcc\xe0\xe9\n2,Б\n3,В\n",
			[]string{"2 1 it looks like Windows-1251, not UTF-8"}, "2 3", ""},
		"no id": {"id,name\n,A\n2,B\n", []string{"2  empty"}, "2", `{"name":"A"}` + "\n"},
		"a variant without a product": {
			"id,variant_id,price\n1,a,1\n,b,2\n3,c,3\n", []string{"3 1 may belong to 1", "3  empty"}, "3",
			`{"id":"1","variants":[{"id":"a","price":1}]}` + "\n" + `{"variants":[{"id":"b","price":2}]}` + "\n",
		},
		"lines without an id among those of a product": {
			"id,variant_id,price\n1,a,1\n,b,2\n,c,x,\n1,d,4\n2,e,5\n",
			[]string{"3 1 may belong to 1", "3  empty", "4  cells"}, "2",
			`{"id":"1","variants":[{"id":"a","price":1},{"id":"d","price":4}]}` + "\n" +
				`{"variants":[{"id":"b","price":2}]}` + "\n" +
				`{"error":"Line 4: it has 4 cells, but the first line has 3.","csv":[",c,x,"]}` + "\n",
		},
		"a single variant without an id": {"id,variant_id,price\n1,,1\n2,b,2\n", nil, "1 2", ""},
		"two names of a product": {
			"id,name,variant_id\n1,A,a\n1,B,b\n2,C,c\n", []string{"3 1 name"}, "2",
			`{"id":"1","name":"A","variants":[{"id":"a"},{"id":"b"}]}` + "\n",
		},
		"lines that are not consecutive": {
			"id,variant_id\n1,a\n2,b\n1,c\n", []string{"4 1 together"}, "1 2",
			`{"id":"1","variants":[{"id":"c"}]}` + "\n",
		},
		"two values of an option": {"id,option:size\n1,s|m\n2,s\n", []string{"2 1 one value"}, "2",
			`{"id":"1","single_variant":true,"variant_options":[{"id":"size","value_id":"s"},{"id":"size",` +
				`"value_id":"m"}]}` + "\n"},
	} {
		t.Run(name, func(t *testing.T) {
			g := &fakeGate{}
			p := newTestJob(t, g, "products.csv", c.text)
			r := p.mustPush(t)
			var issues []string
			for i, issue := range r.Errors {
				issues = append(issues, fmt.Sprintf("%d %s", issue.Line, issue.IDText()))
				if i < len(c.issues) {
					want := strings.SplitN(c.issues[i], " ", 3)
					if !strings.Contains(issue.Message, want[2]) || issue.Code != "unreadable_line" ||
						issue.Index != nil {
						t.Errorf("issue %d is %+v, want %s", i, issue, want)
					}
					c.issues[i] = want[0] + " " + want[1]
				}
			}

			if diff := cmp.Diff(c.issues, issues); diff != "" {
				t.Error(diff)
			}

			var applied []string
			for _, it := range parseItems(t, g.applied) {
				applied = append(applied, fmt.Sprint(it.(map[string]any)["id"]))
			}

			if got := strings.Join(applied, " "); got != c.applied {
				t.Errorf("the applied items are %s, want %s", got, c.applied)
			}

			n := int64(len(c.issues))
			if r.Failed != n || r.Unreadable != n || r.Received != n+int64(len(applied)) {
				t.Errorf("the report is %+v", r)
			}
			if got := readFile(t, p.Rejects); c.rejects != "" && got != c.rejects {
				t.Errorf("the rejects are\n%swant\n%s", got, c.rejects)
			}
		})
	}
}

// A resumed push does not report the unreadable lines of the earlier push again.
func TestCSV_resumesAfterInterruption(t *testing.T) {
	g := &fakeGate{}
	p := newTestJob(t, g, "products.csv", "id,variant_id,price\n1,a,1\n1,b,2\n2,a,x\n3,a,3\n4,a,y\n5,a,5\n")
	p.Items = 2
	uninterrupted := p.mustPush(t)
	g.applied = nil
	g.batches = nil
	g.pushes = 0
	g.intercept = refusePush(2)
	p.mustFail(t, "missing_scope")

	r := p.mustPush(t)
	if !r.Resumed || r.Unreadable != 2 || r.Failed != 2 || r.Created != 3 || r.Received != uninterrupted.Received ||
		len(g.applied) != 3 {
		t.Errorf("the report is %+v, that of an uninterrupted push is %+v; the applied items are %v", r, uninterrupted,
			g.applied)
	}

	if got := strings.Count(readFile(t, p.Rejects), "\n"); got != 2 {
		t.Errorf("the rejects file has %d lines, want 2: %s", got, readFile(t, p.Rejects))
	}
}

// A file that Excel saved on a Russian system is read, and the report says so.
func TestCSV_readsWindows1251(t *testing.T) {
	for _, atomic := range []bool{false, true} {
		g := &fakeGate{}
		p := newTestJob(t, g, "products.csv", "id;name;price\n1;\xd1\xf2\xee\xeb;10\n")
		p.Atomic = atomic
		if r := p.mustPush(t); r.Charset != "Windows-1251" || !strings.Contains(g.applied[0], `"name":"Стол"`) {
			t.Errorf("the character set is %q, the applied items %v", r.Charset, g.applied)
		}
	}
}

func TestCSV_reportsUnknownColumns(t *testing.T) {
	g := &fakeGate{}
	p := newTestJob(t, g, "products.csv", "id,name,weigth,feature:,,option\n1,A,5,x,,s\n")
	if r := p.mustPush(t); !cmp.Equal(r.IgnoredFields, []string{"column weigth", "column feature:", "column option"}) ||
		g.applied[0] != `{"id":"1","name":"A"}` {
		t.Errorf("the ignored fields are %q, the applied items %v", r.IgnoredFields, g.applied)
	}

	r := p.mustPush(t)
	if meant := r.Ignored[0].DidYouMean; len(r.Ignored) != 3 || meant == nil || *meant != "weight" {
		t.Errorf("the ignored columns are %+v", r.Ignored)
	}

	for text, code := range map[string]string{
		"name,price\nA,1\n": "missing_column", "id,id\n1,2\n": "duplicate_column", "id,\"na\nme\n": "broken_file",
		"id,feature:A,feature:A\n": "duplicate_column", "id,seo_title\n1,A\n": "missing_column",
		"id,seo_noindex,seo_title\n1,true,A\n": "missing_column",
	} {
		newTestJob(t, g, "products.csv", text).mustFail(t, code)
	}
	p = newTestJob(t, g, "features.csv", "id,value_name\n1,A\n")
	p.Entity = "features"
	p.mustFail(t, "missing_column")
}

// Any cell that encoding/csv writes is read back unchanged.
func TestCSV_readsCellsWrittenByEncodingCSV(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		sep := rapid.SampledFrom([]rune{',', ';', '\t'}).Draw(rt, "separator")
		cell := rapid.StringOfN(rapid.SampledFrom([]rune("ab,;\t\"\n é")), 1, 8, -1)
		names := rapid.SliceOfN(cell, 1, 5).Draw(rt, "names")
		var text bytes.Buffer
		w := csv.NewWriter(&text)
		w.Comma = sep
		_ = w.Write([]string{"id", "name", "description"})
		var want []string

		for i, name := range names {
			_ = w.Write([]string{fmt.Sprint(i + 1), name, "x"})
			want = append(want, strings.TrimSpace(name))
		}

		w.Flush()
		g := &fakeGate{}
		p := newTestJob(t, g, "x", "")
		p.File = push.Stdin
		p.Input = &text
		p.Rejects = ""
		p.Format = push.CSV
		written := text.String()

		if _, err := push.Push(t.Context(), p.Job); err != nil {
			rt.Fatal(err)
		}

		var got []string
		for _, it := range parseItems(t, g.applied) {
			name, _ := it.(map[string]any)["name"].(string)
			got = append(got, name)
		}

		if diff := cmp.Diff(want, got); diff != "" {
			rt.Errorf("%s\n%s", written, diff)
		}
	})
}
