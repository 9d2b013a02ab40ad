// Package settingsui serves the pages of the store's settings, keys, messages, team and log, and the pages of a
// person's own account.
//
//   - routes.go: the pages and their rights.
//   - settings.go, settings_captcha.go: the settings of the store. redirects.go: redirects of its own.
//   - keys.go, key_new.go, key_rotate.go, key_words.go: keys.
//   - team.go, account.go, codes.go: operators, the own account, the second step of the sign-in.
//   - log.go, log_words.go: the log. parked.go: jobs that are set aside.
//   - messages.go, mail_server.go, mailbox.go, mails.go, mail_text.go: how messages are sent, those that were not,
//     mails about orders and their texts.
//   - feeds.go, feed_form.go: feeds.
package settingsui
