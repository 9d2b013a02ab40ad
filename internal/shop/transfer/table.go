package transfer

import (
	"slices"

	"vitrine/internal/kit/database"
)

// table is a table with rows of a store.
type table struct {
	name string
	// order lists the columns of the primary key.
	order   string
	columns []column
}

// role says what an import does with the value of a column.
type role int

const (
	// plain values stay as they are.
	plain role = iota
	// ofStore is the id of the store.
	ofStore
	// ofRow is the key of the row. It is a number of the installation, which gets another one. generated says that the
	// database gives it to new rows.
	ofRow
	// ofOther is the key of another row, or 0, or NULL.
	ofOther
	// ofBlock is the number of a block of 1,024 keys.
	ofBlock
	// ofRows are keys, as big-endian integers of 8 bytes, or in cells as JSON: what a chunk of a bulk change has.
	ofRows
	// inJSON are keys in a JSON object.
	inJSON
	// ofAccount is the id of an account. The installation may have another account of the same person.
	ofAccount
	// secret values are encrypted with the secret key of the installation.
	secret
	// ofJob is the payload of a job, nameOfJob its unique name.
	ofJob
	nameOfJob
	// ofTransaction is the mark of the transaction that wrote the row last: see store.MarkSQL.
	ofTransaction
	// computed values are not written.
	computed
)

// column is a column of a table.
type column struct {
	name string
	kind database.ColumnType
	role role
	// purpose is that of vault.Vault.Seal for a secret.
	purpose string
	// member is the member of a JSON object that is a key; all of them if it is empty.
	member string
}

func columns(groups ...[]column) []column { return slices.Concat(groups...) }

func columnsOf(kind database.ColumnType, r role, names []string) []column {
	list := make([]column, len(names))
	for i, name := range names {
		list[i] = column{name: name, kind: kind, role: r}
	}
	return list
}

func texts(names ...string) []column      { return columnsOf(database.Text, plain, names) }
func integers(names ...string) []column   { return columnsOf(database.BigInt, plain, names) }
func booleans(names ...string) []column   { return columnsOf(database.Bool, plain, names) }
func doubles(names ...string) []column    { return columnsOf(database.Double, plain, names) }
func blobs(names ...string) []column      { return columnsOf(database.Bytes, plain, names) }
func ids(names ...string) []column        { return columnsOf(database.UUID, plain, names) }
func storeIDs(names ...string) []column   { return columnsOf(database.UUID, ofStore, names) }
func accountIDs(names ...string) []column { return columnsOf(database.UUID, ofAccount, names) }
func rowKeys(names ...string) []column    { return columnsOf(database.BigInt, ofRow, names) }
func references(names ...string) []column { return columnsOf(database.BigInt, ofOther, names) }
func keyBlocks(names ...string) []column  { return columnsOf(database.BigInt, ofBlock, names) }
func keyLists(names ...string) []column   { return columnsOf(database.Bytes, ofRows, names) }
func jobPayloads(names ...string) []column {
	return columnsOf(database.Bytes, ofJob, names)
}
func jobNames(names ...string) []column { return columnsOf(database.Text, nameOfJob, names) }
func marks(names ...string) []column    { return columnsOf(database.BigInt, ofTransaction, names) }
func leftOut(names ...string) []column  { return columnsOf("", computed, names) }

func sealed(purpose string, names ...string) []column {
	list := columnsOf(database.Bytes, secret, names)
	for i := range list {
		list[i].purpose = purpose
	}
	return list
}

func keyMembers(member string, names ...string) []column {
	list := columnsOf(database.Text, inJSON, names)
	for i := range list {
		list[i].member = member
	}
	return list
}

// stored returns the columns whose values are in the archive.
func (t *table) stored() []column {
	return slices.DeleteFunc(slices.Clone(t.columns), func(c column) bool {
		return c.role == computed || c.role == ofTransaction
	})
}

// index returns the position of a column among those that are stored.
func (t *table) index(name string) int {
	return slices.IndexFunc(t.stored(), func(c column) bool { return c.name == name })
}

// rowKey returns the column with the keys of the rows, or "".
func (t *table) rowKey() string {
	for _, c := range t.columns {
		if c.role == ofRow {
			return c.name
		}
	}
	return ""
}
