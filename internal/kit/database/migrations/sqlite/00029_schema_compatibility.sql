-- +goose Up

-- Which programs may use this schema: those that know at least the schema oldest_program. A migration that takes
-- something away that the program before it needs raises it.
CREATE TABLE schema_compatibility (
	oldest_program bigint NOT NULL
);

INSERT INTO schema_compatibility (oldest_program)
VALUES (29);
