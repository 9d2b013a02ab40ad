// Package adminapi is the JSON API of the administration, under {admin_url}/api: the settings, keys, operators,
// exchange runs, webhooks and mailbox of a store. Callers authenticate by a secret key or by the session of an
// operator. A handler reads the request, calls one use-case and writes JSON. The package contains no SQL.
//
//   - routes.go: the services and the table of routes. describe.go, describe_mailbox.go, describe_run.go,
//     describe_webhook.go: their documentation. schema.go, schema_captcha.go, schema_run.go, schema_webhook.go: the
//     types of the wire.
//   - settings.go, settings_captcha.go: the settings of the store.
//   - key.go, key_read.go, key_render.go: keys and exchange tokens.
//   - me.go, operator.go: the caller, and the operators of the store.
//   - webhook_receiver.go, webhook_delivery.go, webhook_event.go, webhook_read.go: receivers, deliveries and events.
//   - run.go: pushes. mailbox.go: messages that were not sent.
package adminapi
