package demo

import (
	"embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// russianFiles has a file per department of the Russian catalogue. A line is "key: value", and a value may be a list
// with semicolons between its elements, the most popular first. The first line names the department; "group:" and
// "section:" lines follow, the latter with the medians of price and weight. Keys apply to the department, group or
// section above them: a section without a key has the value of its group, and then that of its department; "-" is no
// value. Only "feature:" adds to what the group and the department have. The keys are the cases of addKey.
//
//go:embed russian/*.txt
var russianFiles embed.FS

// russianBlock is a department, group or section with its keys.
type russianBlock struct {
	name          string
	price, weight float64
	above         *russianBlock
	values        map[string]string
	features      specs
	options       specs
	hasOptions    bool
}

// lookup returns the value of a key, also from the blocks above.
func (b *russianBlock) lookup(key string) string {
	for ; b != nil; b = b.above {
		if value, ok := b.values[key]; ok && value == "-" {
			return ""
		} else if ok {
			return value
		}
	}
	return ""
}

// list returns the elements of a value. Elements may be empty.
func (b *russianBlock) list(key string) []string { return splitList(b.lookup(key), ";") }

func splitList(value, separator string) []string {
	if value == "" {
		return nil
	}
	parts := strings.Split(value, separator)
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	return parts
}

// allFeatures returns the features in the lines "feature:" of a block and those above.
func (b *russianBlock) allFeatures() (all specs) {
	for ; b != nil; b = b.above {
		all = slices.Concat(b.features, all)
	}
	return all
}

// nearestOptions returns the options of the block, or of the nearest one above that has any.
func (b *russianBlock) nearestOptions() specs {
	for ; b != nil; b = b.above {
		if b.hasOptions {
			return b.options
		}
	}
	return nil
}

// russianDepartment is a parsed file. The sections of a group have the group above.
type russianDepartment struct {
	top      *russianBlock
	sections []*russianBlock
}

// parseRussianDepartments parses all files. They are a part of the program, so a mistake is a panic.
func parseRussianDepartments() (departments []russianDepartment) {
	entries, err := russianFiles.ReadDir("russian")
	if err != nil {
		panic(err)
	}

	for _, e := range entries {
		text, err := russianFiles.ReadFile("russian/" + e.Name())
		if err != nil {
			panic(err)
		}

		d, err := parseRussianDepartment(string(text))
		if err != nil {
			panic(fmt.Errorf("%s: %w", e.Name(), err))
		}

		departments = append(departments, d)
	}

	return departments
}

func parseRussianDepartment(text string) (d russianDepartment, err error) {
	var block, group *russianBlock
	for line := range strings.Lines(text) {
		key, value, ok := strings.Cut(strings.TrimSpace(line), ":")
		value = strings.TrimSpace(value)
		switch {
		case key == "":
			continue
		case !ok:
			return d, fmt.Errorf("the line %q has no colon", line)
		}

		switch key {
		case "department":
			block = newRussianBlock(value, nil)
			d.top = block
		case "group":
			block = newRussianBlock(value, d.top)
			group = block
		case "section":
			if block, err = parseSection(value, group); err != nil {
				return d, err
			}
			d.sections = append(d.sections, block)
		default:
			if err := block.addKey(key, value); err != nil {
				return d, err
			}
		}
	}

	return d, nil
}

func newRussianBlock(name string, above *russianBlock) *russianBlock {
	return &russianBlock{name: name, above: above, values: map[string]string{}}
}

func parseSection(value string, group *russianBlock) (*russianBlock, error) {
	parts := splitList(value, "|")
	if len(parts) != 3 || group == nil {
		return nil, fmt.Errorf("%q is no section with a price and a weight in a group", value)
	}

	b := newRussianBlock(parts[0], group)
	var err error
	if b.price, err = strconv.ParseFloat(parts[1], 64); err != nil {
		return nil, err
	}
	b.weight, err = strconv.ParseFloat(parts[2], 64)
	return b, err
}

func (b *russianBlock) addKey(key, value string) error {
	switch key {
	case "sku", // the format of SKUs, for the numbers of product and variant
		"brands",     // each with its models, if it has own ones: "Nike: Air Max ##, Air Force 1"; # is a digit
		"name",       // the pattern of names: see russianWording
		"nouns",      // each after its gender: m, f, n, or p for nouns that have no singular
		"adjectives", // in the masculine
		"details",    // sizes and the like, at the end of a name
		"fits",       // the feature that has the detail without "для"
		"praise",     // adjectives for the description
		"uses",       // genitives, after для
		"facts",      // sentences of the description
		"colours", "materials", "countries", "titles", "title adjectives", "authors", "modifiers":
		b.values[key] = value
		return nil

	case "season":
		return b.addFeature(russianSeason + "|" + value)
	case "warranty":
		return b.addFeature(russianWarranty + "|" + value)
	case "feature":
		return b.addFeature(value)
	case "option":
		return b.addOption(value)
	}
	return fmt.Errorf("there is no key %q", key)
}

// addFeature adds a feature from a line such as "Цоколь | 0.9 | E27; E14".
func (b *russianBlock) addFeature(value string) error {
	parts := splitList(value, "|")
	if len(parts) != 3 {
		return fmt.Errorf("%q is no feature with a share and values", value)
	}
	share, err := strconv.ParseFloat(parts[1], 64)
	b.features = append(b.features, attributeSpec{name: parts[0], share: share, values: splitList(parts[2], ";")})
	return err
}

// addOption adds an option from a line such as "Объём | 0.3 | 1 л; 2 л", with the price step. The values of the colour
// are those of the key "colours". Without a name the block has no options.
func (b *russianBlock) addOption(value string) (err error) {
	parts := splitList(value, "|")
	b.hasOptions = true
	switch {
	case len(parts) == 0:
		return nil
	case len(parts) == 3:
		o := attributeSpec{name: parts[0], isOption: true, values: splitList(parts[2], ";")}
		o.priceStep, err = strconv.ParseFloat(parts[1], 64)
		b.options = append(b.options, o)
		return err
	case parts[0] == russianColour:
		b.options = append(b.options, attributeSpec{name: russianColour, isOption: true})
		return nil
	}
	return fmt.Errorf("%q is no option with a price step and values", value)
}
