package spec

import (
	"vitrine/internal/api/httpapi"
	"vitrine/internal/api/httpapi/openapi"
	"vitrine/internal/kit/schema"
)

// Customer is a customer in responses.
type Customer struct {
	_ struct{} `doc:"Somebody who has signed in at the shop."`

	ID        schema.ID                   `json:"id"`
	Name      schema.Nullable[string]     `json:"name" doc:"Null until the customer tells it." example:"Anna"`
	Email     schema.Nullable[string]     `json:"email" doc:"Where the customer wants mail; it need not be proven." example:"anna@example.com"`
	Phone     schema.Nullable[string]     `json:"phone" doc:"Where the customer wants calls; it need not be proven. Its digits, behind a + if there was one." example:"+79123456789"`
	Login     CustomerLogin               `json:"login"`
	GroupID   *schema.Nullable[schema.ID] `json:"group_id,omitempty" doc:"The group whose prices the customer gets. Only secret keys get it."`
	CreatedAt schema.Date                 `json:"created_at" doc:"When the customer first signed in."`
	UpdatedAt schema.Date                 `json:"updated_at" doc:"When the profile was last written."`
}

// CustomerLogin has the e-mail address and the phone number that a customer signs in with.
type CustomerLogin struct {
	_ struct{} `doc:"What the customer signs in with: proven by codes that were sent there, and no other customer's. There is always one of the two."`

	Email schema.Nullable[string] `json:"email" doc:"In small letters." example:"anna@example.com"`
	Phone schema.Nullable[string] `json:"phone" example:"+79123456789"`
}

// ProfileEdit is the body with which customers edit their own profile.
type ProfileEdit struct {
	Name  schema.Nullable[string] `json:"name,omitempty" doc:"At most 255 characters on one line; null or empty takes it away."`
	Email schema.Nullable[string] `json:"email,omitempty" doc:"Where the customer wants mail. Null or empty takes it away. It does not sign in."`
	Phone schema.Nullable[string] `json:"phone,omitempty" doc:"7 to 15 digits, in whichever way they are written. Null or empty takes it away. It does not sign in."`
}

// CustomerEdit is the body with which a shop edits a customer.
type CustomerEdit struct {
	GroupID schema.Nullable[schema.ID] `json:"group_id,omitempty" doc:"The group whose prices the customer gets; null takes the customer out of the group."`
}

const exampleCustomerID = "019a8269-f290-7c01-8d31-5e6f7a8b9c01"

func exampleCustomer() Customer {
	email := schema.NotNull("anna@example.com")
	return Customer{
		ID: exampleID(exampleCustomerID), Name: schema.NotNull("Anna"), Email: email,
		Login: CustomerLogin{Email: email}, CreatedAt: exampleDate(), UpdatedAt: exampleDate(),
	}
}

// contactRefusals returns the refusals of e-mail addresses and phone numbers.
func contactRefusals() []httpapi.Refusal {
	return []httpapi.Refusal{
		{Status: 422, Code: "invalid_email", When: "`email` is not an e-mail address"},
		{Status: 422, Code: "invalid_phone", When: "`phone` is not 7 to 15 digits"},
	}
}

func customerDocs() map[string]httpapi.Route {
	return openapi.Group(customerTag, "customer", map[string]httpapi.Route{
		"GET /v2/me": {
			OperationID: "getMe", Summary: "Read one's own profile", Response: Customer{}, HasETag: true,
			Description:      "The customer whose token the request carries.",
			ResponseExamples: examples(oneExample("The customer", exampleCustomer())),
		},

		"PUT /v2/me": {
			OperationID: "editMe", Summary: "Edit one's own profile", Response: Customer{}, HasETag: true,
			Description: "Changes the members that are sent. The e-mail address and the phone number are for " +
				"reaching the customer, and need not be proven; nobody signs in with them, and what is " +
				"in `login` stays. To sign in with another address, ask for a code there and confirm it with the " +
				"customer token.",
			Body: ProfileEdit{},
			BodyExamples: examples(bodyExample("A name", `{"name":"Anna"}`),
				bodyExample("A phone number, and no e-mail address", `{"phone":"+7 (912) 345-67-89","email":null}`)),
			ResponseExamples: examples(oneExample("The customer", exampleCustomer())),
			Refusals:         contactRefusals(),
		},

		"GET /v2/customers": {
			OperationID: "listCustomers", Summary: "List customers", Response: Customer{}, Paged: true,
			Description: "Those who have signed in at the shop, the newest first. `since` and `until` are about " +
				"when they first did.",
			QueryParams:      append(periodParams(), searchParam("the name, an e-mail address or a phone number")),
			ResponseExamples: examples(listExample("All", exampleCustomer())),
		},

		"GET /v2/customers/{id}": {
			OperationID: "getCustomer", Summary: "Read a customer", Response: Customer{}, HasETag: true,
			Description:      "One customer.",
			ResponseExamples: examples(oneExample("The customer", exampleCustomer())),
		},

		"PUT /v2/customers/{id}": {
			OperationID: "editCustomer", Summary: "Put a customer into a group", Response: Customer{}, HasETag: true,
			Description: "Changes the group of the customer. The next request of the customer gets the prices of " +
				"the new group. The other members belong to the customer, who edits them with `PUT /v2/me`.",
			Body:             CustomerEdit{},
			BodyExamples:     examples(bodyExample("Into no group", `{"group_id":null}`)),
			ResponseExamples: examples(oneExample("The customer", exampleCustomer())),
			Refusals: []httpapi.Refusal{
				{Status: 422, Code: "unknown_customer_group", When: "the store has no group with this `group_id`"},
				{Status: 422, Code: "invalid_id", When: "`group_id` is not a UUID"},
			},
		},
	})
}
