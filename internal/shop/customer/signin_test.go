package customer

import (
	"testing"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
)

// edit changes a customer of the shop.
func (f *fixture) edit(id ID, e Edit, pre fault.Precondition) (c Customer, err error) {
	err = f.DB.Write(f.t.Context(), func(q database.Querier) (err error) {
		c, err = f.EditCustomer(f.t.Context(), q, f.shop.ID, id, e, pre)
		return err
	})
	return c, err
}

// add has a code sent to the address, and confirms it as a customer who is signed in.
func (f *fixture) add(id ID, address string) (Session, error) {
	f.t.Helper()
	login, code := f.asked(address)
	return f.confirmAs(f.shop.ID, id, login.ID, code)
}

// ways is how a customer is reached, and behind a colon what they sign in with.
func ways(c Customer) string {
	return orEmpty(c.Email) + " " + orEmpty(c.Phone) + ": " + orEmpty(c.LoginEmail) + " " + orEmpty(c.LoginPhone)
}

// Signing in, by what a code has proven and by nothing else. Each case has people of its own.
func TestSignIn(t *testing.T) {
	each(t, func(f *fixture) {
		for name, run := range map[string]func(f *fixture){
			"never leads to an account that only names the address": refusesHijack,
			"stays possible whatever the profile says":              survivesEdits,
			"works with an address that was added":                  addsAddresses,
			"leaves a proven address to whoever has it":             keepsOwners,
			"as oneself changes nothing":                            changesNothing,
		} {
			f.t.Run(name, func(t *testing.T) {
				here := *f
				here.t = t
				run(&here)
			})
		}
	})
}

func refusesHijack(f *fixture) {
	thief := f.signedIn("thief@shop.example").Customer
	for _, c := range []struct {
		address string
		edit    Edit
	}{
		{"Victim@shop.example", Edit{Email: new("victim@shop.example")}},
		{"+49302222222", Edit{Phone: new("+49302222222")}},
	} {
		if _, err := f.edit(thief.ID, c.edit, nil); err != nil {
			f.t.Fatal(err)
		}
		victim := f.signedIn(c.address).Customer
		if victim.ID == thief.ID || !victim.signsInWith(c.address) {
			f.t.Errorf("%s signs in as %+v, the account of %s", c.address, victim, thief.ID)
		}
		// Nor does it help to say so once the victim is there.
		if _, err := f.edit(thief.ID, c.edit, nil); err != nil {
			f.t.Errorf("an address of another's is refused, which tells that it is known: %v", err)
		}
		if again := f.signedIn(c.address).Customer; again.ID != victim.ID {
			f.t.Errorf("%s signs in as %s, then as %s", c.address, victim.ID, again.ID)
		}
	}
	if again := f.signedIn("thief@shop.example").Customer; again.ID != thief.ID {
		f.t.Errorf("the first is %s now", again.ID)
	}
}

func survivesEdits(f *fixture) {
	eva := f.signedIn("Eva@shop.example").Customer
	none, err := f.edit(eva.ID, Edit{Email: new(""), Phone: new("")}, nil)
	if got := ways(none); err != nil || got != " : eva@shop.example " {
		f.t.Errorf("with nothing to be reached by she is %q, %v", got, err)
	}
	again := f.signedIn("EVA@shop.example").Customer
	if got := ways(again); again.ID != eva.ID || got != ways(none) {
		f.t.Errorf("she signs in as %q", got)
	}
}

func addsAddresses(f *fixture) {
	ivan := f.signedIn("Ivan@shop.example").Customer
	other, err := f.edit(ivan.ID, Edit{Email: new("office@shop.example")}, nil)
	if err != nil {
		f.t.Fatal(err)
	}
	phoned, err := f.add(ivan.ID, "+49303333333")
	if got := ways(phoned.Customer); err != nil || got != "office@shop.example +49303333333: ivan@shop.example +49303333333" || phoned.Customer.Version != other.Version+1 || !phoned.Customer.UpdatedAt.After(other.UpdatedAt) {
		f.t.Errorf("with a phone he is %q, %v", got, err)
	}
	if who, err := f.Authenticate(f.t.Context(), phoned.Token); err != nil || who.CustomerID != ivan.ID {
		f.t.Errorf("the token stands for %v, %v", who.CustomerID, err)
	}
	moved, err := f.add(ivan.ID, "Ivan@new.example")
	if got := ways(moved.Customer); err != nil || got != "Ivan@new.example +49303333333: ivan@new.example +49303333333" {
		f.t.Errorf("with another e-mail address he is %q, %v", got, err)
	}
	for address, his := range map[string]bool{"ivan@NEW.example": true, "+49303333333": true, "ivan@shop.example": false} {
		if got := f.signedIn(address).Customer; (got.ID == ivan.ID) != his {
			f.t.Errorf("%s signs in as %q", address, ways(got))
		}
	}
}

func keepsOwners(f *fixture) {
	olga, pavel := f.signedIn("olga@shop.example").Customer, f.signedIn("+49304444444").Customer
	for _, c := range []struct {
		taker, owner  Customer
		address, code string
	}{
		{pavel, olga, "OLGA@shop.example", "email_taken"}, {olga, pavel, "+49304444444", "phone_taken"},
	} {
		login, code := f.asked(c.address)
		_, err := f.confirmAs(f.shop.ID, c.taker.ID, login.ID, code)
		f.refused(err, fault.Conflict, c.code)
		f.write(func(q database.Querier) error {
			for _, was := range []Customer{c.taker, c.owner} {
				now, err := f.Customer(f.t.Context(), q, f.shop.ID, was.ID)
				if err != nil {
					return err
				}
				if ways(now) != ways(was) || now.Version != was.Version {
					f.t.Errorf("%q has become %q", ways(was), ways(now))
				}
			}
			return nil
		})
		// The code is not lost: it signs in whose address it is.
		session, err := f.confirm(f.shop.ID, login.ID, code)
		if err != nil || session.Customer.ID != c.owner.ID {
			f.t.Errorf("the code signs in %q, %v", ways(session.Customer), err)
		}
	}
}

func changesNothing(f *fixture) {
	rosa := f.signedIn("rosa@shop.example").Customer
	before, err := f.edit(rosa.ID, Edit{Email: new("office@shop.example")}, nil)
	if err != nil {
		f.t.Fatal(err)
	}
	session, err := f.add(rosa.ID, "Rosa@shop.example")
	if got := session.Customer; err != nil || got.ID != rosa.ID || ways(got) != ways(before) || got.Version != before.Version {
		f.t.Errorf("she is %q, version %d, %v", ways(got), got.Version, err)
	}
}
