package routes

import (
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/testkit/apitest"
)

// planStore is a store that fillAll fills with this many products, and with this many orders, customers and so on.
type planStore struct {
	apitest.Keys
	name     string
	products int
	orders   int
	number   int // distinguishes the keys and ids of the stores
}

func (s planStore) isSmall() bool { return s.products < 10_000 }

// The parts of a filled store. Each product has all three features, each variant the option.
const (
	planCategories = 200
	planOption     = 1 // the attribute with this number is an option
	planFeature    = 3 // the attribute with this number is a feature with the field type select
	planRange      = 5 // the attribute with this number is a feature with the field type range
)

// planID returns the SQL expression of the id of an entity of a store. The ids ascend with the expression number.
func planID(kind int, number string) string {
	return fmt.Sprintf("CAST('018f0000-0000-7%03d-8'||lpad(to_hex($2),3,'0')||'-'||lpad(to_hex(%s),12,'0') AS uuid)",
		kind, number)
}

// id returns what planID evaluates to.
func (s planStore) id(kind, number int) string {
	return fmt.Sprintf("018f0000-0000-7%03d-8%03x-%012x", kind, s.number, number)
}

// The kinds of entities in ids.
const (
	planAttributeID = iota + 1
	planValueID
	planCategoryID
	planStockID
	planProductID
	planVariantID
	planImageID
	planCustomerID
	planOrderID
	planItemID
	planEventID
	planDeliveryID
)

// planKey returns the expression of a row key. Each store has a range of its own.
func planKey(number string) string { return "CAST($2 AS bigint) * 1000000 + " + number }

// planFillSQL returns the statements that fill a store. $1 is the id of the store, $2 its number, $3 the number of its
// products, $4 the time, $5 the number of its orders.
func planFillSQL() []string {
	const attributes = "(VALUES (1, 'option', 'select', 20), (3, 'feature', 'select', 50), (4, 'feature', 'select', " +
		"20)," +
		" (5, 'feature', 'range', 1000)) AS a(n, kind, field_type, value_count)"

	// The variants of product n have the numbers 4n to 4n+2 or 4n+1.
	const variants = "generate_series(1, $3) AS n, generate_series(0, 1 + n % 2) AS j"
	const size = "10000 + (n + j) % 20"
	combination := "substr(sha256(int8send(" + planKey(size) + ")), 1, 16)"
	return []string{
		`INSERT INTO attributes (key, store_id, id, kind, name, words, filterable, field_type, range_type, value_count,
	version, created_at, updated_at, external_id)
SELECT ` + planKey("n") + `, $1, ` + planID(planAttributeID, "n") + `, kind, 'Attribute '||n, ' attribute '||n, TRUE,
	field_type, CASE WHEN field_type = 'range' THEN 'float' END, value_count, 1, $4, $4, 'a'||n
FROM ` + attributes,
		`INSERT INTO attribute_values (key, store_id, attribute_key, id, name, number, created_at, updated_at, external_id)
SELECT ` + planKey("n * 10000 + v") + `, $1, ` + planKey("n") + `, ` + planID(planValueID, "n * 10000 + v") + `,
	CAST(v AS text), CASE WHEN field_type = 'range' THEN v END, $4, $4, 'v'||v
FROM ` + attributes + `, generate_series(0, value_count - 1) AS v`,
		`INSERT INTO categories (key, store_id, id, external_id, name, words, parent_key, version, created_at, updated_at)
SELECT ` + planKey("n") + `, $1, ` + planID(planCategoryID, "n") + `, 'c'||n, 'Category '||n, ' category '||n,
	CASE WHEN n > 11 THEN ` + planKey("2 + n % 10") + ` WHEN n > 1 THEN ` + planKey("1") + ` END, 1, $4, $4
FROM generate_series(1, ` + fmt.Sprint(planCategories) + `) AS n`,
		`INSERT INTO stocks (key, store_id, id, external_id, name, words, version, created_at, updated_at)
SELECT ` + planKey("n") + `, $1, ` + planID(planStockID, "n") + `, 's'||n, 'Stock '||n, ' stock '||n, 1, $4, $4
FROM generate_series(1, 2) AS n`,
		`INSERT INTO products (key, store_id, id, external_id, name, words, sort_name, description, version, archived_at,
	created_at, updated_at)
SELECT ` + planKey("n") + `, $1, ` + planID(planProductID, "n") + `, 'p'||n, 'Lamp '||n, ' lamp '||n||' word'||n % 100,
	' lamp '||n, repeat('A long text. ', 15), 1, CASE WHEN n % 50 = 0 THEN $4 END, $4 + n, $4
FROM generate_series(1, $3) AS n`,
		`INSERT INTO variants (key, store_id, product_key, id, external_id, name, sku, price, combination, twin, available,
	created_at, updated_at)
SELECT ` + planKey("n * 4 + j") + `, $1, ` + planKey("n") + `, ` + planID(planVariantID, "n * 4 + j") +
			`, 'v'||n||'-'||j,
	'Size '||j, 'SKU'||n||'-'||j, 100 * (n * 7919 % 10007), ` + combination + `, 0, 5000, $4, $4
FROM ` + variants,
		`INSERT INTO variant_values (store_id, variant_key, attribute_key, value_key)
SELECT $1, ` + planKey("n * 4 + j") + `, ` + planKey("1") + `, ` + planKey(size) + `
FROM ` + variants,
		`INSERT INTO remainders (store_id, variant_key, stock_key, quantity, reserved)
SELECT $1, ` + planKey("n * 4 + j") + `, ` + planKey("s") + `, 5000, 0
FROM ` + variants + `, generate_series(1, 1 + (n % 4) / 3) AS s`,
		`INSERT INTO product_values (store_id, product_key, attribute_key, value_key)
SELECT $1, ` + planKey("n") + `, ` + planKey("a") + `,
	` + planKey("a * 10000 + n % (CASE a WHEN 3 THEN 50 WHEN 4 THEN 20 ELSE 1000 END)") + `
FROM generate_series(1, $3) AS n, generate_series(3, 5) AS a`,
		`INSERT INTO product_categories (store_id, product_key, category_key)
SELECT $1, ` + planKey("n") + `, ` + planKey("1 + n % "+fmt.Sprint(planCategories)) + `
FROM generate_series(1, $3) AS n`,
		`INSERT INTO images (key, store_id, id, product_key, position, format, opaque, width, height, size, digest, version,
	created_at, updated_at)
SELECT ` + planKey("n") + `, $1, ` + planID(planImageID, "n") + `, ` + planKey("n") +
			`, 0, 'png', TRUE, 4, 4, 100, '', 1,
	$4, $4
FROM generate_series(1, $3) AS n`,
		`INSERT INTO customers (key, store_id, id, email, login_email, name, words, version, created_at, updated_at)
SELECT ` + planKey("n") + `, $1, ` + planID(planCustomerID, "n") + `, n||'@shop.example', n||'@shop.example', 'Anna',
	' anna '||n, 1, $4, $4
FROM generate_series(1, $5) AS n`,
		`INSERT INTO search_words (store_id, kind, word, key)
SELECT $1, 'customer', w, ` + planKey("n") + `
FROM generate_series(1, $5) AS n, LATERAL (VALUES ('anna'), (n::text)) AS words(w)`,
		`INSERT INTO search_words (store_id, kind, word, key)
SELECT $1, 'feedback', w, ` + planKey("n") + `
FROM generate_series(1, $5) AS n, LATERAL (VALUES ('anna'), ('hello')) AS words(w)`,
		`INSERT INTO customer_totals (store_id, customer_key, currency, orders, whole, rest)
SELECT $1, ` + planKey("n") + `, 'EUR', 1, 0, 100
FROM generate_series(1, $5) AS n`,
		`INSERT INTO orders (key, store_id, id, number, state, token, customer_key, name, phone, email, address,
	delivery_comment, comment, currency, total, words, version, submitted_at, created_at, updated_at)
SELECT ` + planKey("n") + `, $1, ` + planID(planOrderID, "n") + `, n, 'submitted', '', ` + planKey("n") + `, 'Anna',
	'+491234567', '', '', '', '', 'EUR', 100, ' anna '||n, 1, $4, $4, $4
FROM generate_series(1, $5) AS n`,
		`INSERT INTO order_items (key, store_id, order_key, id, variant_key, variant_id, product_id, name, sku, options,
	price, quantity)
SELECT ` + planKey("n * 2 + j") + `, $1, ` + planKey("n") + `, ` + planID(planItemID, "n * 2 + j") + `,
	` + planKey("n * 4 + j") + `, ` + planID(planVariantID, "n * 4 + j") + `, ` + planID(planProductID, "n") +
			`, 'Lamp', 'SKU',
	'[]', 100, 1000
FROM generate_series(1, $5) AS n, generate_series(0, 1) AS j`,
		`INSERT INTO order_tags (store_id, order_key, tag, submitted_at)
SELECT $1, ` + planKey("n") + `, 'gift', $4
FROM generate_series(1, $5) AS n`,
		`INSERT INTO order_numbers (store_id, last)
SELECT $1, $3`,
		`INSERT INTO feedback (store_id, id, name, email, phone, message, extra, words, created_at)
SELECT $1, ` + planID(planOrderID, "n") + `, 'Anna', '', '', 'Hello', '{}', ' anna hello', $4
FROM generate_series(1, $5) AS n`,
		`INSERT INTO events (store_id, sequence, id, type, payload, created_at)
SELECT $1, n, ` + planID(planEventID, "n") + `, 'order.submitted', '{}', $4
FROM generate_series(1, $5) AS n`,
		`INSERT INTO event_sequences (store_id, last)
SELECT $1, $5`,
		`INSERT INTO event_fanouts (store_id, sequence)
SELECT $1, $5`,
		`INSERT INTO deliveries (key, store_id, id, receiver_key, sequence, type, status, stranded, attempts_count,
	created_at, updated_at)
SELECT ` + planKey("n") + `, $1, ` + planID(planDeliveryID, "n") +
			`, r.key, n, 'order.submitted', 'delivered', FALSE, 1,
	$4, $4
FROM receivers r, generate_series(1, $5) AS n
WHERE r.store_id = $1`,
		`INSERT INTO attempts (store_id, delivery_key, number, started_at, duration_ms, status_code, excerpt)
SELECT $1, ` + planKey("n") + `, 1, $4, 1, 200, ''
FROM generate_series(1, $5) AS n`,
	}
}

// fillAll fills the stores. Foreign keys are not checked, and most indexes are created afterwards, which is faster.
// It leaves the tables as if the rows had been inserted one by one.
func (p *planTest) fillAll() {
	p.t.Helper()
	p.exec("SET session_replication_role = replica")
	indexes := p.dropIndexes()

	for _, s := range p.stores {
		for _, sql := range planFillSQL() {
			p.exec(strings.NewReplacer("$1", "'"+s.StoreID.String()+"'::uuid", "$2", fmt.Sprint(s.number),
				"$3", fmt.Sprint(s.products), "$4", fmt.Sprint(apitest.StartTime.UnixMicro()),
				"$5", fmt.Sprint(s.orders)).Replace(sql))
		}
	}

	for _, sql := range indexes {
		p.exec(sql)
	}

	p.exec("SET session_replication_role = origin")

	// CREATE INDEX has counted the rows.
	p.exec("UPDATE pg_class SET reltuples = -1, relpages = 0 WHERE relkind = 'r' " +
		"AND relnamespace = 'public'::regnamespace")
	p.exec(`
SELECT setval(CAST(pg_get_serial_sequence(quote_ident(table_name), column_name) AS regclass), 100000000)
FROM information_schema.columns
WHERE table_schema = 'public'
  AND is_identity = 'YES'`)
}

// dropIndexes drops the indexes that no constraint needs, and returns the statements that create them again.
func (p *planTest) dropIndexes() []string {
	p.t.Helper()
	rows, _ := p.conn.Query(p.t.Context(), `
SELECT 'DROP INDEX ' || quote_ident(c.relname), pg_get_indexdef(c.oid)
FROM pg_index i
JOIN pg_class c ON c.oid = i.indexrelid
WHERE c.relnamespace = 'public'::regnamespace
  AND NOT EXISTS (SELECT 1 FROM pg_constraint o WHERE o.conindid = c.oid)
ORDER BY c.relname`)
	type statements struct{ Drop, Create string }

	list, err := pgx.CollectRows(rows, pgx.RowToStructByPos[statements])
	if err != nil {
		p.t.Fatal(err)
	}

	var creates []string
	for _, one := range list {
		p.exec(one.Drop)
		creates = append(creates, one.Create)
	}

	return creates
}
