package frame

import (
	"embed"
	"html/template"
	"strings"
)

// The icons are files of Lucide, without their comments.
//
//go:embed icons/*.svg
var embeddedIcons embed.FS

// icon returns an icon to put into a page. The text beside it has the meaning, so screen readers skip the icon. It
// panics if there is no such icon.
func icon(name string) template.HTML {
	svg := string(mustBuiltIn(embeddedIcons.ReadFile("icons/" + name + ".svg")))
	return template.HTML(strings.Replace(svg, "<svg", `<svg class="icon" aria-hidden="true"`, 1))
}
