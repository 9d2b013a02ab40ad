// Package modifier has the modifiers of products: extras that a buyer adds to a product or chooses in it, in groups. It
// owns the form in which they are stored, the ids by which orders name them, and the rule of what can be chosen.
//
//   - group.go: the groups of a product. made_id.go: the ids of those that have none of their own.
//   - choice.go: what a buyer chooses, what comes of it, and what it costs.
//
// Which JSON is accepted as the modifiers of a product is a rule of package catalog.
package modifier
