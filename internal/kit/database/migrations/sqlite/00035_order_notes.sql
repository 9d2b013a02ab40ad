-- +goose Up
-- +compatible: older nodes index new orders without notes and tags, and do not raise this number; newer ones complete them.

-- Orders are found by the words of the shop's notes and tags, too. This is the number of the last order all of whose
-- words are in search_words; it stands for the column comments, which only older nodes use.
ALTER TABLE order_word_progress ADD COLUMN notes INTEGER NOT NULL DEFAULT 0;
