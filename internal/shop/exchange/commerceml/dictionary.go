package commerceml

const (
	// maxDictionary limits the values of one dictionary that are held. Values past it can be named by id only.
	maxDictionary = 100_000
	// The dictionaries of a file may take one dictionaryPart-th of the room, and at most maxDictionaries bytes.
	dictionaryPart  = 8
	maxDictionaries = 32 << 20
	// dictionaryMemory is what a value of a dictionary takes besides its texts, in bytes: its entries in two maps.
	dictionaryMemory = 200
)

// dictionary has the values of the dictionaries of this file by their text, since some goods name a value by it. Past
// its limit it is dropped: goods can then name values by their ids only, as 1C does.
type dictionary struct {
	room       *Room
	properties map[string]*dictionaryValues
	// long has the texts that are too long for a value, by property and id: goods have them in their descriptions.
	long    map[dictionaryKey]string
	bytes   int64 // counted in room
	dropped bool
}

type dictionaryKey struct{ property, id string }

// dictionaryValues are the values of a property: their texts by id, and their ids by normalized text.
type dictionaryValues struct {
	texts  map[string]string
	byText map[string]string
}

// add adds a value of a property. It returns false if the dictionary is dropped.
func (d *dictionary) add(property string, v attributeValue) (bool, error) {
	if d.dropped {
		return false, nil
	}

	values := d.properties[property]
	if values == nil {
		values = &dictionaryValues{map[string]string{}, map[string]string{}}
	}

	if _, known := values.texts[v.id]; known || len(values.texts) >= maxDictionary {
		return true, nil
	}

	size := int64(dictionaryMemory + len(v.id) + len(v.name))
	if len(values.texts) == 0 {
		size += int64(dictionaryMemory + len(property))
	}

	if d.bytes+size > d.room.part(dictionaryPart, maxDictionaries) {
		d.drop()
		return false, nil
	}

	if err := d.room.Take(size); err != nil {
		return false, err
	}

	d.bytes += size

	if d.properties == nil {
		d.properties = map[string]*dictionaryValues{}
	}

	d.properties[property] = values
	values.texts[v.id] = v.name

	if key := normalize(v.name); values.byText[key] == "" {
		values.byText[key] = v.id
	}

	return true, nil
}

// addLong adds a text that is too long for a value. It returns false if there is no room for it.
func (d *dictionary) addLong(property, id, text string) (bool, error) {
	size := int64(dictionaryMemory + len(property) + len(id) + len(text))
	if d.dropped || d.bytes+size > d.room.part(dictionaryPart, maxDictionaries) {
		return false, nil
	}
	if err := d.room.Take(size); err != nil {
		return false, err
	}

	d.bytes += size
	if d.long == nil {
		d.long = map[dictionaryKey]string{}
	}
	d.long[dictionaryKey{property, id}] = text
	return true, nil
}

func (d *dictionary) drop() {
	d.room.Free(d.bytes)
	*d = dictionary{room: d.room, dropped: true}
}

// idOf returns the id of the value that a good names by its id or its text.
func (d *dictionary) idOf(property, text string) (id string, isText bool) {
	values := d.properties[property]
	if values == nil || len(values.texts) >= maxDictionary {
		return text, false
	}
	if _, isID := values.texts[text]; isID {
		return text, false
	}
	if id := values.byText[normalize(text)]; id != "" {
		return id, false
	}
	return normalize(text), true
}

// textOf returns the text of the value with an id, or "" if the file does not have it.
func (d *dictionary) textOf(property, id string) string {
	if values := d.properties[property]; values != nil {
		return values.texts[id]
	}
	return ""
}
