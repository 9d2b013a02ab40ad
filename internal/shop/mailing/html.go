package mailing

import (
	"html"
	"regexp"
	"strings"
)

// The layout of all mails as HTML. Mail programs know only styles that stand in the elements.
const (
	htmlHead = `<!DOCTYPE html>
<html lang="LANG"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
		`<title>TITLE</title></head>
<body style="margin:0;padding:24px 12px;background:#f4f4f5;color:#18181b;` +
		`font:16px/1.5 -apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0"><tr><td align="center">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="max-width:600px;background:#ffffff;` +
		`border-radius:8px"><tr><td style="padding:24px;text-align:left">
`
	htmlFoot = `</td></tr></table>
</td></tr></table>
</body></html>
`
	paragraphStart = `<p style="margin:0 0 16px">`
	linesStart     = `<table width="100%" cellpadding="0" cellspacing="0" ` +
		`style="border-collapse:collapse;margin:0 0 16px">`
	cellStyle   = `style="padding:8px 0;border-bottom:1px solid #e4e4e7;vertical-align:top"`
	numberStyle = `align="right" style="padding:8px 0 8px 12px;border-bottom:1px solid #e4e4e7;vertical-align:top;` +
		`white-space:nowrap"`
	pictureCellStyle = `width="60" style="width:60px;padding:8px 12px 8px 0;border-bottom:1px solid #e4e4e7;` +
		`vertical-align:top"`
	pictureStyle = `style="display:block;width:48px;height:48px;border-radius:4px;object-fit:contain"`
	quietStyle   = `style="color:#71717a;font-size:14px"`
)

// Styles returns the values of all style attributes in mails, so that a page can show one and allow nothing else.
func Styles() (values []string) {
	all := htmlHead + paragraphStart + linesStart + cellStyle + numberStyle + pictureCellStyle + pictureStyle +
		quietStyle
	for _, m := range styleAttribute.FindAllStringSubmatch(all, -1) {
		values = append(values, m[1])
	}
	return values
}

var styleAttribute = regexp.MustCompile(`style="([^"]*)"`)

// fillHTML returns a template with its values as HTML of the fixed layout. All texts are escaped.
func fillHTML(t Template, subject, lang string, values map[string]value) string {
	lines := fillLines(t.Text, values, func(pieces []piece) string {
		if isBlock(pieces) {
			return blockMark + values[pieces[0].name].html
		}
		var b strings.Builder
		for _, p := range pieces {
			b.WriteString(html.EscapeString(p.text))
			if p.name != "" {
				b.WriteString(values[p.name].inline())
			}
		}
		return strings.TrimSpace(b.String())
	})

	var b strings.Builder
	head := strings.NewReplacer("LANG", html.EscapeString(lang), "TITLE", html.EscapeString(subject))
	b.WriteString(head.Replace(htmlHead))
	writeParagraphs(&b, lines)
	b.WriteString(htmlFoot)
	return b.String()
}

// blockMark begins a line that is a block of its own. No escaped text begins with it.
const blockMark = "<block>"

// isBlock reports whether a line has nothing but the lines of an order.
func isBlock(pieces []piece) bool { return len(pieces) == 1 && pieces[0].name == placeLines }

// inline returns the value within a line. Blocks are shown as text there.
func (v value) inline() string {
	if v.html != "" && !strings.HasPrefix(v.html, linesStart) {
		return v.html
	}
	return strings.ReplaceAll(html.EscapeString(v.text), "\n", "<br>")
}

// writeParagraphs writes lines as paragraphs, which blank lines separate.
func writeParagraphs(b *strings.Builder, lines []string) {
	open := false
	end := func() {
		if open {
			b.WriteString("</p>\n")
		}
		open = false
	}

	for _, line := range lines {
		block, isOne := strings.CutPrefix(line, blockMark)
		switch {
		case isOne:
			end()
			b.WriteString(block + "\n")
		case line == "":
			end()
		case open:
			b.WriteString("<br>\n" + line)
		default:
			b.WriteString(paragraphStart + line)
			open = true
		}
	}

	end()
}
