// Package page contains the demo storefront as a single static page. It lists and filters products, has a cart and
// submits orders, using only the public API and a publishable key. `vitrine serve --dev` serves it at /demo. It also
// works on any other web server.
package page

import "embed"

// Index is the HTML file of the storefront. It refers to the other files.
const Index = "index.html"

// Base is the element in Index with the address of the page relative to the requested one. The paths of the products
// and categories are below it, and a server responds to them with Index.
const Base = `<base href="./">`

// CaptchaScript is the URL in Index from which the captcha script is loaded. A replacement must provide
// grecaptcha.ready and grecaptcha.execute, too.
const CaptchaScript = "https://www.google.com/recaptcha/api.js"

// CaptchaToken is the element in Index for a token that the page sends instead of one of the captcha script, which it
// does not load then. It is empty unless the server judges test tokens itself.
const CaptchaToken = `<meta name="vitrine-captcha-token" content="">`

// Files are the page and all files that it loads from its own server.
//
//go:embed *.html *.css *.js
var Files embed.FS
