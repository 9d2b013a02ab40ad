package orderui

import (
	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/shop/mailing"
	"vitrine/internal/shop/order"
)

// mailSteps returns the mails about an order, as steps in its life.
func mailSteps(v frame.View, mails []order.Mail) (list []step) {
	for _, m := range mails {
		s := step{Icon: "mail", Text: v.T("Mail to %s: %s", m.To, mailText(v, m)), time: m.At}
		if m.Failed {
			s.Icon = "triangle-alert"
			s.Text = v.T("The mail to %s could not be sent: %s", m.To, mailText(v, m))
		}
		list = append(list, s)
	}
	return list
}

// mailText returns what a mail says.
func mailText(v frame.View, m order.Mail) string {
	switch mailing.Kind(m.Kind) {
	case mailing.OrderReceived:
		return v.T("the order is received")
	case mailing.OrderConfirmed:
		return v.T("the order is confirmed")
	case mailing.OrderCompleted:
		return v.T("the order is completed")
	case mailing.OrderCancelled:
		return v.T("the order is cancelled")
	case mailing.NewOrder:
		return v.T("a new order")
	case mailing.NewInquiry, mailing.ExchangeFailed:
	}
	return m.Kind
}
