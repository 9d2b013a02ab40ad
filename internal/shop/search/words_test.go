package search

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"vitrine/internal/kit/locale"
)

// scriptWords returns words in several scripts: with combining marks, letters whose case folding has another length,
// symbols, emoji, and words that are prefixes of others.
func scriptWords() []string {
	return []string{
		"Lamp", "lamps", "LAMPE", "Straße", "STRASSE", "ß", "ssd", "Лампа", "лампочка", "ЁЛКА", "елка", "Ёж",
		"cafe\u0301", "café", "cafeteria", "İstanbul", "ﬁne", "finest", "ΣΊΣΥΦΟΣ", "σίσυφος", "東京", "東京都", "ไทย",
		"हिन्दी", "עברית", "👟", "👟👟", "a+b", "c++", "№5", "$", "1", "12", "123", "0,5", "x-1", "x1",
	}
}

// wordStore is a set of products with texts only, in columns and as a plain map.
type wordStore struct {
	*searchColumns
	texts map[int64]string // the search text by key
}

func newWordStore() wordStore {
	w := wordStore{newColumns(), map[int64]string{}}
	w.assignColumns(func(int64) bool { return true })
	return w
}

func (w wordStore) putText(key int64, name, externalID string, skus ...string) {
	p := productRow{key: key, name: locale.SearchText(name)}
	p.words = p.name + locale.SearchText(append([]string{externalID}, skus...)...)
	w.put(&p)
	w.texts[key] = p.words
}

func (w wordStore) removeText(key int64) {
	w.remove(key)
	delete(w.texts, key)
}

// naiveSearch returns the keys of the products with all words of the query.
func (w wordStore) naiveSearch(query string) []int64 {
	var keys []int64
	words := locale.Words(query)
	for key, text := range w.texts {
		matches := true
		for _, word := range words {
			matches = matches && slices.ContainsFunc(strings.Split(text, " "),
				func(have string) bool { return have != "" && strings.HasPrefix(have, word) })
		}
		if matches {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}

// differs returns how the columns and naiveSearch differ, or an empty text.
func (w wordStore) differs(query string) string {
	words, nothing := locale.QueryWords(query)
	if nothing || len(words) == 0 {
		return ""
	}
	want := w.naiveSearch(query)
	for _, facets := range []bool{false, true} {
		found := w.find(&searchFilter{words: words}, &w.base, Query{Limit: 1 << 20, WithFacets: facets})
		if !slices.Equal(found.Keys, want) || found.Total != int64(len(want)) {
			return fmt.Sprintf("%q, facets %v: %d products, want %d", query, facets, found.Total, len(want))
		}
	}
	return ""
}

// randomQuery returns one to three prefixes of words, in lower or upper case.
func randomQuery(intn func(n int) int, words []string) string {
	var query []string
	for range 1 + intn(3) {
		word := []rune(words[intn(len(words))])
		part := string(word[:1+intn(len(word))])
		if intn(3) == 0 {
			part = strings.ToUpper(part)
		}
		query = append(query, part)
	}
	return strings.Join(query, " ")
}

func TestWords_columnsAgreeWithTextsInAllScripts(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		intn := func(n int) int { return rapid.IntRange(0, n-1).Draw(r, "n") }
		words := append(scriptWords(), rapid.SliceOfN(rapid.StringN(1, 6, -1), 1, 5).Draw(r, "words")...)
		words = slices.DeleteFunc(words, func(w string) bool { return len(locale.Words(w)) == 0 })
		text := func() string {
			var list []string
			for range intn(5) {
				list = append(list, words[intn(len(words))])
			}
			return strings.Join(list, " ")
		}
		w := newWordStore()

		for range 1 + intn(4) {
			for range intn(12) {
				switch key := int64(1 + intn(20)); intn(4) {
				case 0:
					w.removeText(key)
				default:
					w.putText(key, text(), text(), text(), text())
				}
			}

			switch intn(3) {
			case 0:
				w.cluster()
			case 1:
				w.indexWords(0)
			}

			for range 5 {
				if diff := w.differs(randomQuery(intn, words)); diff != "" {
					r.Fatal(diff)
				}
			}
		}
	})
}

// The words of several blocks, some of them frequent enough for a bitmap, while products are edited, added and removed.
func TestWords_areFoundAfterEditsAcrossBlocks(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	words := scriptWords()
	w := newWordStore()
	put := func(key int64) {
		var name []string
		for range 1 + r.IntN(4) {
			name = append(name, words[min(r.IntN(len(words)), r.IntN(len(words)))])
		}
		number := fmt.Sprintf("%06d", key*7919%1_000_003)
		w.putText(key, strings.Join(name, " "), "D-"+number, "SK-"+number+"-1", "SK-"+number+"-2")
	}

	check := func(when string) {
		t.Helper()
		queries := []string{"d", "sk 1", "0", "00", "0000", "l", "лам", "strasse", "nothing", "d nothing"}
		for range 20 {
			queries = append(queries, randomQuery(r.IntN, words))
		}

		for _, query := range queries {
			if diff := w.differs(query); diff != "" {
				t.Fatalf("%s: %s", when, diff)
			}
		}
	}

	const rows = 2*blockLen + 300
	for key := range int64(rows) {
		put(key + 1)
	}

	check("before clustering")
	w.cluster()
	check("clustered")

	for range 2 * maxStaleRows {
		put(1 + r.Int64N(blockLen)) // rows of the first block
		put(rows + 1 + r.Int64N(blockLen))
		w.removeText(1 + r.Int64N(rows))
	}

	check("after edits")
	before := w.words[0].staleCount
	w.indexWords(maxStaleRows)
	if after := w.words[0].staleCount; before <= maxStaleRows || after != 0 || w.words[1].staleCount > maxStaleRows {
		t.Errorf("stale rows of the first block: %d, then %d, want more than %d, then 0", before, after, maxStaleRows)
	}

	check("indexed again")
	w.cluster()
	check("clustered again")
}

func TestWords_ofTheNameAndRepeatedOnesAreStoredOnce(t *testing.T) {
	w := newWordStore()
	w.putText(1, "Lamp D", "D-0001", "SK-0001-1", "SK-0001-2")
	if got, want := string(w.textOf(0)), " lamp d\x01 0001 sk 1 2"; got != want {
		t.Errorf("the text is %q, want %q", got, want)
	}
	size := len(w.text)
	w.putText(1, "Lamp D", "D-0001", "SK-0001-2", "SK-0001-1") // the same words in another order
	w.putText(1, "Lamp D", "D-0001", "SK-0001-2", "SK-0001-1")
	if len(w.text) != 2*size || w.unusedText != size {
		t.Errorf("after two puts of an equal text: %d bytes, %d unused, want %d and %d", len(w.text), w.unusedText,
			2*size, size)
	}
}

// The memory of the index is counted, and a build that is within its limit before the texts are indexed is within it
// afterwards, too.
func TestColumnsSize_countsTheIndexOfWords(t *testing.T) {
	w := newWordStore()
	for key := range int64(3 * blockLen) {
		w.putText(key+1, fmt.Sprintf("Lamp %d of %d", key%700, key%90), fmt.Sprintf("D-%06d", key),
			fmt.Sprintf("SK-%06d-1", key))
	}

	_, estimated := w.size()
	w.cluster()
	_, words := w.size()
	want := cap(w.text) + 4*cap(w.textStarts) + 4*cap(w.namePrefixes) + 600*cap(w.words)
	for i := range w.words {
		b := &w.words[i]
		if len(b.starts) == 0 || len(b.rows) == 0 {
			t.Fatalf("block %d is not indexed", i)
		}
		want += 4*len(b.starts) + 4*len(b.ends) + 2*len(b.rows)
	}

	if words != want {
		t.Errorf("the words take %d bytes, want %d", words, want)
	}
	if estimated < words {
		t.Errorf("before the index was built, %d bytes were estimated; the words take %d", estimated, words)
	}

	rebuilt := words
	for key := range int64(blockLen) {
		w.putText(key+1, fmt.Sprintf("Chair %d", key), "")
	}

	if _, words = w.size(); words <= rebuilt {
		t.Errorf("%d bytes after edits, want more than %d", words, rebuilt)
	}
}
