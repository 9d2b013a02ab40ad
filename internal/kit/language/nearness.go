package language

// Costs of errors, the smaller the more probable.
const (
	costOther     = 10 // any other error
	costNear      = 6  // a key beside the right one
	costAlike     = 5  // a letter that sounds alike
	costSwap      = 6  // two letters that changed places
	costDouble    = 4  // a double letter typed once, or a single one twice
	costForgotten = 8  // a letter too few or too many
	costFirst     = 3  // added if the first letter is wrong
)

// Nearness returns how improbable the errors are that turn one word into another: less for keys that are neighbours,
// letters that sound alike, double letters and swaps; more for a wrong first letter. It orders words of equal Distance.
func Nearness(typed, meant string) int {
	var x, y [maxTypoRunes]rune
	m, ok := decode(&x, typed)
	n, fits := decode(&y, meant)
	if !ok || !fits {
		return costOther * maxTypoRunes
	}

	cost := weigh(x[:m], y[:n])
	if m > 0 && n > 0 && x[0] != y[0] {
		cost += costFirst
	}
	return cost
}

// weigh returns the least sum of costs of errors between two words.
func weigh(a, b []rune) int {
	var rows [3][maxTypoRunes + 1]int
	before, previous, current := &rows[0], &rows[1], &rows[2]
	for j := 1; j <= len(b); j++ {
		previous[j] = previous[j-1] + gapCost(b, j-1)
	}

	for i := 1; i <= len(a); i++ {
		current[0] = previous[0] + gapCost(a, i-1)
		for j := 1; j <= len(b); j++ {
			cost := min(previous[j-1]+changeCost(a[i-1], b[j-1]), previous[j]+gapCost(a, i-1),
				current[j-1]+gapCost(b, j-1))
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cost = min(cost, before[j-2]+costSwap)
			}
			current[j] = cost
		}
		before, previous, current = previous, current, before
	}

	return previous[len(b)]
}

// gapCost is the cost of a letter that the other word lacks.
func gapCost(word []rune, i int) int {
	if i > 0 && word[i-1] == word[i] || i+1 < len(word) && word[i+1] == word[i] {
		return costDouble
	}
	return costForgotten
}

func changeCost(a, b rune) int {
	switch {
	case a == b:
		return 0
	case alike[[2]rune{a, b}]:
		return costAlike
	case neighbourKeys[[2]rune{a, b}]:
		return costNear
	}
	return costOther
}

// alike are pairs of letters that are taken for each other because they sound alike.
var alike = bothWays("оа еи ея иы эе юу яа ьъ бп вф гк дт жш зс щш чщ цс йи ёо їі ие " +
	"ae ei iy ou ck sz cs gj fv bp dt qk wv xz nm ао")

// bothWays returns the pairs of a list, in both orders.
func bothWays(list string) map[[2]rune]bool {
	pairs := map[[2]rune]bool{}
	letters := []rune(list)
	for i := 0; i+1 < len(letters); i += 3 {
		pairs[[2]rune{letters[i], letters[i+1]}] = true
		pairs[[2]rune{letters[i+1], letters[i]}] = true
	}
	return pairs
}

// neighbourKeys are pairs of letters whose keys touch.
var neighbourKeys = touchingKeys(
	[]string{"1234567890", "qwertyuiop", "asdfghjkl", "zxcvbnm"},
	[]string{"1234567890", "йцукенгшщзхъ", "фывапролджэ", "ячсмитьбю"},
	[]string{"1234567890", "йцукенгшщзхї", "фівапролджє", "ячсмитьбю"},
)

// touchingKeys returns the pairs of neighbours on keyboards given by their rows. Each row is shifted to the right by
// half a key, so that a key touches two of the row above.
func touchingKeys(boards ...[]string) map[[2]rune]bool {
	pairs := map[[2]rune]bool{}
	add := func(a, b rune) {
		pairs[[2]rune{a, b}] = true
		pairs[[2]rune{b, a}] = true
	}

	for _, board := range boards {
		var above []rune
		for _, row := range board {
			keys := []rune(row)
			for i, key := range keys {
				if i > 0 {
					add(key, keys[i-1])
				}
				for _, j := range []int{i, i + 1} {
					if j < len(above) {
						add(key, above[j])
					}
				}
			}
			above = keys
		}
	}

	return pairs
}
