package modifier

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/bits"
	"slices"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/money"
)

const (
	// MaxChoices is the maximum number of modifiers of a line.
	MaxChoices = 100
	// QuantityDigits is the maximum number of digits of the quantity of a modifier.
	QuantityDigits = 9
	// MaxQuantity is the largest quantity of a modifier for one piece of a line.
	MaxQuantity = 999_999_999
	// MaxPrice is the largest price of a line.
	MaxPrice = money.Money(1e16 - 1)
)

// Choice is what a buyer chooses: how much of an item for one piece of the line.
type Choice struct {
	GroupID, ItemID string
	Quantity        int64
}

// Chosen is a chosen item with its names and its price. The price is that of one.
type Chosen struct {
	GroupID, GroupName, ItemID, Name string
	Price                            money.Money
	Quantity                         int64
}

// Problem says why a choice is not possible: the broken rule without its path. Choice is the index of the choice, and
// Member its member: group_id, item_id or quantity. If it is about a whole group, Choice is -1 and Member is empty.
type Problem struct {
	fault.Field
	Choice int
	Member string
}

// Choose returns what was chosen of the groups, in their order. The quantities of an item that is chosen twice add up.
// It returns a problem for each choice of what does not exist, and for each group with too few or too many. Choices of
// what does not exist are left out, and the limits of a group with such choices are not looked at.
func Choose(groups []Group, choices []Choice) (chosen []Chosen, problems []Problem) {
	quantities := make([][]int64, len(groups))
	hasUnknown := make([]bool, len(groups))
	for n, c := range choices {
		g := slices.IndexFunc(groups, func(g Group) bool { return g.ID == c.GroupID })
		if g < 0 {
			problems = append(problems, Problem{*fault.Broken("unknown_modifier_group",
				"The product has no group of modifiers with the id %.100s, or not any more.", c.GroupID), n,
				"group_id"})
			continue
		}

		i := slices.IndexFunc(groups[g].Items, func(i Item) bool { return i.ID == c.ItemID })
		if i < 0 {
			hasUnknown[g] = true
			problems = append(problems, Problem{*fault.Broken("unknown_modifier",
				"“%s” has no modifier with the id %.100s, or not any more.", groups[g].Name, c.ItemID), n, "item_id"})
			continue
		}

		if quantities[g] == nil {
			quantities[g] = make([]int64, len(groups[g].Items))
		}
		quantities[g][i] += c.Quantity
		if quantities[g][i] > MaxQuantity {
			quantities[g][i] = MaxQuantity
			problems = append(problems, Problem{*fault.Broken("out_of_range",
				"At most %d of one modifier can be chosen.", int64(MaxQuantity)), n, "quantity"})
		}
	}

	for g := range groups {
		group := &groups[g]
		sum := int64(0)
		for i, quantity := range quantities[g] {
			if sum += quantity; quantity > 0 {
				item := &group.Items[i]
				chosen = append(chosen, Chosen{group.ID, group.Name, item.ID, item.Name, item.Price, quantity})
			}
		}
		if broken := group.check(sum); broken != nil && !hasUnknown[g] {
			problems = append(problems, Problem{*broken, -1, ""})
		}
	}

	return chosen, problems
}

// check returns the rule that the sum of the chosen quantities of the group breaks, or nil.
func (g *Group) check(sum int64) *fault.Field {
	least := g.Min
	if g.Required {
		least = max(least, 1)
	}

	switch {
	case sum == 0 && !g.Required:
		return nil
	case sum == 0:
		return fault.Broken("modifier_required", "Choose at least %d of “%s”.", least, g.Name)
	case sum < least:
		return fault.Broken("too_few_modifiers", "Choose at least %d of “%s”; %d is too few.", least, g.Name, sum)
	case g.Max != Unlimited && sum > g.Max:
		return fault.Broken("too_many_modifiers", "Choose at most %d of “%s”; %d is too many.", g.Max, g.Name, sum)
	}
	return nil
}

// Choices returns the choices that lead to what was chosen.
func Choices(chosen []Chosen) []Choice {
	list := make([]Choice, len(chosen))
	for i := range chosen {
		list[i] = Choice{chosen[i].GroupID, chosen[i].ItemID, chosen[i].Quantity}
	}
	return list
}

// AddPrices returns a price with those of what was chosen. The result is at most MaxPrice; fits reports whether it is
// exact.
func AddPrices(price money.Money, chosen []Chosen) (total money.Money, fits bool) {
	total = price
	for i := range chosen {
		high, low := bits.Mul64(uint64(chosen[i].Price), uint64(chosen[i].Quantity))
		if high > 0 || low > uint64(MaxPrice-total) {
			return MaxPrice, false
		}
		total += money.Money(low)
	}
	return total, true
}

// Key identifies what was chosen: it is the same for the same quantities of the same items in any order, and empty for
// nothing.
func Key(chosen []Chosen) string {
	if len(chosen) == 0 {
		return ""
	}

	sorted := slices.SortedFunc(slices.Values(chosen), func(a, b Chosen) int {
		return cmp.Or(cmp.Compare(a.GroupID, b.GroupID), cmp.Compare(a.ItemID, b.ItemID))
	})
	var text []byte
	for _, c := range sorted {
		text = fmt.Appendf(text, "%q %q %d\n", c.GroupID, c.ItemID, c.Quantity)
	}
	sum := sha256.Sum256(text)
	const bytes = 16
	return hex.EncodeToString(sum[:bytes])
}

// Path returns the path of what is wrong in a line of a request.
func (p *Problem) Path() string {
	if p.Choice < 0 {
		return "modifiers"
	}
	return fmt.Sprintf("modifiers[%d].%s", p.Choice, p.Member)
}
