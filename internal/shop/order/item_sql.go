package order

import (
	"context"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/store"
)

const itemColumns = `i.order_key, i.key, i.id, i.variant_key, i.variant_id, i.product_id, i.name, i.sku, i.barcode, ` +
	`i.unit, i.vat_rate, i.options, i.price, i.quantity, i.price_list_id, i.modifiers, i.choice`

// itemsOfOrderSQL reads the items of one order without a batch, because PostgreSQL plans a statement with a batch on
// every execution. The unary plus keeps SQLite from scanning the items of all orders by the index on their keys.
const itemsOfOrderSQL = `
SELECT ` + itemColumns + `
FROM order_items i
WHERE i.store_id = $1
  AND i.order_key = $2
ORDER BY +i.key`

const itemsOfOrdersSQL = `
WITH r(key) AS (ROWS)
SELECT ` + itemColumns + `
FROM r
CROSS JOIN LOOKUP (order_items i WHERE i.store_id = $1 AND i.order_key = r.key)
ORDER BY i.order_key, i.key`

const insertItemsSQL = `
WITH r(id, variant_key, variant_id, product_id, name, sku, barcode, unit, vat_rate, options, price, quantity,
	price_list_id, modifiers, choice) AS (ROWS)
INSERT INTO order_items (store_id, order_key, id, variant_key, variant_id, product_id, name, sku, barcode, unit,
	vat_rate, options, price, quantity, price_list_id, modifiers, choice)
SELECT $1, $2, id, variant_key, variant_id, product_id, name, sku, barcode, unit, vat_rate, options, price, quantity,
	price_list_id, modifiers, choice
FROM r`

const updateItemsSQL = `
WITH r(key, variant_key, product_id, name, sku, barcode, unit, vat_rate, options, price, price_list_id,
	modifiers) AS (ROWS)
UPDATE order_items
SET variant_key = r.variant_key, product_id = r.product_id, name = r.name, sku = r.sku, barcode = r.barcode,
	unit = r.unit, vat_rate = r.vat_rate, options = r.options, price = r.price, price_list_id = r.price_list_id,
	modifiers = r.modifiers
FROM r
WHERE order_items.store_id = $1
  AND order_items.key = r.key`

const updateItemQuantitySQL = `
UPDATE order_items
SET quantity = $3
WHERE store_id = $1
  AND key = $2`

const deleteItemsOfOrderSQL = `
DELETE FROM order_items
WHERE store_id = $1
  AND order_key = $2`

const deleteItemSQL = `
DELETE FROM order_items
WHERE store_id = $1
  AND key = $2`

func scanItem(rows database.Rows) (orderKey int64, i Item, err error) {
	var list *catalog.PriceListID
	err = rows.Scan(&orderKey, &i.Key, &i.ID, &i.variantKey, &i.VariantID, &i.ProductID, &i.Name, &i.SKU, &i.Barcode,
		&i.Unit, &i.VATRate, &i.Options, &i.Price, (*int64)(&i.Quantity), &list, &i.Modifiers,
		&i.choice)
	if list != nil {
		i.PriceList = *list
	}
	return orderKey, i, err
}

// selectItems returns the items of an order, oldest first.
func selectItems(ctx context.Context, tx store.Tx, orderKey int64) (items []Item, err error) {
	err = database.QueryEach(ctx, tx, itemsOfOrderSQL, []any{orderKey}, func(rows database.Rows) error {
		_, i, err := scanItem(rows)
		items = append(items, i)
		return err
	})
	return items, err
}

// selectItemsOfOrders sets the Items of the orders, oldest first, with one query for all of them.
func selectItemsOfOrders(ctx context.Context, tx store.Tx, orders []Order) error {
	byKey := make(map[int64]*Order, len(orders))
	batch := database.NewBatch(database.BigInt)
	for i := range orders {
		orders[i].Items = nil
		byKey[orders[i].Key] = &orders[i]
		batch.Add(orders[i].Key)
	}
	return tx.QueryRows(ctx, itemsOfOrdersSQL, batch, func(rows database.Rows) error {
		key, item, err := scanItem(rows)
		if err == nil {
			byKey[key].Items = append(byKey[key].Items, item)
		}
		return err
	})
}

func insertItems(ctx context.Context, tx store.Tx, orderKey int64, items []Item) error {
	batch := database.NewBatch(
		database.UUID, database.BigInt, database.UUID, database.UUID, database.Text, database.Text, database.Text,
		database.Text, database.BigInt, database.Text, database.BigInt, database.BigInt, database.UUID, database.Text,
		database.Text)
	for i := range items {
		item := &items[i]
		batch.Add(item.ID, item.variantKey, item.VariantID, item.ProductID, item.Name, item.SKU, item.Barcode,
			item.Unit.OrNull(), item.VATRate.OrNull(), item.Options, item.Price.OrNull(), int64(item.Quantity),
			item.listOrNull(), item.Modifiers, item.choice)
	}
	return database.ExecRows(ctx, tx, insertItemsSQL, batch, orderKey)
}

// updateItems writes the members of the items that come from the catalogue: all but the quantity.
func updateItems(ctx context.Context, tx store.Tx, items []Item) error {
	batch := database.NewBatch(
		database.BigInt, database.BigInt, database.UUID, database.Text, database.Text, database.Text, database.Text,
		database.BigInt, database.Text, database.BigInt, database.UUID, database.Text)
	for i := range items {
		item := &items[i]
		batch.Add(item.Key, item.variantKey, item.ProductID, item.Name, item.SKU, item.Barcode,
			item.Unit.OrNull(), item.VATRate.OrNull(), item.Options, item.Price.OrNull(), item.listOrNull(),
			item.Modifiers)
	}
	return tx.ExecLater(ctx, updateItemsSQL, batch)
}

// listOrNull returns the price list of the item, or nil.
func (i *Item) listOrNull() any {
	if i.PriceList.IsZero() {
		return nil
	}
	return i.PriceList
}

func updateItemQuantity(ctx context.Context, tx store.Tx, item *Item) error {
	return database.Exec(ctx, tx, updateItemQuantitySQL, item.Key, int64(item.Quantity))
}

func deleteItemsOfOrder(ctx context.Context, tx store.Tx, orderKey int64) error {
	return database.Exec(ctx, tx, deleteItemsOfOrderSQL, orderKey)
}

func deleteItem(ctx context.Context, tx store.Tx, itemKey int64) error {
	return database.Exec(ctx, tx, deleteItemSQL, itemKey)
}
