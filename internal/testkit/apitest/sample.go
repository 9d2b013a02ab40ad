package apitest

import (
	"bytes"
	"image"
	"image/png"
)

// PNG returns a different image for each n.
func PNG(n int) []byte {
	img := image.NewNRGBA(image.Rect(0, 0, 2, 2))
	copy(img.Pix, []byte{byte(n), byte(n >> 8), byte(n >> 16), 255})
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// NewStockedVariant creates a product with one variant, of which a new stock has ten pieces, and returns the variant.
func (s *Server) NewStockedVariant() string {
	s.tb.Helper()
	stock := s.OK(201, "POST", "/v2/stocks", `{"name": "main"}`).Text("data.id")
	return s.OK(201, "POST", "/v2/products",
		`{"name": "Lamp", "variants": [{"price": 10, "remainders": [{"stock_id": "`+
			stock+`", "quantity": 10}]}]}`).Texts("data.variants", "id")[0]
}

// SubmitOrder orders two pieces of a variant and returns the order.
func (s *Server) SubmitOrder(variant string) string {
	s.tb.Helper()
	order := s.OK(201, "POST", "/v2/orders", `{"items": [{"variant_id": "`+variant+
		`", "quantity": 2}]}`).Text("data.id")
	s.OK(200, "POST", "/v2/orders/"+order+"/submit", `{"contact": {"name": "Anna", "phone": "+49 30 1234567"}}`)
	return order
}
