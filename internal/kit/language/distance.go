package language

import "unicode/utf8"

// maxTypoRunes is the length of a word up to which typing errors are looked for. No word that people type is longer.
const maxTypoRunes = 48

// MaxErrors returns how many typing errors a word may have: none below 4 characters, one below 8, two from 8 on. A
// number has none, since another number is another product.
func MaxErrors(word string) int {
	n := utf8.RuneCountInString(word)
	switch {
	case n < 4 || n > maxTypoRunes || IsNumber(word):
		return 0
	case n < 8:
		return 1
	}
	return 2
}

// Distance returns the number of typing errors between two words, or limit+1 if there are more than limit. An error is
// a letter too many, too few or another one, or two neighbours that changed places.
func Distance(a, b string, limit int) int {
	var x, y [maxTypoRunes]rune
	m, ok := decode(&x, a)
	n, fits := decode(&y, b)
	switch {
	case a == b:
		return 0
	case !ok || !fits || limit <= 0 || m-n > limit || n-m > limit:
		return max(limit, 0) + 1
	}
	return boundedDistance(x[:m], y[:n], limit)
}

// decode writes the runes of a word and returns their number. It returns false if the word is too long.
func decode(runes *[maxTypoRunes]rune, word string) (n int, ok bool) {
	for _, r := range word {
		if n == maxTypoRunes {
			return n, false
		}
		runes[n] = r
		n++
	}
	return n, true
}

// boundedDistance is Distance of decoded words. Only cells next to the diagonal can hold limit or less.
func boundedDistance(a, b []rune, limit int) int {
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(b)-len(a) > limit || len(a) == 0 {
		return min(len(b), limit+1)
	}

	var rows [3][maxTypoRunes + 1]int
	before, previous, current := &rows[0], &rows[1], &rows[2]
	for j := range min(len(b), limit) + 1 {
		previous[j] = j
	}

	for i := 1; i <= len(a); i++ {
		from, to := max(1, i-limit), min(len(b), i+limit)
		least := limit + 1
		current[from-1] = limit + 1
		if from == 1 {
			current[0] = i
		}
		if i+limit <= len(b) {
			previous[i+limit] = limit + 1
		}

		for j := from; j <= to; j++ {
			cost := previous[j-1]
			if a[i-1] != b[j-1] {
				cost = min(cost, previous[j], current[j-1]) + 1
				if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
					cost = min(cost, before[j-2]+1)
				}
			}
			current[j] = cost
			least = min(least, cost)
		}
		if least > limit {
			return limit + 1
		}
		before, previous, current = previous, current, before
	}

	return min(previous[len(b)], limit+1)
}
