package language

import "strings"

// functionWords are the prepositions, articles and conjunctions of the languages of stores, folded.
var functionWords = func() map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(`
		без в во для мой моя мое мои мою моей моего свой свою своей до за и из или к ко на над не о об от по под при про с со у
		біля від для до з за зі й на над під по та у чи із
		a an and at by for from in my of on or our that the this to with without your
		als am an auf aus bei das dem den der die ein eine einem einen einer fur im in mit ohne oder und von zu zum zur
		a con de del e el en la las los o para por sin un una y
		a au aux avec d dans de des du en et l la le les ou par pour sans sur un une
		және мен үшін
	`) {
		set[word] = true
	}
	return set
}()

// IsFunctionWord reports whether a folded word says little about a product: для, на, with, für. Single letters may also
// be a part of a model (USB C).
func IsFunctionWord(word string) bool { return functionWords[word] }
