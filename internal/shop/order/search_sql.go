package order

import (
	"context"
	"strconv"
	"strings"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

// candidatesSQL precedes a statement that reads the orders o. It selects the orders with a word between $2 and $3, or
// between $4 and $5. search_words has the words of orders up to number $6. Later orders are not in it yet, and drafts
// never are: these are selected by the patterns $7 and $8.
const candidatesSQL = `
WITH c(key) AS (
	SELECT w.key
	FROM search_words w
	WHERE w.store_id = $1
	  AND w.kind = 'order'
	  AND w.word >= $2
	  AND w.word < $3
	UNION
	SELECT v.key
	FROM search_words v
	WHERE v.store_id = $1
	  AND v.kind = 'order'
	  AND v.word >= $4
	  AND v.word < $5
	UNION
	SELECT t.key
	FROM orders t
	WHERE t.store_id = $1
	  AND t.number > $6
	  AND t.number IS NOT NULL
	  AND (t.words LIKE $7 ESCAPE '!' OR t.words LIKE $8 ESCAPE '!')
	UNION
	SELECT d.key
	FROM orders d
	WHERE d.store_id = $1
	  AND d.state = 'draft'
	  AND (d.words LIKE $7 ESCAPE '!' OR d.words LIKE $8 ESCAPE '!')
)`

const indexedNumberSQL = `
SELECT number
FROM order_word_progress
WHERE store_id = $1`

// storesToIndexSQL selects the stores that have orders whose words are not in search_words, or not all of them.
const storesToIndexSQL = `
SELECT n.store_id
FROM order_numbers n
LEFT JOIN order_word_progress p ON p.store_id = n.store_id
WHERE n.last > COALESCE(p.notes, 0)
ORDER BY n.store_id`

const insertProgressSQL = `
INSERT INTO order_word_progress (store_id, number)
VALUES ($1, 0)
ON CONFLICT (store_id) DO NOTHING`

// updateProgressSQL raises the number of the notes, too, unless there are earlier orders without them.
const updateProgressSQL = `
UPDATE order_word_progress
SET number = $2, notes = CASE WHEN notes = number THEN $2 ELSE notes END
WHERE store_id = $1`

const notesProgressSQL = `
SELECT notes
FROM order_word_progress
WHERE store_id = $1`

const updateNotesProgressSQL = `
UPDATE order_word_progress
SET notes = $2
WHERE store_id = $1`

// ordersToIndexSQL selects the orders after the number $2 up to the number $3, with the stored words.
var ordersToIndexSQL = `
SELECT ` + orderColumns + `, o.words
FROM orders o
WHERE o.store_id = $1
  AND o.number > $2
  AND o.number <= $3
  AND o.number IS NOT NULL
ORDER BY o.number
LIMIT $4`

const updateWordsSQL = `
WITH r(key, words) AS (ROWS)
UPDATE orders
SET words = r.words
FROM r
WHERE orders.store_id = $1
  AND orders.key = r.key`

// indexedNumber returns the number of the last order of the store whose words are in search_words; 0 without one.
// lock is empty or a locking clause of the dialect.
func indexedNumber(ctx context.Context, tx store.Tx, lock string) (number int64, err error) {
	err = database.QueryEach(ctx, tx, indexedNumberSQL+lock, nil, func(rows database.Rows) error {
		return rows.Scan(&number)
	})
	return number, err
}

func storesToIndex(ctx context.Context, q database.Querier) (list []store.ID, err error) {
	err = database.QueryEach(ctx, q, storesToIndexSQL, nil, database.AppendColumn(&list))
	return list, err
}

// lockProgress locks the store's row of order_word_progress until the commit and returns its number.
func lockProgress(ctx context.Context, tx store.Tx) (int64, error) {
	if err := database.Exec(ctx, tx, insertProgressSQL); err != nil {
		return 0, err
	}
	return indexedNumber(ctx, tx, tx.Dialect().ForUpdate)
}

// notesProgress returns the number of the last order of the store whose comments, note and tags are in search_words.
func notesProgress(ctx context.Context, tx store.Tx) (number int64, err error) {
	err = database.QueryRow(ctx, tx, notesProgressSQL, nil, &number)
	return number, err
}

// selectOrdersToIndex returns up to limit orders after a number up to the number last, without their items, and the
// stored words of each.
func selectOrdersToIndex(
	ctx context.Context, tx store.Tx, after, last, limit int64,
) (list []Order, words []string, err error) {
	err = database.QueryEach(ctx, tx, ordersToIndexSQL, []any{after, last, limit}, func(rows database.Rows) error {
		var stored string
		o, err := scanOrder(rows, &stored)
		list, words = append(list, o), append(words, stored)
		return err
	})
	return list, words, err
}

// insertWords writes the words of the orders, and sets those that the rows of the orders lack. stored are the words in
// the rows.
func insertWords(ctx context.Context, tx store.Tx, orders []Order, stored []string) error {
	words := store.NewWordChanges(store.SearchedOrders)
	texts := database.NewBatch(database.BigInt, database.Text)
	for i := range orders {
		o := &orders[i]
		text := o.searchText()
		words.Set(o.Key, "", text)
		if text != stored[i] {
			texts.Add(o.Key, text)
		}
	}

	if err := words.Save(ctx, tx); err != nil {
		return err
	}
	return database.ExecRows(ctx, tx, updateWordsSQL, texts)
}

func setProgress(ctx context.Context, tx store.Tx, number int64) error {
	return database.Exec(ctx, tx, updateProgressSQL, number)
}

func setNotesProgress(ctx context.Context, tx store.Tx, number int64) error {
	return database.Exec(ctx, tx, updateNotesProgressSQL, number)
}

// noPattern matches the words of no order: they begin with a space.
const noPattern = "-"

// condition is an expression with $n in the place of each argument.
type condition struct {
	sql  string
	args []any
}

// conditions returns what the orders that match the query fulfil.
func (q query) conditions() (list []condition) {
	add := func(sql string, args ...any) { list = append(list, condition{sql, args}) }
	const hasWord = "o.words LIKE $n ESCAPE '!'"
	if q.Nothing {
		add(hasWord, noPattern)
	}

	for _, word := range q.Words {
		switch {
		case strings.HasPrefix(word, "-"): // the end of a phone number
		case word == q.Digits:
			sql := hasWord
			args := []any{likePattern(word)}
			for _, end := range q.PhoneEnds() {
				sql += " OR o.phone LIKE $n"
				args = append(args, "%"+end)
			}
			add("("+sql+")", args...)
		default:
			add(hasWord, likePattern(word))
		}
	}

	if q.PhoneEnd != "" {
		add("o.phone LIKE $n", "%"+q.PhoneEnd)
	}
	return list
}

// andWords adds the conditions of the query.
func andWords(c *store.Conditions, q query) {
	for _, each := range q.conditions() {
		c.And(each.sql, each.args...)
	}
}

// matchSQL returns an expression that is true for orders that match the query, with the placeholders of its arguments
// from $first on.
func (q query) matchSQL(first int) (sql string, args []any) {
	sql = "TRUE"
	for _, each := range q.conditions() {
		sql += " AND " + each.sql
		args = append(args, each.args...)
	}
	for i := range args {
		sql = strings.Replace(sql, "$n", "$"+strconv.Itoa(first+i), 1)
	}
	return sql, args
}
