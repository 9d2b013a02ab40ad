// Package storefront carries a storefront of one static page: it lists, filters, fills a cart and submits orders with nothing but the public
// API and a publishable key. `vitrine serve --dev` serves it at /demo; copied to any web server it works as well.
package storefront

import "embed"

// Page is the file that a browser opens; it names the others beside it.
const Page = "index.html"

// CaptchaScript is the address in Page from which the captcha's script is loaded. Whatever is put in its place must do what that script
// does: offer grecaptcha.ready and grecaptcha.execute.
const CaptchaScript = "https://www.google.com/recaptcha/api.js"

// Files are the page and all that it loads from its own server.
//
//go:embed *.html *.css *.js
var Files embed.FS
