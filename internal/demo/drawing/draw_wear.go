package drawing

func wearKinds() map[string]design {
	return map[string]design{
		"dress": plain(drawDress, palette["terracotta"]), "skirt": plain(drawSkirt, palette["navy"]),
		"blouse": plain(drawBlouse, white), "shirt": plain(drawShirt, skyBlue), "t-shirt": plain(drawTShirt, white),
		"polo": plain(drawPolo, palette["navy"]), "tank top": plain(drawTankTop, white),
		"sweater": plain(drawSweater, palette["beige"]), "cardigan": plain(drawCardigan, greyTone),
		"hoodie": plain(drawHoodie, greyTone), "coat": plain(drawCoat, palette["beige"]),
		"parka": plain(drawParka, palette["olive"]), "jacket": plain(drawJacket, palette["navy"]),
		"puffer": plain(drawPuffer, palette["burgundy"]), "blazer": plain(drawBlazer, charcoal),

		"suit": plain(drawSuit, charcoal), "vest": plain(drawVest, palette["olive"]),
		"safety vest": plain(drawSafetyVest, palette["yellow"]), "trousers": plain(drawTrousers, charcoal),
		"jeans": plain(drawJeans, rgb{70, 98, 142}), "leggings": plain(drawLeggings, charcoal),
		"shorts": plain(drawShorts, palette["olive"]), "overall": plain(drawOverall, skyBlue),
		"pyjamas": plain(drawPyjamas, skyBlue), "robe": plain(drawRobe, white), "swimsuit": plain(drawSwimsuit,
			charcoal),
		"tights": plain(drawTights, charcoal), "bodysuit": plain(drawBodysuit, white),
	}
}

// fabric returns the surface of clothes.
func (d *drawing) fabric() surface {
	switch d.material {
	case leathery:
		return leather(d.c)
	case woollen, furry:
		return knitted(d.c)
	}
	return cloth(d.c)
}

// putHanger draws the hook and the shoulders of a clothes hanger above a neckline at y.
func putHanger(d *drawing, y float32) {
	d.tube(curveThrough(-4, y-12, 0, y-30, 20, y-44, 14, y-66, -8, y-70, -18, y-56), 6, metal(steel))
	d.tube(curveThrough(-118, y+34, -50, y+4, 0, y-12, 50, y+4, 118, y+34), 15, wood(beech))
}

// garment has the measures of something with sleeves, seen flat from the front.
type garment struct {
	shoulder, width, length float32
	waist, hem              float32 // half widths
	sleeve, cuff            float32 // length and width of a sleeve; 0 for none
	neck, drop              float32 // half width and depth of the neckline
	slant                   float32 // how far a sleeve is away from the body at its end
}

func (t garment) torso() path {
	return symmetric(0, f("0,%g %g,0! %g,15 %g,38 %g,120 %g,%g %g,%g! 0,%g",
		t.drop, t.neck, t.shoulder*0.86, t.shoulder, t.width*0.94, t.waist, t.length*0.55, t.hem, t.length, t.length+6))
}

// arm returns the right sleeve.
func (t garment) arm() path {
	endX, endY := t.shoulder+t.slant, float32(26)+t.sleeve
	return shape(f("%g,14! %g,34 %g,%g %g,%g! %g,%g! %g,%g %g,140!", t.shoulder*0.78, t.shoulder+10,
		t.shoulder+t.slant*0.62+16, 26+t.sleeve*0.45,
		endX+t.cuff*0.4, endY-6, endX-t.cuff*0.6, endY+8, t.shoulder+t.slant*0.2-20, 60+t.sleeve*0.45, t.width*0.86))
}

func putDraw(d *drawing, t garment, s surface) {
	// Inside of the neck.
	d.flat(ellipse(0, 4, t.neck, min(22, max(10, t.drop*0.5))), matte(s.colour.darker(0.45)), 0.9, 1.1)
	if t.sleeve > 0 {
		arm := t.arm()
		fold1 := crease(16, 0.22, t.shoulder+4, 90, t.shoulder+t.slant*0.4, 120)
		fold2 := crease(14, 0.2, t.shoulder-8+t.slant*0.2, 60+t.sleeve*0.45, t.shoulder+t.slant*0.6, 40+t.sleeve*0.55)
		d.soft(arm, s, 26, fold1, fold2)
		d.reflected(0, func() { d.soft(arm, s, 26, fold1, fold2) })
	}

	l := t.length
	d.soft(t.torso(), s, 40,
		crease(26, 0.16, -t.waist*0.55, l*0.36, -t.waist*0.4, l*0.66, -t.hem*0.5, l*0.97),
		crease(22, 0.15, t.waist*0.5, l*0.42, t.waist*0.56, l*0.7, t.hem*0.42, l*0.98),
		crease(18, 0.14, t.width*0.92, 120, t.width*0.5, 170), crease(18, 0.14, -t.width*0.92, 120, -t.width*0.5, 170),
		crease(18, -0.1, t.waist*0.05, l*0.6, t.hem*0.02, l))
}

// putNeckband draws a rib around the neckline.
func putNeckband(d *drawing, t garment, s surface, width float32) {
	line := curveThrough(-t.neck, 2, -t.neck*0.6, t.drop*0.78, 0, t.drop, t.neck*0.6, t.drop*0.78, t.neck, 2)
	d.soft(stroke(line, width), s, 5)
}

// putPlacket draws a row of buttons.
func putPlacket(d *drawing, x, from, to float32, n int, c rgb) {
	d.line([]point{{x - 11, from}, {x - 11, to}}, 2, d.c.darker(0.4), 0.45)
	for i := range n {
		y := from + 16 + (to-from-30)*float32(i)/float32(max(1, n-1))
		d.ball(x, y, 6, 6, satin(c))
	}
}

// putCollar draws a turned down collar.
func putCollar(d *drawing, neck, drop float32, s surface) {
	wing := shape(f("%g,-10! %g,6 %g,%g! 0,%g! %g,20", -neck-2, -neck-6, -neck*0.72, drop+34, drop+8, -neck*0.5))
	d.soft(wing, s, 8)
	d.reflected(0, func() { d.soft(wing, s, 8) })
}

func drawDress(d *drawing) {
	d.hang()
	s := d.fabric()
	length, flare := d.between(470, 580), d.between(150, 230)
	putHanger(d, 0)
	sleeved := d.one(2) == 1
	if sleeved {
		arm := garment{shoulder: 102, width: 92, sleeve: d.between(60, 120), cuff: 50, slant: 52}.arm()
		d.soft(arm, s, 20)
		d.reflected(0, func() { d.soft(arm, s, 20) })
	}

	shoulder := float32(84)
	if sleeved {
		shoulder = 100
	}
	dress := symmetric(0, f("0,%g 46,2! %g,22! 84,110 72,200 %g,%g %g,%g! 0,%g", d.between(34, 96), shoulder,
		flare*0.72, length*0.72, flare, length, length+14))
	d.soft(dress, s, 36, crease(30, 0.26, -20, 220, -flare*0.36, length*0.75, -flare*0.5, length),
		crease(30, 0.26, 24, 220, flare*0.3, length*0.75, flare*0.42, length),
		crease(26, 0.22, 2, 230, -10, length*0.8, -6, length), crease(24, 0.2, -60, 220, -flare*0.7, length*0.85,
			-flare*0.8, length),
		crease(24, 0.2, 62, 220, flare*0.66, length*0.85, flare*0.76, length))

	belt := curveThrough(-73, 206, 0, 216, 73, 206)
	if d.one(2) == 0 {
		d.soft(stroke(belt, 16), cloth(d.c.darker(0.25)), 6)
		d.soft(shape("-6,206 -40,190! -40,226!"), cloth(d.c.darker(0.25)), 6)
		d.soft(shape("6,206 40,190! 40,226!"), cloth(d.c.darker(0.25)), 6)
	} else {
		d.line(belt, 3, d.c.darker(0.4), 0.5)
		putPlacket(d, 0, 90, 200, 4, d.second)
	}
}

func drawSkirt(d *drawing) {
	d.hang()
	s := d.fabric()
	length, flare := d.between(260, 400), d.between(120, 210)
	var folds []fold
	for i := -4; i <= 4; i++ {
		x := float32(i)
		folds = append(folds, crease(16, 0.3, x*18, 40, x*flare*0.17, length*0.6, x*flare*0.23, length))
	}
	d.soft(symmetric(0, f("0,6 86,0! %g,%g %g,%g! 0,%g", flare*0.86, length*0.6, flare, length, length+16)), s, 26,
		folds...)
	d.soft(shape("-88,-24! 0,-16 88,-24! 88,10! 0,20 -88,10!"), s, 8)
	d.ball(60, -4, 7, 7, metal(brass))
}

func drawBlouse(d *drawing) {
	d.hang()
	putHanger(d, 0)
	t := garment{shoulder: 112, width: 112, length: 330, waist: 96, hem: 122, sleeve: d.between(170, 260), cuff: 56,
		neck: 48,
		drop: d.between(40, 90), slant: 74}
	s := d.fabric()
	putDraw(d, t, s)

	putNeckband(d, t, s, 12)
	if d.one(2) == 0 {
		d.soft(shape("0,92 -18,150 -30,220 -10,222! 2,150!"), s, 6)
		d.soft(shape("0,92 18,150 34,200 14,206! 0,150!"), s, 6)
		d.ball(0, 90, 12, 10, s)
		return
	}
	putPlacket(d, 0, t.drop+8, 320, 5, d.second)
}

func putStripes(d *drawing, t garment) {
	for y := float32(110); y < t.length-16; y += 34 {
		d.fillEven(symmetric(0, f("0,%g %g,%g! %g,%g! 0,%g", y+4, t.waist-1, y, t.waist-1, y+13, y+17)),
			cloth(d.second).faded(0.75), 0.98)
	}
}

func drawShirt(d *drawing) {
	d.hang()
	putHanger(d, 0)
	t := garment{shoulder: 122, width: 120, length: 360, waist: 112, hem: 118, sleeve: 270, cuff: 54, neck: 46,
		drop: 30, slant: 62}
	s := d.fabric()
	putDraw(d, t, s)
	if d.one(4) == 1 {
		for x := float32(-96); x <= 96; x += 24 {
			d.line([]point{{x, 60}, {x, 352}}, 3, d.second, 0.3)
		}
	}

	d.flat(rect(-13, 40, 26, 318), s, 1.03, 0.96)
	putPlacket(d, 0, 44, 350, 7, white)
	putCollar(d, 46, 30, s)
	d.flat(poly(44, 116, 92, 116, 92, 168, 68, 182, 44, 168), s, 1.06, 0.97)
	d.line([]point{{44, 116}, {92, 116}, {92, 168}, {68, 182}, {44, 168}, {44, 116}}, 2, d.c.darker(0.5), 0.4)
}

func drawTShirt(d *drawing) {
	d.hang()
	t := garment{shoulder: 126, width: 124, length: 350, waist: 118, hem: 122, sleeve: 96, cuff: 84, neck: 52,
		drop: d.between(34, 60), slant: 52}
	s := d.fabric()
	putDraw(d, t, s)
	if d.one(4) == 2 {
		putStripes(d, t)
	}
	if d.one(4) == 1 {
		d.flat(ellipse(0, 170, 50, 50), matte(d.second).faded(0.85), 1.05, 0.95)
		d.flat(poly(-36, 196, -8, 150, 10, 176, 20, 162, 38, 196), matte(d.c).faded(0.9), 1, 1)
	}
	putNeckband(d, t, s, 13)
	d.line(curveThrough(-119, 338, 0, 344, 119, 338), 2, d.c.darker(0.5), 0.4)
}

func drawPolo(d *drawing) {
	d.hang()
	t := garment{shoulder: 122, width: 118, length: 340, waist: 112, hem: 116, sleeve: 100, cuff: 74, neck: 46,
		drop: 34, slant: 50}
	s := d.fabric()
	putDraw(d, t, s)
	d.flat(rect(-13, 40, 26, 94), s, 1.04, 0.96)
	putPlacket(d, 0, 42, 134, 3, white)
	putCollar(d, 46, 28, cloth(d.c.darker(0.12)))
}

func drawTankTop(d *drawing) {
	d.hang()
	s := d.fabric()
	d.soft(symmetric(0, "0,92 40,70 56,0! 86,4! 84,80 112,140! 104,220 114,330! 0,338"), s, 34,
		crease(24, 0.16, -50, 160, -40, 330), crease(24, 0.16, 54, 170, 44, 330))
	d.line(curveThrough(-56, 2, -40, 70, 0, 92, 40, 70, 56, 2), 6, d.c.darker(0.35), 0.5)
}

// putRib draws a ribbed band along the bottom of knitwear.
func putRib(d *drawing, x, y, w, h float32, s surface) {
	d.soft(rounded(x, y, w, h, 8), s, 8)
	for i := x + 8; i < x+w-4; i += 9 {
		d.line([]point{{i, y + 4}, {i, y + h - 4}}, 2, s.colour.darker(0.45), 0.35)
	}
}

func drawSweater(d *drawing) {
	d.hang()
	t := garment{shoulder: 124, width: 126, length: 320, waist: 124, hem: 118, sleeve: 268, cuff: 58, neck: 48,
		drop: 26, slant: 66}
	s := knitted(d.c)
	putDraw(d, t, s)
	putRib(d, -116, 306, 232, 40, s)
	if d.one(4) == 1 {
		for x := float32(-60); x <= 60; x += 40 {
			for y := float32(70); y < 290; y += 36 {
				d.soft(shape(f("%g,%g %g,%g %g,%g %g,%g", x, y, x+11, y+18, x, y+36, x-11, y+18)), s, 6)
			}
		}
	}

	if d.one(4) == 3 {
		putStripes(d, garment{waist: 121, length: 300})
	}
	if d.one(2) == 0 {
		d.soft(stroke(curveThrough(-48, 4, -30, 24, 0, 30, 30, 24, 48, 4), 24), s, 8)
	} else {
		d.soft(rounded(-50, -44, 100, 66, 18), s, 12)
		d.line(curveThrough(-46, 2, 0, 14, 46, 2), 3, d.c.darker(0.5), 0.4)
	}
}

func drawCardigan(d *drawing) {
	d.hang()
	t := garment{shoulder: 122, width: 122, length: 340, waist: 118, hem: 120, sleeve: 264, cuff: 58, neck: 48,
		drop: 150, slant: 62}
	s := knitted(d.c)
	d.soft(symmetric(0, "0,150 50,6 60,0 0,30"), matte(d.c.darker(0.5)), 8)
	putDraw(d, t, s)
	band := curveThrough(-50, 0, -36, 70, 0, 150, 0, 250, 0, 340)
	d.soft(stroke(band, 22), s, 7)
	d.reflected(0, func() { d.soft(stroke(curveThrough(-50, 0, -36, 70, -4, 146), 22), s, 7) })
	for i := range 5 {
		d.ball(0, 168+float32(i)*38, 9, 9, wood(walnut))
	}
	d.soft(rounded(-96, 226, 66, 74, 6), s, 6)
	d.soft(rounded(34, 226, 66, 74, 6), s, 6)
}

func drawHoodie(d *drawing) {
	d.hang()
	t := garment{shoulder: 128, width: 128, length: 330, waist: 124, hem: 116, sleeve: 266, cuff: 60, neck: 60,
		drop: 40, slant: 64}
	s := d.fabric()
	d.soft(symmetric(0, "0,-92 60,-84 92,-30 86,30 50,60 0,64"), s, 26)
	d.soft(symmetric(0, "0,-66 40,-58 58,-16 44,34 0,60"), matte(d.c.darker(0.45)), 16)
	t.drop = 58
	putDraw(d, t, s)
	d.soft(stroke(curveThrough(-62, 2, -40, 44, 0, 62, 40, 44, 62, 2), 18), s, 7)
	d.soft(symmetric(0, "0,208 66,210! 96,286! 92,306! 0,308"), s, 8)
	putRib(d, -114, 318, 228, 36, knitted(d.c))
	for _, x := range []float32{-22, 22} {
		d.line(curveThrough(x, 58, x*1.2, 110, x*1.05, 150), 5, white, 0.95)
	}
}

// open draws the edge in the middle of something that is buttoned, and its lapels.
func putLapels(d *drawing, drop, length float32, s surface) {
	d.line([]point{{3, drop}, {5, length - 4}}, 2, d.c.darker(0.6), 0.5)
	lapel := shape(f("-50,-4! -72,30! -84,86! -62,84! -70,104! -2,%g! -24,60", drop+4))
	d.soft(lapel, s, 8)
	d.reflected(0, func() { d.soft(lapel, s, 8) })
	d.soft(shape("-52,-8! 0,6 52,-8! 74,34! 30,30 0,36 -30,30 -74,34!"), s, 8)
}

func drawCoat(d *drawing) {
	d.hang()
	putHanger(d, -6)
	length := d.between(480, 560)
	t := garment{shoulder: 126, width: 124, length: length, waist: 112, hem: d.between(130, 165), sleeve: 290,
		cuff: 64, neck: 50,
		drop: 40, slant: 56}
	s := d.fabric()
	putDraw(d, t, s)
	putLapels(d, d.between(120, 190), length, s)

	belted := d.one(2) == 0
	if belted {
		d.soft(rounded(-113, 236, 226, 26, 6), s, 8)
		d.plate(rounded(-20, 232, 40, 34, 6).without(rounded(-12, 240, 24, 18, 3)), metal(brass))
	}

	for i := range 3 {
		y := 200 + float32(i)*86
		if belted && i == 0 {
			continue
		}
		d.ball(22, y, 9, 9, satin(d.c.darker(0.5)))
		if !belted || i > 0 {
			d.ball(-26, y, 9, 9, satin(d.c.darker(0.5)))
		}
	}
	for _, x := range []float32{-82, 82} {
		d.turned(x*0.1, x, 320, func() { d.soft(rounded(x-36, 306, 72, 22, 5), s, 6) })
	}
}

func putZip(d *drawing, x, from, to float32) {
	d.line([]point{{x, from}, {x, to}}, 9, charcoal, 0.85)
	d.line(dense([]point{{x, from}, {x, to}}, 8), 4, steel, 0.9)
	d.plate(rounded(x-5, from+14, 10, 26, 4), metal(steel))
}

func drawParka(d *drawing) {
	d.hang()
	t := garment{shoulder: 132, width: 132, length: 420, waist: 126, hem: 140, sleeve: 280, cuff: 70, neck: 60,
		drop: 40, slant: 62}
	s := d.fabric()
	d.soft(symmetric(0, "0,-104 66,-94 102,-34 90,40 0,70"), plush(kraft.lighter(0.3)), 20)
	d.soft(symmetric(0, "0,-76 46,-66 68,-20 52,40 0,60"), matte(d.c.darker(0.5)), 18)
	t.drop = 62
	putDraw(d, t, s)
	putZip(d, 0, 60, 418)

	d.soft(rounded(6, 62, 30, 360, 6), s, 7)
	for i := range 5 {
		d.ball(22, 96+float32(i)*70, 6, 6, metal(brass))
	}
	for _, x := range []float32{-100, 44} {
		d.soft(rounded(x, 262, 66, 84, 8), s, 9)
		d.soft(rounded(x-3, 254, 72, 28, 6), s, 7)
	}
	d.line(curveThrough(-126, 236, 0, 244, 126, 236), 4, d.c.darker(0.5), 0.6)
}

func drawJacket(d *drawing) {
	d.hang()
	t := garment{shoulder: 128, width: 130, length: 310, waist: 124, hem: 112, sleeve: 262, cuff: 64, neck: 52,
		drop: 22, slant: 62}
	s := d.fabric()
	putDraw(d, t, s)
	putZip(d, 0, 26, 318)

	if d.one(2) == 0 {
		putRib(d, -114, 300, 228, 40, knitted(d.c.darker(0.2)))
		d.soft(stroke(curveThrough(-52, 2, -30, 22, 0, 28, 30, 22, 52, 2), 26), knitted(d.c.darker(0.2)), 8)
	} else {
		putCollar(d, 52, 20, s)
		d.line([]point{{-110, 140}, {-20, 140}}, 3, d.c.darker(0.5), 0.6)
		d.line([]point{{110, 140}, {20, 140}}, 3, d.c.darker(0.5), 0.6)
	}
	for _, x := range []float32{-1, 1} {
		d.line([]point{{x * 54, 250}, {x * 90, 204}}, 8, d.c.darker(0.5), 0.8)
	}
}

func drawPuffer(d *drawing) {
	d.hang()
	s := satin(d.c)
	arm := garment{shoulder: 130, width: 130, sleeve: 256, cuff: 70, slant: 70}.arm()
	length := d.between(310, 420)
	var folds, sleeveFolds []fold
	for y := float32(70); y < length; y += 48 {
		folds = append(folds, crease(12, 0.85, -140, y-6, 0, y+6, 140, y-6))
		sleeveFolds = append(sleeveFolds, crease(11, 0.8, 110, y+14, 230, y-14))
	}

	d.soft(arm, s, 24, sleeveFolds...)
	d.reflected(0, func() { d.soft(arm, s, 24, sleeveFolds...) })
	d.soft(garment{shoulder: 130, width: 132, length: length, waist: 130, hem: 126, neck: 56, drop: 24}.torso(), s,
		24, folds...)
	d.soft(rounded(-64, -48, 128, 78, 26), s, 18, crease(10, 0.6, -60, -10, 60, -10))
	putZip(d, 0, -30, length)
}

func drawBlazer(d *drawing) {
	d.hang()
	putHanger(d, -6)
	t := garment{shoulder: 130, width: 124, length: 372, waist: 106, hem: 124, sleeve: 278, cuff: 60, neck: 48,
		drop: 60, slant: 54}
	s := cloth(d.c)
	d.soft(shape("-46,0! 46,0! 30,150 0,206! -30,150"), cloth(white), 10)
	if d.one(2) == 0 {
		d.soft(shape("-12,30! 12,30! 8,52 18,190 0,214! -18,190 -8,52"), satin(d.second), 6)
	}

	t.drop = 200
	putDraw(d, t, s)
	putLapels(d, 204, t.length, s)
	d.ball(6, 232, 8, 8, satin(d.c.darker(0.6)))
	d.ball(6, 278, 8, 8, satin(d.c.darker(0.6)))
	d.flat(poly(52, 118, 96, 110, 98, 120, 54, 130), s, 1.1, 1)
	for _, x := range []float32{-74, 74} {
		d.soft(rounded(x-34, 280, 68, 20, 4), s, 5)
	}
}

func drawSuit(d *drawing) {
	d.hang()
	d.placed(0.86, 190, 96, func() { drawTrousers(d) })
	drawBlazer(d)
}

func drawVest(d *drawing) {
	d.hang()
	s := d.fabric()
	var folds []fold
	for y := float32(90); y < 320; y += 54 {
		folds = append(folds, crease(10, 0.6, -130, y, 0, y+6, 130, y))
	}
	d.soft(symmetric(0, "0,40 50,0! 106,24! 92,110 116,170! 116,330! 0,338"), s, 24, folds...)
	putZip(d, 0, 40, 334)
	d.soft(rounded(-60, -36, 120, 62, 20), s, 14)
}

func drawSafetyVest(d *drawing) {
	d.hang()
	c := mix(d.c, rgb{232, 240, 60}, 0.4)
	d.soft(symmetric(0, "0,120 46,0! 104,20! 92,110 116,170! 118,350! 0,356"), cloth(c), 24)
	tape := satin(rgb{214, 218, 220})
	for _, y := range []float32{200, 280} {
		d.flat(symmetric(0, f("0,%g 114,%g! 115,%g! 0,%g", y+6, y, y+32, y+38)), tape, 1.1, 0.95)
	}
	for _, x := range []float32{-82, 52} {
		d.flat(rect(x, 14, 30, 188), tape, 1.12, 0.95)
	}
	putZip(d, 0, 122, 352)
}

// putLegs draws trousers of a length; the legs end with the width cuff.
func putLegs(d *drawing, s surface, length, hip, cuff, spread float32) {
	leg := shape(f("%g,0! %g,60 %g,%g %g,%g! %g,%g! %g,%g 2,150! 0,60", float32(0), hip+6, hip*0.86+spread*0.6,
		length*0.55,
		spread+cuff, length, spread, length+6, spread*0.6+8, length*0.5))
	leg[0][0].x = 0
	whole := shape(f("-%[1]g,0! 0,8 %[1]g,0! %[2]g,90 %[3]g,%[4]g %[5]g,%[6]g! %[7]g,%[8]g! %[9]g,%[4]g 0,150! "+
		"-%[9]g,%[4]g -%[7]g,%[8]g! -%[5]g,%[6]g! -%[3]g,%[4]g -%[2]g,90",
		hip, hip+10, hip*0.8+spread*0.55, length*0.55, spread+cuff, length, spread, length+6, spread*0.5+10))
	d.soft(whole, s, 22, crease(18, 0.2, -hip*0.2, 150, -hip*0.66, 110), crease(18, 0.2, hip*0.2, 150, hip*0.66, 110),
		crease(20, 0.16, -spread-cuff*0.4, length*0.5, -spread-cuff*0.2, length*0.58),
		crease(20, 0.16, spread+cuff*0.4, length*0.5, spread+cuff*0.7, length*0.58))
}

func drawTrousers(d *drawing) {
	d.hang()
	s := d.fabric()
	putLegs(d, s, d.between(500, 540), 92, d.between(52, 84), d.between(26, 40))
	d.soft(shape("-93,-26! 0,-18 93,-26! 93,8! 0,18 -93,8!"), s, 7)
	d.line(curveThrough(0, 8, 2, 70, 0, 120), 3, d.c.darker(0.5), 0.5)
	for _, x := range []float32{-1, 1} {
		d.line(curveThrough(x*58, 14, x*84, 70), 3, d.c.darker(0.5), 0.6)
		d.line(curveThrough(x*46, 40, x*56, 240, x*62, 500), 2, d.c.lighter(0.25), 0.5)
	}
	d.ball(0, -4, 7, 7, metal(steel))
}

func drawJeans(d *drawing) {
	d.hang()
	c := d.c
	if c.luma() > 60 && c.luma() < 230 && !d.known {
		c = rgb{70, 98, 142}
	}
	s := denim(c)
	putLegs(d, s, d.between(500, 545), 94, d.between(46, 80), d.between(24, 38))
	thread := amber.lighter(0.15)

	for _, x := range []float32{-1, 1} {
		worn := ellipse(x*62, 190, 30, 90)
		d.fillEven(worn, denim(c.lighter(0.5)).faded(0.12), 1.1)
		d.stitches(dense(curveThrough(x*92, 60, x*60, 52, x*42, 16), 4), 7, thread)
		d.flat(rounded(x*60-7, -30, 14, 42, 3), s, 1.1, 0.9)
	}
	d.soft(shape("-94,-26! 0,-18 94,-26! 94,8! 0,18 -94,8!"), s, 7)
	d.stitches(dense(curveThrough(-92, 2, 0, 11, 92, 2), 4), 7, thread)
	d.stitches(dense(curveThrough(12, 16, 16, 84, 2, 112), 4), 7, thread)
	d.line(curveThrough(0, 10, 0, 148), 3, c.darker(0.5), 0.6)
	d.ball(0, -5, 8, 8, metal(copper))
}

func drawLeggings(d *drawing) {
	d.hang()
	s := satin(d.c)
	putLegs(d, s, 500, 78, 34, 20)
	d.soft(shape("-79,-40! 0,-32 79,-40! 80,12! 0,20 -80,12!"), s, 7)
	d.line(curveThrough(-84, 60, -70, 260, -52, 480), 5, d.second, 0.7)
	d.line(curveThrough(84, 60, 70, 260, 52, 480), 5, d.second, 0.7)
}

func drawShorts(d *drawing) {
	d.hang()
	s := d.fabric()
	d.soft(shape("-96,0! 0,8 96,0! 116,110 128,236! 70,246 12,240! 4,150! 0,132 -4,150! -12,240! -70,246 -128,236! "+
		"-116,110"), s,
		24, crease(18, 0.2, -10, 130, -60, 100), crease(18, 0.2, 10, 130, 60, 100), crease(18, 0.16, -70, 120, -76,
			236))
	d.soft(shape("-97,-26! 0,-18 97,-26! 97,8! 0,18 -97,8!"), s, 7)
	for _, x := range []float32{-10, 10} {
		d.line(curveThrough(x, 4, x*1.8, 50, x*1.4, 80), 5, white, 0.9)
	}
	d.line(curveThrough(0, 18, 0, 146), 3, d.c.darker(0.5), 0.5)
}

func drawOverall(d *drawing) {
	d.hang()
	s := d.fabric()
	putLegs(d, s, 330, 92, 56, 34)
	d.soft(shape("-66,-120! 0,-112 66,-120! 82,-40 94,20! 0,30 -94,20! -82,-40"), s, 14)
	for _, x := range []float32{-1, 1} {
		d.soft(stroke(curveThrough(x*52, -104, x*56, -180, x*40, -226), 20), s, 7)
		d.ball(x*52, -102, 9, 9, metal(brass))
	}
	d.soft(rounded(-40, -78, 80, 66, 8), s, 7)
	d.soft(rounded(-94, 4, 188, 24, 5), s, 6)
}

func drawPyjamas(d *drawing) {
	d.hang()
	s := d.fabric()
	d.placed(0.82, 200, 70, func() { putLegs(d, s, 420, 92, 66, 24) })
	t := garment{shoulder: 118, width: 120, length: 320, waist: 114, hem: 120, sleeve: 230, cuff: 62, neck: 46,
		drop: 60, slant: 62}
	putDraw(d, t, s)
	for i := range 22 {
		x, y := float32(i%5)*44-88, 90+float32(i/5)*48+float32(i%2)*20
		d.fillEven(ellipse(x, y, 6, 6), matte(d.c.contrast()).faded(0.4), 1)
	}
	putPlacket(d, 0, 62, 312, 4, white)
	putCollar(d, 46, 54, s)
}

func drawRobe(d *drawing) {
	d.hang()
	s := plush(d.c)
	t := garment{shoulder: 130, width: 128, length: 500, waist: 112, hem: 140, sleeve: 240, cuff: 86, neck: 50,
		drop: 200, slant: 66}
	d.soft(symmetric(0, "0,200 50,6 60,0 0,24"), matte(d.c.darker(0.45)), 8)
	putDraw(d, t, s)
	d.soft(stroke(curveThrough(-52, -2, -40, 90, 14, 236, 24, 500), 40), s, 10)
	d.reflected(0, func() { d.soft(stroke(curveThrough(-52, -2, -40, 90, -4, 216), 40), s, 10) })
	d.soft(rounded(-112, 232, 224, 30, 8), s, 9)
	d.soft(stroke(curveThrough(6, 250, -10, 320, -14, 380), 22), s, 8)
	d.soft(stroke(curveThrough(10, 250, 26, 310, 24, 360), 22), s, 8)
}

func drawSwimsuit(d *drawing) {
	d.hang()
	d.soft(symmetric(0, "0,90 34,70 46,0! 66,2! 74,90 86,150 72,230 92,300! 60,340 20,396 0,402"), satin(d.c), 40,
		crease(20, 0.14, -40, 200, 0, 214, 40, 200))
	d.line(curveThrough(-60, 300, 0, 210, 60, 150), 8, d.second, 0.7)
}

func drawTights(d *drawing) {
	d.hang()
	putLegs(d, surface{colour: d.c, shine: 0.4, alpha: 0.94}, 520, 70, 26, 18)
	d.soft(rounded(-72, -22, 144, 30, 8), satin(d.c), 6)
	for _, x := range []float32{-32, 32} {
		d.soft(ellipse(x*1.35, 520, 32, 18), satin(d.c), 12)
	}
}

func drawBodysuit(d *drawing) {
	d.hang()
	s := d.fabric()
	t := garment{shoulder: 96, width: 96, sleeve: 90, cuff: 62, slant: 46}
	d.soft(t.arm(), s, 18)
	d.reflected(0, func() { d.soft(t.arm(), s, 18) })
	d.soft(symmetric(0, "0,40 52,0! 96,24! 90,130 94,220 98,262! 66,290 36,336! 0,342"), s, 34,
		crease(22, 0.16, -40, 160, -30, 280), crease(22, 0.16, 40, 160, 30, 280))
	d.soft(stroke(curveThrough(-52, 2, -30, 34, 0, 42, 30, 34, 52, 2), 12), s, 5)
	for _, x := range []float32{-20, 0, 20} {
		d.ball(x, 326, 5, 5, metal(steel))
	}
	d.flat(ellipse(0, 160, 36, 36), matte(d.second).faded(0.8), 1.05, 0.95)
	d.ball(-14, 150, 5, 6, matte(charcoal))
	d.ball(14, 150, 5, 6, matte(charcoal))
}
