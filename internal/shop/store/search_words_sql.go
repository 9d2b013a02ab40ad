package store

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"vitrine/internal/kit/database"
)

// A Searched is a kind of rows whose words are in the table search_words. A search reads there which rows have the
// rarest of its words, and compares the others with the column words of these rows.
type Searched string

// The kinds.
const (
	SearchedCustomers Searched = "customer"
	SearchedFeedback  Searched = "feedback"
	SearchedCallbacks Searched = "callback"
	// SearchedOrders are submitted orders. A worker writes their words later: see package order.
	SearchedOrders Searched = "order"
)

const (
	// MaxCandidates is the number of rows up to which a search looks at all that have its rarest word. With more of
	// them it reads the list and skips what does not match, which then does not take long.
	MaxCandidates = 5000
	// countedWords is the number of words of a search among which the rarest is looked for.
	countedWords = 4
	// maxWordLength limits the words of the table, in characters. The longest of a text would not fit an index.
	maxWordLength = 64
)

// countWordsSQL counts how many words of each kind have a prefix, up to $2.
const countWordsSQL = `
WITH r(kind, low, high) AS (ROWS)
SELECT r.low, (
	SELECT COUNT(*)
	FROM (
		SELECT 1
		FROM search_words w
		WHERE w.store_id = $1
		  AND w.kind = r.kind
		  AND w.word >= r.low
		  AND w.word < r.high
		LIMIT $2
	) AS x
)
FROM r`

const insertWordsSQL = `
WITH r(word, key) AS (ROWS)
INSERT INTO search_words (store_id, kind, word, key)
SELECT $1, $2, word, key
FROM r
WHERE TRUE
ON CONFLICT (store_id, kind, word, key) DO NOTHING`

// deleteWordsSQL has the store's id beside each word; see docs/planner.md.
const deleteWordsSQL = `
WITH r(word, key) AS (ROWS), k(store_id, kind, word, key) AS MATERIALIZED (
	SELECT (SELECT s.id FROM stores s WHERE s.id = $1), CAST($2 AS TEXT), r.word, r.key
	FROM r)
DELETE FROM search_words
WHERE (store_id, kind, word, key) IN (SELECT store_id, kind, word, key FROM k)`

// CandidatesSQL precedes a statement with the arguments of Candidates: found_key of c are the keys of the rows of this
// kind that have the rarest word of a search.
func (kind Searched) CandidatesSQL() string {
	return `
WITH c(found_key) AS (
	SELECT w.key
	FROM search_words w
	WHERE w.store_id = $1
	  AND w.kind = '` + string(kind) + `'
	  AND w.word >= $2
	  AND w.word < $3
	UNION
	SELECT w.key
	FROM search_words w
	WHERE w.store_id = $1
	  AND w.kind = '` + string(kind) + `'
	  AND w.word >= $4
	  AND w.word < $5
)`
}

// Candidates returns the arguments $2 to $5 of CandidatesSQL for a reading: two ranges of words, of which the second is
// empty unless the word is Digits. It returns nil if the rows are to be found without it: the reading has no words, or
// too many rows of some kind have even its rarest one.
func (r Reading) Candidates(ctx context.Context, tx Tx, kinds ...Searched) ([]any, error) {
	return r.CandidatesUpTo(ctx, tx, MaxCandidates, kinds...)
}

// CandidatesUpTo is like Candidates, with another limit than MaxCandidates.
func (r Reading) CandidatesUpTo(ctx context.Context, tx Tx, limit int64, kinds ...Searched) ([]any, error) {
	if len(r.Words) == 0 {
		return nil, nil
	}

	// The longest are likely to be the rarest.
	longestFirst := func(a, b string) int { return cmp.Compare(len(b), len(a)) }
	words := slices.SortedStableFunc(slices.Values(r.Words), longestFirst)
	words = words[:min(countedWords, len(words))]
	batch := database.NewBatch(database.Text, database.Text, database.Text)
	for _, w := range words {
		for _, kind := range kinds {
			for _, prefix := range r.indexed(w) {
				batch.Add(string(kind), prefix, afterPrefix(prefix))
			}
		}
	}

	most := map[string]int64{} // of a kind, by prefix
	err := tx.QueryRows(ctx, countWordsSQL, batch, func(rows database.Rows) error {
		var prefix string
		var n int64
		err := rows.Scan(&prefix, &n)
		most[prefix] = max(most[prefix], n)
		return err
	}, limit+1)

	var rarest []string
	least := limit + 1
	for _, w := range words {
		n := int64(0)
		for _, prefix := range r.indexed(w) {
			n += most[prefix]
		}
		if n < least {
			rarest, least = r.indexed(w), n
		}
	}

	switch {
	case err != nil || rarest == nil:
		return nil, err
	case len(rarest) == 1:
		return []any{rarest[0], afterPrefix(rarest[0]), "", ""}, nil
	}
	return []any{rarest[0], afterPrefix(rarest[0]), rarest[1], afterPrefix(rarest[1])}, nil
}

// indexed returns the prefixes of the words in search_words by which the rows with a word are found: one or two.
func (r Reading) indexed(word string) []string {
	if word == r.Digits {
		return []string{word, endWord(word)}
	}
	return []string{IndexedWord(word)}
}

// countWords returns how many words of the kinds are in the range that begins with each of the asked ones and ends at
// the result of end for it, up to maxCountedRows.
func countWords(
	ctx context.Context, tx Tx, asked []string, end func(string) string, kinds []Searched,
) (map[string]int64, error) {
	batch := database.NewBatch(database.Text, database.Text, database.Text)
	slices.Sort(asked)
	for _, w := range slices.Compact(asked) {
		for _, kind := range kinds {
			batch.Add(string(kind), IndexedWord(w), end(IndexedWord(w)))
		}
	}

	counts := map[string]int64{}
	err := tx.QueryRows(ctx, countWordsSQL, batch, func(rows database.Rows) error {
		var word string
		var n int64
		err := rows.Scan(&word, &n)
		counts[word] = max(counts[word], n)
		return err
	}, int64(maxCountedRows))
	return counts, err
}

// SetSearchWords writes the words of a row. before and after are the results of locale.SearchText; before is "" for a
// new row.
func SetSearchWords(ctx context.Context, tx Tx, kind Searched, key int64, before, after string) error {
	changes := NewWordChanges(kind)
	changes.Set(key, before, after)
	return changes.Save(ctx, tx)
}

// WordChanges are the changes of the words of rows of one kind.
type WordChanges struct {
	kind        Searched
	gone, added *database.Batch
}

func NewWordChanges(kind Searched) *WordChanges {
	return &WordChanges{kind, database.NewBatch(database.Text, database.BigInt),
		database.NewBatch(database.Text, database.BigInt)}
}

// Set adds the change of a row from the words of the text before to the words of the text after.
func (c *WordChanges) Set(key int64, before, after string) {
	was, now := storedWords(before), storedWords(after)
	for _, word := range without(was, now) {
		c.gone.Add(word, key)
	}
	for _, word := range without(now, was) {
		c.added.Add(word, key)
	}
}

// Save deletes the words that are gone and inserts the added ones.
func (c *WordChanges) Save(ctx context.Context, tx Tx) error {
	if c.gone.Len() > 0 {
		if err := tx.ExecLater(ctx, deleteWordsSQL, c.gone, string(c.kind)); err != nil {
			return err
		}
	}
	if c.added.Len() > 0 {
		return tx.ExecLater(ctx, insertWordsSQL, c.added, string(c.kind))
	}
	return nil
}

// storedWords returns the distinct words of a text, sorted and cut.
func storedWords(text string) []string {
	words := strings.Fields(text)
	for i, w := range words {
		words[i] = IndexedWord(w)
	}
	slices.Sort(words)
	return slices.Compact(words)
}

// without returns the words of the first list that the second, which is sorted, does not have.
func without(words, other []string) []string {
	return slices.DeleteFunc(slices.Clone(words), func(w string) bool {
		_, has := slices.BinarySearch(other, w)
		return has
	})
}

// IndexedWord returns a word as search_words has it: cut after 64 characters.
func IndexedWord(w string) string {
	n := 0
	for i := range w {
		if n++; n > maxWordLength {
			return w[:i]
		}
	}
	return w
}

// afterPrefix follows every word that begins with the prefix: no character is greater than the one appended.
func afterPrefix(prefix string) string { return prefix + "\U0010FFFF" }
