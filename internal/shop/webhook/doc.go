// Package webhook owns receivers and deliveries. A receiver is a registered URL that events of a store are sent to; a
// delivery is one event for one receiver. The events themselves belong to package event.
//
//   - service.go: Service and its dependencies. log.go: the entries of the log.
//   - receiver.go, receiver_service.go, receiver_sql.go, receiver_cache.go: receivers. secret.go,
//     signature_check.go: the signatures of requests, and their check.
//   - fanout.go, fanout_sql.go: the deliveries of new events. event_cache.go, shared_load.go: what deliveries read
//     once.
//   - delivery.go, delivery_service.go, delivery_sql.go, delivery_list.go, delivery_list_sql.go: deliveries.
//     event_deliveries.go, event_deliveries_sql.go: those of an event.
//   - attempt.go, breaker.go: requests to receivers, and pauses of those that fail. outcome.go, outcome_sql.go: what
//     an attempt changes.
//   - attempt_hours.go, attempt_hours_sql.go, health.go, health_sql.go: figures.
//   - retention.go, retention_sql.go, erase_sql.go: what is not kept.
package webhook
