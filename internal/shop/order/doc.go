// Package order owns carts and orders: their items, their states and the stock that is reserved for them. A cart is an
// order in state draft. Prices and remainders are owned by package catalog.
//
//   - service.go: Service, its dependencies, and how orders are read. caller.go: who asks for an order.
//   - order.go, order_sql.go, item_sql.go: orders, their items, and their rows. state.go: the states. order_json.go:
//     the JSON.
//   - cart.go, draft_limit.go, item_price.go: drafts, how many there may be, the prices of their items. modifier.go:
//     what is chosen of modifiers.
//   - submit.go, reservation_sql.go: the way from state to state, and what is reserved. enter.go: orders that
//     somebody tells the shop. reopen.go, reopen_sql.go: the way back.
//   - update.go, update_lines.go, update_service.go, update_sql.go: what the shop changes of submitted orders.
//   - take.go, take_sql.go: orders that accounting has taken.
//   - mail.go, mail_sql.go: which mails were sent about an order.
//   - guest.go, guest_sql.go: people who have ordered without signing in. adopt.go, adopt_sql.go: their orders become
//     those of a customer. merge.go, merge_sql.go: people who are one.
//   - list.go, list_sql.go, search.go, search_service.go, search_sql.go: lists of orders, and the words by which
//     they are found.
//   - totals.go, totals_sql.go, per_day.go, per_day_sql.go, bestseller.go, bestseller_sql.go, popularity.go,
//     popularity_sql.go: figures, and the popularity of products.
//   - waiting_sql.go: the orders that wait for a variant.
//   - retention.go, retention_sql.go, erase.go, erase_sql.go: carts, reservations and personal data that are not
//     kept.
package order
