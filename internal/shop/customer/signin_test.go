package customer

import (
	"testing"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/storetest"
)

// edit changes the profile of a customer.
func (f *fixture) edit(id ID, e Edit, pre fault.Precondition) (c Customer, err error) {
	err = f.TryWrite(func(tx store.Tx) (err error) {
		c, err = f.EditCustomer(f.Context(), tx, id, e, pre)
		return err
	})
	return c, err
}

// confirmAddress requests a code for the address and confirms it as a customer who is signed in.
func (f *fixture) confirmAddress(id ID, address string) (Session, error) {
	f.Helper()
	login, code := f.mustRequestLogin(address)
	return f.confirmAs(f.Store.ID, id, login.ID, code)
}

// addresses returns the contact addresses of a customer and, after a colon, the login addresses.
func addresses(c Customer) string {
	return valueOrEmpty(c.Email) + " " + valueOrEmpty(c.Phone) + ": " + valueOrEmpty(c.LoginEmail) + " " +
		valueOrEmpty(c.LoginPhone)
}

// Only a proven address signs a customer in. Each case uses its own customers.
func TestSignIn(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		for name, run := range map[string]func(f *fixture){
			"ignores unproven addresses of profiles": testRefusesHijack,
			"works after profile edits":              testSurvivesProfileEdits,
			"works with an added address":            testAddsAddresses,
			"leaves a proven address with its owner": testKeepsOwners,
			"with a known address changes nothing":   testRepeatChangesNothing,
		} {
			f.Subtest(name, func(here *storetest.Fixture) { run(&fixture{here, f.Service, f.otherStore}) })
		}
	})
}

func testRefusesHijack(f *fixture) {
	thief := f.mustSignIn("thief@shop.example").Customer
	for _, c := range []struct {
		address string
		edit    Edit
	}{
		{"Victim@shop.example", Edit{Email: new("victim@shop.example")}},
		{"+49302222222", Edit{Phone: new("+49302222222")}},
	} {
		if _, err := f.edit(thief.ID, c.edit, nil); err != nil {
			f.Fatal(err)
		}

		victim := f.mustSignIn(c.address).Customer
		if victim.ID == thief.ID || !victim.signsInWith(c.address) {
			f.Errorf("%s signs in as %+v; the profile of %s only mentions the address", c.address, victim, thief.ID)
		}

		// The thief repeats the edit after the victim has signed in. The address must still sign in the victim.
		if _, err := f.edit(thief.ID, c.edit, nil); err != nil {
			f.Errorf("the address of another customer is refused, which reveals that it is known: %v", err)
		}
		if again := f.mustSignIn(c.address).Customer; again.ID != victim.ID {
			f.Errorf("%s signs in as %s, then as %s", c.address, victim.ID, again.ID)
		}
	}

	if again := f.mustSignIn("thief@shop.example").Customer; again.ID != thief.ID {
		f.Errorf("the first customer signs in as %s", again.ID)
	}
}

func testSurvivesProfileEdits(f *fixture) {
	eva := f.mustSignIn("Eva@shop.example").Customer
	edited, err := f.edit(eva.ID, Edit{Email: new(""), Phone: new("")}, nil)
	if got := addresses(edited); err != nil || got != " : eva@shop.example " {
		f.Errorf("without contact addresses: %q, %v", got, err)
	}
	again := f.mustSignIn("EVA@shop.example").Customer
	if got := addresses(again); again.ID != eva.ID || got != addresses(edited) {
		f.Errorf("signed in as %q", got)
	}
}

func testAddsAddresses(f *fixture) {
	ivan := f.mustSignIn("Ivan@shop.example").Customer
	edited, err := f.edit(ivan.ID, Edit{Email: new("office@shop.example")}, nil)
	if err != nil {
		f.Fatal(err)
	}

	phoned, err := f.confirmAddress(ivan.ID, "+49303333333")
	if got := addresses(phoned.Customer); err != nil ||
		got != "office@shop.example +49303333333: ivan@shop.example +49303333333" ||
		phoned.Customer.Version != edited.Version+1 || !phoned.Customer.UpdatedAt.After(edited.UpdatedAt) {
		f.Errorf("with a phone number: %q, %v", got, err)
	}

	if who, err := f.Authenticate(f.Context(), phoned.Token); err != nil || who.CustomerID != ivan.ID {
		f.Errorf("the token authenticates %v, %v", who.CustomerID, err)
	}

	moved, err := f.confirmAddress(ivan.ID, "Ivan@new.example")
	if got := addresses(moved.Customer); err != nil ||
		got != "Ivan@new.example +49303333333: ivan@new.example +49303333333" {
		f.Errorf("with another e-mail address: %q, %v", got, err)
	}

	for address, same := range map[string]bool{"ivan@NEW.example": true, "+49303333333": true,
		"ivan@shop.example": false} {
		if got := f.mustSignIn(address).Customer; (got.ID == ivan.ID) != same {
			f.Errorf("%s signs in as %q", address, addresses(got))
		}
	}
}

func testKeepsOwners(f *fixture) {
	olga := f.mustSignIn("olga@shop.example").Customer
	pavel := f.mustSignIn("+49304444444").Customer
	for _, c := range []struct {
		taker, owner  Customer
		address, code string
	}{
		{pavel, olga, "OLGA@shop.example", "email_taken"}, {olga, pavel, "+49304444444", "phone_taken"},
	} {
		login, code := f.mustRequestLogin(c.address)
		_, err := f.confirmAs(f.Store.ID, c.taker.ID, login.ID, code)
		f.expectFault(err, fault.Conflict, c.code)

		f.Write(func(tx store.Tx) error {
			for _, was := range []Customer{c.taker, c.owner} {
				now, err := f.Customer(f.Context(), tx, was.ID)
				if err != nil {
					return err
				}
				if addresses(now) != addresses(was) || now.Version != was.Version {
					f.Errorf("%q changed to %q", addresses(was), addresses(now))
				}
			}

			return nil
		})

		// The code still works for the owner of the address.
		session, err := f.confirm(f.Store.ID, login.ID, code)
		if err != nil || session.Customer.ID != c.owner.ID {
			f.Errorf("the code signs in %q, %v", addresses(session.Customer), err)
		}
	}
}

func testRepeatChangesNothing(f *fixture) {
	rosa := f.mustSignIn("rosa@shop.example").Customer
	before, err := f.edit(rosa.ID, Edit{Email: new("office@shop.example")}, nil)
	if err != nil {
		f.Fatal(err)
	}
	session, err := f.confirmAddress(rosa.ID, "Rosa@shop.example")
	if got := session.Customer; err != nil || got.ID != rosa.ID || addresses(got) != addresses(before) ||
		got.Version != before.Version {
		f.Errorf("signed in as %q, version %d, %v", addresses(got), got.Version, err)
	}
}
