package frame

import (
	"html/template"
	"text/template/parse"
)

// foldConstants replaces actions without variables, such as {{T "Name"}} and {{icon "plus"}}, by their text. Templates
// are parsed once for each language, so the text never changes, and calling these functions is most of the time that it
// takes to render a list.
func foldConstants(t *template.Template, constants map[string]func(string) string) {
	for _, defined := range t.Templates() {
		if defined.Tree != nil {
			foldList(defined.Tree.Root, constants)
		}
	}
}

func foldList(list *parse.ListNode, constants map[string]func(string) string) {
	if list == nil {
		return
	}

	var folded []parse.Node
	for _, node := range list.Nodes {
		switch n := node.(type) {
		case *parse.ActionNode:
			if text, ok := constantText(n, constants); ok {
				node = &parse.TextNode{NodeType: parse.NodeText, Pos: n.Pos, Text: []byte(text)}
			}
		case *parse.IfNode:
			foldBranch(&n.BranchNode, constants)
		case *parse.RangeNode:
			foldBranch(&n.BranchNode, constants)
		case *parse.WithNode:
			foldBranch(&n.BranchNode, constants)
		}

		folded = appendText(folded, node)
	}

	list.Nodes = folded
}

func foldBranch(b *parse.BranchNode, constants map[string]func(string) string) {
	foldList(b.List, constants)
	foldList(b.ElseList, constants)
}

// appendText appends a node. It joins a text with the text before it.
func appendText(nodes []parse.Node, node parse.Node) []parse.Node {
	text, isText := node.(*parse.TextNode)
	if isText && len(nodes) > 0 {
		if before, ok := nodes[len(nodes)-1].(*parse.TextNode); ok {
			before.Text = append(before.Text[:len(before.Text):len(before.Text)], text.Text...)
			return nodes
		}
	}
	return append(nodes, node)
}

// constantText returns the text of an action that calls one of the functions with a single constant.
func constantText(n *parse.ActionNode, constants map[string]func(string) string) (string, bool) {
	if len(n.Pipe.Decl) > 0 || len(n.Pipe.Cmds) != 1 || len(n.Pipe.Cmds[0].Args) != 2 {
		return "", false
	}
	name, isName := n.Pipe.Cmds[0].Args[0].(*parse.IdentifierNode)
	argument, isString := n.Pipe.Cmds[0].Args[1].(*parse.StringNode)
	if !isName || !isString || constants[name.Ident] == nil {
		return "", false
	}
	return constants[name.Ident](argument.Text), true
}
