// Package httpapi is the HTTP server that all surfaces share. It has the table of routes, credentials and scopes,
// bodies, the envelope of responses, pages and cursors, ETags, idempotency and problems. It assigns the request id,
// writes the access log and the metrics, compresses responses, and applies CORS and rate limits. It knows stores and
// principals, but no resource that a route serves.
//
//   - route.go, server.go: routes, the server, and the way of a request to its handler.
//   - request.go: Request. request_read.go, request_write.go, long_write.go: its transactions. audit.go: its log entry.
//   - query.go, query_check.go, cursor.go, period.go: Query, the query string. list.go: pages of lists.
//   - body.go, form.go, file.go, stream.go, decompress.go: request bodies. buffer.go: bodies and responses of any
//     length.
//   - response.go, send.go, compress.go, etag.go, prefer.go: responses. problem.go: errors as problems.
//   - idempotency.go, idempotency_sql.go: the header Idempotency-Key.
//   - admission.go: Work, the slots of a request. limit.go, quota.go: how much work clients may cause.
//   - connection.go, connection_problem.go, request_line.go, request_body.go, header_lines.go, proxy.go: connections,
//     and clients that are slow or break the protocol.
//   - observe.go, request_span.go: metrics, the access log and traces.
//   - query_key.go: credentials in the query. packed.go: bodies that are compressed while they are written.
//   - base_url.go, admin_url.go, cors.go: URLs in responses, and other origins.
package httpapi
