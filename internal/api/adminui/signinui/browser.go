package signinui

import "strings"

// browserName returns a short description of a browser for the list of sessions, such as "Firefox, Linux". The header
// names several browsers, so the first match of each list decides.
func browserName(userAgent string) string {
	pick := func(names ...string) string {
		for i := 0; i+1 < len(names); i += 2 {
			if strings.Contains(userAgent, names[i]) {
				return names[i+1]
			}
		}
		return ""
	}
	browser := pick("YaBrowser/", "Yandex Browser", "Edg", "Edge", "OPR/", "Opera", "SamsungBrowser/",
		"Samsung Internet",
		"Firefox/", "Firefox", "FxiOS/", "Firefox", "CriOS/", "Chrome", "Chrome/", "Chrome", "Safari/", "Safari")
	system := pick("iPhone", "iPhone", "iPad", "iPad", "Android", "Android", "Windows", "Windows", "Mac OS X", "macOS",
		"CrOS", "ChromeOS", "Linux", "Linux")
	return strings.Trim(browser+", "+system, ", ")
}
