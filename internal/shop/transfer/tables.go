package transfer

// tables returns the tables of a store, each after those that its rows refer to.
// TestTables_areThoseOfTheSchema compares them with the schema of both engines.
func tables() []table {
	return []table{
		{name: "stores", order: "id", columns: columns(
			ids("old_price_list_id"),
			texts("name", "timezone", "locale", "currency", "site_url", "cors_origins", "address", "product_path",
				"category_path"), integers("version", "created_at", "updated_at"),
			booleans("public_remainders"), storeIDs("id"))},
		{name: "credentials", order: "id", columns: columns(
			storeIDs("store_id"), references("group_key"), ids("id"),
			texts("kind", "name", "hint", "scopes"),
			integers("created_at", "expires_at", "revoked_at", "last_used_at", "members"), blobs("hash"))},
		{name: "audit_entries", order: "sequence", columns: columns(
			storeIDs("store_id"), rowKeys("sequence"),
			texts("actor_kind", "actor_id", "actor_name", "action", "object_kind", "object_id", "object_label",
				"changes"), integers("created_at"))},
		{name: "daily_counts", order: "store_id, name, day", columns: columns(
			storeIDs("store_id"), texts("name"), integers("day", "count"))},
		{name: "accounts", order: "id", columns: columns(
			texts("email", "password_hash", "language"),
			integers("failures", "locked_until", "code_step", "created_at", "updated_at", "unlogged_failures",
				"failures_logged_at"), accountIDs("id"), sealed("operator code secret", "code_secret"))},
		{name: "account_recovery_codes", order: "account_id, hash", columns: columns(
			blobs("hash"), accountIDs("account_id"))},
		{name: "operators", order: "id", columns: columns(
			storeIDs("store_id"), ids("id"), texts("role"),
			integers("joined_at", "disabled_at", "signed_in_at", "created_at", "updated_at"),
			accountIDs("account_id"))},
		{name: "operator_invitations", order: "hash", columns: columns(
			storeIDs("store_id"), ids("operator_id"), integers("expires_at"), blobs("hash"))},
		{name: "jobs", order: "key", columns: columns(
			rowKeys("key"), texts("kind", "lane"),
			integers("attempts", "asked", "due_at", "created_at"), booleans("again"),
			jobNames("unique_name"), jobPayloads("payload"))},
		{name: "parked_jobs", order: "key, owner", columns: columns(
			references("key"), texts("kind", "lane", "owner"),
			integers("asked", "created_at", "deaths", "parked_at"), jobNames("unique_name"),
			jobPayloads("payload"))},
		{name: "idempotency", order: "store_id, hash", columns: columns(
			storeIDs("store_id"), integers("status", "created_at"), blobs("hash", "fingerprint"))},
		{name: "idempotency_pieces", order: "store_id, hash, number", columns: columns(
			storeIDs("store_id"), integers("number"), blobs("hash"), sealed("idempotency", "sealed"))},
		{name: "catalog_versions", order: "store_id", columns: columns(
			storeIDs("store_id"),
			integers("version", "categories", "floor", "search", "search_rules", "price_versions"),
			marks("mark"))},
		{name: "attribute_versions", order: "store_id", columns: columns(
			storeIDs("store_id"), integers("version"), marks("mark"))},
		{name: "version_stamps", order: "store_id, part, version", columns: columns(
			storeIDs("store_id"), texts("part"), integers("version", "stamp"))},
		{name: "product_changes", order: "store_id, version, product_key", columns: columns(
			storeIDs("store_id"), references("product_key"), integers("version", "changed_at"))},
		{name: "attributes", order: "key", columns: columns(
			storeIDs("store_id"), rowKeys("key"), ids("id"),
			texts("kind", "name", "words", "field_type", "range_type", "external_id"),
			integers("value_count", "version", "created_at", "updated_at", "source_version"),
			booleans("filterable", "ordered"), blobs("pushed"))},
		{name: "attribute_values", order: "key", columns: columns(
			storeIDs("store_id"), rowKeys("key"), references("attribute_key"), ids("id"),
			texts("name", "external_id"),
			integers("created_at", "updated_at", "deleted_at", "position"), doubles("number"))},
		{name: "categories", order: "key", columns: columns(
			storeIDs("store_id"), rowKeys("key"), references("parent_key"), ids("id"),
			texts("external_id", "name", "words", "slug", "seo", "description"),
			integers("version", "created_at", "updated_at", "deleted_at", "position", "source_version"),
			blobs("pushed"))},
		{name: "products", order: "key", columns: columns(
			storeIDs("store_id"), rowKeys("key"), ids("id"),
			texts("external_id", "name", "words", "description", "sort_name", "modifiers", "article", "unit",
				"good_barcodes", "slug", "seo"),
			integers("version", "archived_at", "created_at", "updated_at", "pushed_at", "touched_at",
				"source_version", "locks", "name_writer", "description_writer", "images_writer",
				"categories_writer", "features_writer", "price_writer", "variants_writer",
				"remainders_writer", "modifiers_writer", "vat_rate", "weight", "unit_writer",
				"vat_rate_writer", "weight_writer", "barcodes_writer", "slug_writer", "seo_writer",
				"draft_at"), booleans("has_variant_images"),
			blobs("pushed", "pushed_goods", "pushed_offers", "pushed_prices"))},
		{name: "variants", order: "key", columns: columns(
			storeIDs("store_id"), rowKeys("key"), references("product_key", "twin"), ids("id"),
			texts("external_id", "name", "sku", "barcodes"),
			integers("price", "archived_at", "created_at", "updated_at", "available"),
			blobs("combination"), leftOut("sold_out"))},
		{name: "variant_values", order: "store_id, variant_key, attribute_key", columns: columns(
			storeIDs("store_id"), references("variant_key", "attribute_key", "value_key"))},
		{name: "product_values", order: "store_id, product_key, attribute_key, value_key", columns: columns(
			storeIDs("store_id"), references("product_key", "attribute_key", "value_key"))},
		{name: "product_categories", order: "store_id, product_key, category_key", columns: columns(
			storeIDs("store_id"), references("product_key", "category_key"), booleans("canonical"))},
		{name: "stocks", order: "key", columns: columns(
			storeIDs("store_id"), rowKeys("key"), ids("id"), texts("external_id", "name", "words"),
			integers("version", "created_at", "updated_at", "deleted_at", "source_version"),
			blobs("pushed"))},
		{name: "remainders", order: "store_id, variant_key, stock_key", columns: columns(
			storeIDs("store_id"), references("variant_key", "stock_key"), integers("quantity", "reserved"))},
		{name: "images", order: "key", columns: columns(
			storeIDs("store_id"), rowKeys("key"), references("product_key", "variant_key", "category_key"),
			ids("id"), texts("external_id", "format", "alt", "color"),
			integers("position", "width", "height", "size", "version", "created_at", "updated_at"),
			booleans("opaque", "leaving"), blobs("digest"))},
		{name: "image_sources", order: "key", columns: columns(
			storeIDs("store_id"), rowKeys("key"),
			references("product_key", "image_key", "run_key", "variant_key"),
			texts("url", "state", "etag", "modified", "place"), integers("position", "item"),
			booleans("owns"))},
		{name: "deletions", order: "store_id, kind, target_key", columns: columns(
			storeIDs("store_id"), references("target_key", "attribute_key"), texts("kind"))},
		{name: "value_aliases", order: "store_id, attribute_key, external_id", columns: columns(
			storeIDs("store_id"), references("attribute_key", "value_key"), texts("external_id"))},
		{name: "value_merges", order: "store_id, attribute_key, value_key", columns: columns(
			storeIDs("store_id"), references("attribute_key", "value_key", "into_key"))},
		{name: "deleted_ids", order: "store_id, entity, parent_id, external_id", columns: columns(
			storeIDs("store_id"), texts("entity", "parent_id", "external_id"),
			integers("deleted_at", "source_version"))},
		{name: "bulk_changes", order: "store_id, id", columns: columns(
			storeIDs("store_id"), ids("id", "undo_of"), texts("action", "target", "label", "failure"),
			integers("total", "done", "changed", "next_chunk", "created_at", "finished_at", "writer"))},
		{name: "bulk_chunks", order: "store_id, change_id, number", columns: columns(
			storeIDs("store_id"), ids("change_id"), integers("number"), keyLists("keys"))},
		{name: "search_words", order: "store_id, kind, word, key", columns: columns(
			storeIDs("store_id"), references("key"), texts("kind", "word"))},
		{name: "push_locks", order: "store_id", columns: columns(
			storeIDs("store_id"), integers("taken"))},
		{name: "pending_references", order: "key", columns: columns(
			storeIDs("store_id"), rowKeys("key"), references("product_key", "variant_key", "category_key"),
			texts("kind", "external_id", "value_id"), integers("first_seen_at"), booleans("canonical"))},
		{name: "exchange_runs", order: "key", columns: columns(
			storeIDs("store_id"), rowKeys("key"), references("body_key", "undoes"),
			ids("id", "credential_id", "operator_id"),
			texts("entity", "format", "status", "ignored_fields", "problem_code", "problem", "ignored", "file_name",
				"not_kept", "layout", "mapping"),
			integers("received", "created", "updated", "unchanged", "failed", "errors", "warnings", "late_warnings",
				"archived", "reverted", "created_at", "started_at", "finished_at", "alive_at",
				"spooled_bytes", "kept_until", "kept_bytes"),
			booleans("atomic", "dry_run", "archive_missing", "background", "keeps_changes"),
			doubles("max_archive_share"))},
		{name: "exchange_notes", order: "store_id, run_key, severity, number", columns: columns(
			storeIDs("store_id"), references("run_key"),
			texts("severity", "external_id", "field", "code", "message", "name"),
			integers("number", "item", "line"))},
		{name: "exchange_rejects", order: "store_id, run_key, item", columns: columns(
			storeIDs("store_id"), references("run_key"), integers("item"), booleans("packed"),
			blobs("sent"))},
		{name: "exchange_archived", order: "store_id, run_key, product_key", columns: columns(
			storeIDs("store_id"), references("run_key", "product_key"), integers("archived_at"))},
		{name: "exchange_pieces", order: "store_id, run_key, number", columns: columns(
			storeIDs("store_id"), references("run_key"), integers("number"), blobs("packed"))},
		{name: "exchange_changes", order: "store_id, run_key, number", columns: columns(
			storeIDs("store_id"), references("run_key"),
			texts("external_id", "action", "changes", "before"), integers("number", "item"))},
		{name: "exchange_kept", order: "store_id", columns: columns(
			storeIDs("store_id"), integers("bytes"))},
		{name: "customers", order: "key", columns: columns(
			storeIDs("store_id"), rowKeys("key"), references("group_key"), ids("id"),
			texts("email", "phone", "login_email", "login_phone", "name", "words", "note"),
			integers("version", "created_at", "updated_at", "signed_in_at"), booleans("guest"))},
		{name: "customer_totals", order: "store_id, customer_key, currency", columns: columns(
			storeIDs("store_id"), references("customer_key"), texts("currency"),
			integers("orders", "whole", "rest"))},
		{name: "customer_sessions", order: "hash", columns: columns(
			storeIDs("store_id"), references("customer_key"), ids("credential_id"),
			integers("created_at", "expires_at"), blobs("hash"))},
		{name: "orders", order: "key", columns: columns(
			storeIDs("store_id"), rowKeys("key"), references("customer_key", "guest_key"),
			ids("id", "submitted_event", "confirmed_event", "completed_event", "cancelled_event", "credential_id"),
			texts("state", "name", "phone", "email", "address", "delivery_comment", "comment", "currency", "words",
				"payment_number", "note", "tags", "tracking_number", "tracking_carrier", "tracking_url",
				"more_events"),
			integers("number", "total", "version", "submitted_at", "confirmed_at", "completed_at", "cancelled_at",
				"created_at", "updated_at", "erased_at", "taken", "paid_at"),
			booleans("empty", "popularity_removed", "entered"), blobs("token"))},
		{name: "order_numbers", order: "store_id", columns: columns(
			storeIDs("store_id"), integers("last"))},
		{name: "order_items", order: "key", columns: columns(
			storeIDs("store_id"), rowKeys("key"), references("order_key", "variant_key"),
			ids("id", "variant_id", "product_id", "price_list_id"),
			texts("name", "sku", "options", "barcode", "unit", "modifiers", "choice"),
			integers("price", "quantity", "vat_rate"))},
		{name: "reservations", order: "store_id, item_key, stock_key", columns: columns(
			storeIDs("store_id"), references("item_key", "variant_key", "stock_key"), integers("quantity"))},
		{name: "order_word_progress", order: "store_id", columns: columns(
			storeIDs("store_id"), integers("number", "comments", "notes"))},
		{name: "order_totals", order: "store_id, span, start, state, currency", columns: columns(
			storeIDs("store_id"), texts("span", "state", "currency"),
			integers("start", "orders", "whole", "rest"))},
		{name: "feedback", order: "key", columns: columns(
			storeIDs("store_id"), rowKeys("key"), ids("id"),
			texts("name", "email", "phone", "message", "extra", "words", "state", "note", "handler"),
			integers("created_at", "taken_at", "done_at", "version"))},
		{name: "callbacks", order: "key", columns: columns(
			storeIDs("store_id"), rowKeys("key"), ids("id"),
			texts("name", "phone", "comment", "preferred_time", "words", "state", "note", "handler"),
			integers("created_at", "taken_at", "done_at", "version"))},
		{name: "event_sequences", order: "store_id", columns: columns(
			storeIDs("store_id"), integers("last"))},
		{name: "events", order: "store_id, sequence", columns: columns(
			storeIDs("store_id"), references("receiver_key"), ids("id"), texts("type"),
			integers("sequence", "created_at"), blobs("payload"))},
		{name: "receivers", order: "key", columns: columns(
			storeIDs("store_id"), rowKeys("key"), ids("id"), texts("url", "types", "disabled_reason"),
			integers("old_secret_until", "failing_since", "version", "created_at", "updated_at"),
			booleans("enabled"), sealed("webhook secret", "secret"),
			sealed("webhook secret", "old_secret"))},
		{name: "event_fanouts", order: "store_id", columns: columns(
			storeIDs("store_id"), integers("sequence"))},
		{name: "deliveries", order: "key", columns: columns(
			storeIDs("store_id"), rowKeys("key"), references("receiver_key"), ids("id"),
			texts("type", "status"),
			integers("sequence", "attempts_count", "last_status_code", "next_attempt_at", "created_at", "updated_at"),
			booleans("stranded"))},
		{name: "attempts", order: "store_id, delivery_key, number", columns: columns(
			storeIDs("store_id"), references("delivery_key"), texts("phase", "excerpt"),
			integers("number", "started_at", "duration_ms", "status_code"))},
		{name: "attempt_hours", order: "store_id, hour, receiver_key", columns: columns(
			storeIDs("store_id"), references("receiver_key"), integers("hour", "delivered", "failed"))},
		{name: "captcha_settings", order: "store_id", columns: columns(
			storeIDs("store_id"),
			texts("provider", "public_key", "site_url", "extra_hosts", "on_provider_error", "actions"),
			booleans("active"), sealed("captcha secret", "secret"))},
		{name: "captcha_tokens", order: "store_id, hash", columns: columns(
			storeIDs("store_id"), integers("used_at"), blobs("hash"))},
		{name: "captcha_scores", order: "store_id, day, action, bucket", columns: columns(
			storeIDs("store_id"), texts("action"), integers("day", "bucket", "count"))},
		{name: "mailbox", order: "key", columns: columns(
			storeIDs("store_id"), rowKeys("key"), ids("id"), texts("recipient", "subject"),
			integers("created_at"), sealed("mailbox", "text"))},
		{name: "commerceml_stores", order: "store_id", columns: columns(
			storeIDs("store_id"), texts("settings", "memory", "contact"), integers("sales_cursor"),
			keyMembers("session", "report"))},
		{name: "commerceml_sessions", order: "key", columns: columns(
			storeIDs("store_id"), rowKeys("key"), ids("credential_id"), texts("kind", "version", "goods"),
			integers("offered", "spooled_bytes", "used_at"), booleans("imported"), blobs("login"))},
		{name: "commerceml_files", order: "key", columns: columns(
			storeIDs("store_id"), rowKeys("key"), references("session_key", "archive_key"),
			texts("name", "state", "problem"), integers("bytes", "parts", "taken_up_to"),
			blobs("first_part", "last_part"), keyMembers("", "runs"))},
		{name: "commerceml_chunks", order: "store_id, file_key, start", columns: columns(
			storeIDs("store_id"), references("file_key"), integers("start"), blobs("packed"))},
		{name: "commerceml_pictures", order: "store_id, path", columns: columns(
			storeIDs("store_id"), references("session_key"), texts("path"), blobs("digest"))},
		{name: "commerceml_packages", order: "store_id, catalog, package", columns: columns(
			storeIDs("store_id"), references("package", "session_key", "file_key", "run_key"),
			ids("credential_id"), texts("catalog", "problem"), integers("minutes", "ends_at"),
			booleans("has_offers"))},
		{name: "commerceml_goods", order: "store_id, good_id, offer_id", columns: columns(
			storeIDs("store_id"), references("package"), texts("good_id", "offer_id", "catalog"),
			integers("created_at"))},
		{name: "commerceml_orders", order: "store_id, order_id", columns: columns(
			storeIDs("store_id"), ids("order_id"), texts("document_id"))},
		{name: "commerceml_echoes", order: "store_id, sequence", columns: columns(
			storeIDs("store_id"), integers("sequence"))},
		{name: "variant_barcodes", order: "store_id, variant_key, barcode", columns: columns(
			storeIDs("store_id"), references("variant_key"), texts("barcode"))},
		{name: "price_lists", order: "key", columns: columns(
			storeIDs("store_id"), rowKeys("key"), ids("id"),
			texts("external_id", "name", "words", "currency"),
			integers("version", "created_at", "updated_at", "deleted_at", "source_version", "awaited_since"),
			blobs("pushed"))},
		{name: "variant_prices", order: "store_id, variant_key, list_key, from_quantity", columns: columns(
			storeIDs("store_id"), references("variant_key", "list_key"), integers("from_quantity", "price"))},
		{name: "customer_groups", order: "key", columns: columns(
			storeIDs("store_id"), rowKeys("key"), ids("id"), texts("external_id", "name", "words"),
			integers("version", "created_at", "updated_at"))},
		{name: "customer_group_lists", order: "store_id, group_key, list_order", columns: columns(
			storeIDs("store_id"), references("group_key", "list_key"), integers("list_order"))},
		{name: "search_rules", order: "store_id", columns: columns(
			storeIDs("store_id"), texts("synonyms"), integers("synonyms_version", "pins_version"))},
		{name: "search_pins", order: "store_id, query_order, product_order", columns: columns(
			storeIDs("store_id"), references("product_key"), texts("query"),
			integers("query_order", "product_order"))},
		{name: "search_queries", order: "store_id, day, query", columns: columns(
			storeIDs("store_id"), texts("query"),
			integers("day", "count", "found", "asked_at", "clicks", "orders"))},
		{name: "search_clicks", order: "store_id, day, product_id, query", columns: columns(
			storeIDs("store_id"), ids("product_id"), texts("query"), integers("day"))},
		{name: "search_days", order: "store_id, day", columns: columns(
			storeIDs("store_id"), integers("day", "queries", "unfound", "clicks"))},
		{name: "product_popularity", order: "store_id, product_key", columns: columns(
			storeIDs("store_id"), references("product_key"), integers("quantity", "version"))},
		{name: "popularity_progress", order: "store_id", columns: columns(
			storeIDs("store_id"), integers("first_number", "last_number", "oldest_at"))},
		{name: "change_heads", order: "store_id", columns: columns(
			storeIDs("store_id"),
			integers("version", "catalog", "price_versions", "categories", "attributes", "whole", "content", "floor",
				"announced", "announced_at"))},
		{name: "changed_products", order: "store_id, block", columns: columns(
			storeIDs("store_id"), integers("version"), blobs("entries"), keyBlocks("block"))},
		{name: "changed_categories", order: "store_id, id", columns: columns(
			storeIDs("store_id"), ids("id"), integers("state", "position", "version", "changed_at"))},
		{name: "deleted_products", order: "store_id, id", columns: columns(
			storeIDs("store_id"), references("product_key"), ids("id"), integers("version", "deleted_at"))},
		{name: "touched_products", order: "store_id, kind, key", columns: columns(
			storeIDs("store_id"), references("key", "attribute_key"), texts("kind"))},
		{name: "change_days", order: "store_id, day", columns: columns(
			storeIDs("store_id"), integers("day", "version"))},
		{name: "variant_images", order: "store_id, variant_key, image_key", columns: columns(
			storeIDs("store_id"), references("variant_key", "image_key"), integers("position"),
			booleans("leaving"))},
		{name: "product_slugs", order: "store_id, slug", columns: columns(
			storeIDs("store_id"), references("product_key"), texts("slug"), booleans("is_current"))},
		{name: "category_slugs", order: "store_id, slug", columns: columns(
			storeIDs("store_id"), references("category_key"), texts("slug"), booleans("is_current"))},
		{name: "former_paths", order: "store_id, kind, pattern", columns: columns(
			storeIDs("store_id"), texts("kind", "pattern"), integers("ended_at"))},
		{name: "redirects", order: "store_id, from_path", columns: columns(
			storeIDs("store_id"), ids("id"),
			texts("from_path", "to_path", "to_key", "target", "target_key"), integers("created_at"))},
		{name: "redirect_versions", order: "store_id", columns: columns(
			storeIDs("store_id"), integers("redirects", "stamp"))},
		{name: "feeds", order: "store_id, name", columns: columns(
			storeIDs("store_id"), texts("name", "definition"),
			integers("version", "created_at", "updated_at"), blobs("key_hash"),
			sealed("feed key", "key_sealed"))},
		{name: "mail_settings", order: "store_id", columns: columns(
			storeIDs("store_id"), texts("switches", "templates"), integers("version", "updated_at"))},
		{name: "sent_mails", order: "store_id, id", columns: columns(
			storeIDs("store_id"), ids("id"), integers("sent_at"), blobs("recipient"))},
		{name: "order_tags", order: "store_id, order_key, tag", columns: columns(
			storeIDs("store_id"), references("order_key"), texts("tag"), integers("submitted_at"))},
		{name: "order_updates", order: "store_id, order_key, created_at, event_id", columns: columns(
			storeIDs("store_id"), references("order_key"), ids("event_id"), integers("created_at"))},
		{name: "order_mails", order: "store_id, order_key, id", columns: columns(
			storeIDs("store_id"), references("order_key"), ids("id"), texts("kind", "recipient"), integers("at"),
			booleans("failed"))},
		{name: "withdrawals", order: "store_id, item_key, stock_key", columns: columns(
			storeIDs("store_id"), references("item_key", "variant_key", "stock_key"), integers("quantity"))},
		{name: "mail_servers", order: "store_id", columns: columns(
			storeIDs("store_id"), integers("version", "updated_at"), sealed("mail server", "settings"))},
		{name: "list_views", order: "store_id, id", columns: columns(
			storeIDs("store_id"), ids("id", "operator_id"), texts("list", "name", "query", "columns"),
			integers("version"), booleans("is_default"))},
		{name: "column_maps", order: "store_id, entity, digest", columns: columns(
			storeIDs("store_id"), texts("entity", "mapping"), integers("updated_at"), blobs("digest"))},
	}
}

// tablesLeftOut returns the tables that stay behind, with the reason.
func tablesLeftOut() map[string]string {
	return map[string]string{
		"meta":                        "values of the installation",
		"schema_compatibility":        "values of the installation",
		"nodes":                       "processes of the installation",
		"node_deaths":                 "processes of the installation",
		"lanes":                       "processes of the installation",
		"job_starts":                  "processes of the installation",
		"account_devices":             "people sign in again",
		"account_email_changes":       "links that were sent end",
		"account_lockouts":            "people sign in again",
		"account_password_resets":     "links that were sent end",
		"operator_sessions":           "people sign in again",
		"login_requests":              "a code is valid for minutes and belongs to the secret key of the installation",
		"image_leftovers":             "files that are about to be removed",
		"commerceml_recordings":       "a cache",
		"commerceml_recording_chunks": "a cache",
	}
}
