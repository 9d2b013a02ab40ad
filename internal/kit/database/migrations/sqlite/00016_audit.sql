-- +goose Up
-- Who changed what. The sequence grows with each entry. Changes is a JSON array of {field, from, to}.
CREATE TABLE audit_entries (
	sequence     INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	store_id     BLOB    NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
	created_at   INTEGER NOT NULL,
	actor_kind   TEXT    NOT NULL,
	actor_id     TEXT    NOT NULL,
	actor_name   TEXT    NOT NULL,
	action       TEXT    NOT NULL,
	object_kind  TEXT    NOT NULL,
	object_id    TEXT    NOT NULL,
	object_label TEXT    NOT NULL,
	changes      TEXT    NOT NULL
) STRICT;
CREATE INDEX audit_entries_store ON audit_entries (store_id, sequence);
CREATE INDEX audit_entries_object ON audit_entries (store_id, object_kind, object_id, sequence);
CREATE INDEX audit_entries_actor ON audit_entries (store_id, actor_kind, actor_id, sequence);
