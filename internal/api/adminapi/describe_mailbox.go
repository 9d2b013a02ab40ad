package adminapi

import (
	"vitrine/internal/api/httpapi"
	"vitrine/internal/api/httpapi/openapi"
	"vitrine/internal/kit/schema"
)

// Letter is a message in the mailbox. The OpenAPI document names the schema after the type, so renaming the type
// changes the document.
type Letter struct {
	_ struct{} `doc:"A message that the program had no way to send."`

	ID        schema.ID   `json:"id"`
	To        string      `json:"to" doc:"An e-mail address or a phone number." example:"anna@example.com"`
	Subject   string      `json:"subject" example:"Your code for North Shop"`
	Text      string      `json:"text"`
	CreatedAt schema.Date `json:"created_at"`
}

func mailboxDocs() map[string]httpapi.Route {
	return openapi.Group(mailboxTag, "", map[string]httpapi.Route{
		"GET /api/store/mailbox": {
			OperationID: "listMailbox", Summary: "Read the mailbox", Response: Letter{}, Paged: true,
			Description: "What the store wrote to people and the program had no way to send, the newest first, " +
				"for 30 days. It needs the scope of those who give out keys and `customers:read`, " +
				"since login codes of customers lie " +
				"there. Once `--smtp` and `--sms-url` are set, nothing lands here any more.",
			ResponseExamples: []httpapi.Example{openapi.ListExample("A login code", Letter{
				ID: openapi.ExampleID("019a8269-3300-7c30-9f03-6d7e8f9a0b03"), To: "anna@example.com",
				Subject: "Your code for North Shop", Text: "Your code is 042917\n",
				CreatedAt: openapi.ExampleDate(),
			})},
		},
	})
}
