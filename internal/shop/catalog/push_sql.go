package catalog

const lockPushesSQL = `
INSERT INTO push_locks (store_id, taken)
VALUES ($1, 1)
ON CONFLICT (store_id) DO UPDATE
SET taken = push_locks.taken + 1`
