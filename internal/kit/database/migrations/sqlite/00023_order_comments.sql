-- +goose Up
-- +compatible: older nodes index new orders without their comments, and do not raise this number; newer ones complete them.

-- Orders are found by the words of their comments, too. This is the number of the last order whose comments are in
-- search_words, as order_word_progress.number is for the other words.
ALTER TABLE order_word_progress ADD COLUMN comments INTEGER NOT NULL DEFAULT 0;
