package drawing

func packKinds() map[string]design {
	tones := []rgb{palette["terracotta"], palette["green"], palette["navy"]}
	return map[string]design{
		"coffee bag": plain(drawPouch, walnut, tones...), "snack bag": plain(drawPillowBag, palette["green"], tones...),
		"pouch": plain(drawPouch, palette["green"], tones...), "sack": plain(drawSack, kraft, tones...),
		"carton": plain(drawCarton, palette["green"], tones...), "tea box": plain(drawTeaBox, palette["green"],
			tones...),
		"juice": plain(drawJuiceCarton, amber, palette["red"], palette["green"]),
		"water": plain(drawWaterBottle, skyBlue), "oil bottle": plain(drawOilBottle, rgb{190, 160, 50}),
		"wine": plain(drawVinegar, palette["burgundy"]), "pasta": plain(drawPasta, rgb{226, 184, 96}),
		"grain bag":    plain(drawGrainBag, rgb{224, 202, 160}, rgb{150, 98, 64}, rgb{226, 150, 84}),
		"preserve jar": plain(drawPreserveJar, rgb{150, 34, 50}, amber, rgb{106, 130, 60}),
		"spice jar":    plain(drawSpiceJar, rgb{178, 62, 36}, rgb{70, 58, 50}, rgb{206, 150, 52}),

		"chocolate": plain(drawChocolate, rgb{96, 58, 40}), "pralines": plain(drawPralines, palette["burgundy"],
			tones...),
		"biscuits": plain(drawBiscuits, rgb{214, 160, 90}), "nuts": plain(drawNutBag, rgb{190, 130, 76}),
		"cheese": plain(drawCheese, rgb{240, 196, 90}), "salami": plain(drawSalami, rgb{150, 48, 44}),
		"ham": plain(drawHam, rgb{222, 132, 128}), "bread": plain(drawBread, rgb{180, 116, 62}),
		"baguette": plain(drawBaguette, rgb{206, 146, 80}), "rolls": plain(drawRolls, rgb{214, 158, 92}),
		"can": plain(drawCan, palette["red"], tones...), "tube": plain(drawCosmeticTube, palette["pink"], tones...),
		"cream jar":   plain(drawCreamJar, white, rgb{236, 214, 204}, rgb{206, 222, 214}),
		"pump bottle": plain(drawPumpBottle, white, rgb{224, 190, 180}, rgb{180, 206, 190}),
		"flip bottle": plain(drawFlipBottle, rgb{206, 222, 214}, rgb{236, 206, 200}, skyBlue),
		"dropper":     plain(drawDropper, amber.darker(0.2)), "spray": plain(drawSpray, palette["yellow"], skyBlue,
			white),

		"sachet": plain(drawSachet, rgb{206, 222, 214}, palette["pink"]), "lipstick": plain(drawLipstick,
			palette["red"]),
		"lip gloss": plain(drawLipGloss, palette["pink"]), "mascara": plain(drawMascara, charcoal),
		"make-up pencil": plain(drawMakeUpPencil, palette["brown"]), "palette": plain(drawPalette, palette["beige"]),
		"compact": plain(drawCompact, palette["beige"]), "nail polish": plain(drawNailPolish, palette["red"]),
		"perfume": plain(drawPerfume, rgb{232, 196, 150}, rgb{226, 180, 190}, rgb{176, 200, 210}),
		"soap":    plain(drawSoap, rgb{236, 214, 190}), "razor": plain(drawRazor, palette["blue"]),
		"toothbrush": plain(drawToothbrush, palette["blue"]), "toothpaste": plain(drawToothpaste, white),
		"hair dryer": plain(drawHairDryer, charcoal), "straightener": plain(drawStraightener, charcoal),
		"clipper": plain(drawClipper, charcoal), "nail file": plain(drawNailFile, palette["pink"]),
		"soft pack": plain(drawSoftPack, skyBlue, palette["pink"]), "baby bottle": plain(drawBabyBottle, skyBlue),
		"dummy": plain(drawDummy, skyBlue), "incense": plain(drawIncense, walnut),
	}
}

// putLabel draws a paper label with the words of the product and some lines of small print.
func putLabel(d *drawing, x, y, w, h float32, c rgb) {
	d.flat(rounded(x, y, w, h, 6), matte(c), 1.04, 0.96)
	ink := c.contrast()
	d.words(d.Label, x+w/2, y+h*0.4, w*0.8, ink)
	for i := range 3 {
		half := w * []float32{0.3, 0.24, 0.16}[i]
		d.line([]point{{x + w/2 - half, y + h*(0.7+0.09*float32(i))}, {x + w/2 + half,
			y + h*(0.7+0.09*float32(i))}}, 3, ink, 0.35)
	}
}

// putWrapLabel draws a label around a body.
func putWrapLabel(d *drawing, b turnedBody, from, to float32, c rgb) {
	d.latheOn(b.part(from, to, 0.16), b, matte(c))
	ink := c.contrast()
	mid := (from + to) / 2
	r := b.radius(mid)
	d.words(d.Label, b.axis, mid+r*0.1, r*1.3, ink)
	for i := range 2 {
		y := to - (to-from)*0.2 + float32(i)*8
		d.line(arc(b.axis, y, r*0.5, r*0.09, 160, 20), 3, ink, 0.35)
	}
}

// putEmblem draws what is in a package: a leaf, a sun, a drop or hills.
func putEmblem(d *drawing, x, y, r float32, c rgb) {
	switch d.one(4) {
	case 0:
		for i := range 3 {
			d.turned(float32(i-1)*42, x, y+r*0.5, func() {
				d.fillEven(shape(f("%g,%g %g,%g %g,%g! %g,%g", x, y+r*0.5, x+r*0.34, y-r*0.2, x, y-r*0.9, x-r*0.34,
					y-r*0.2)), matte(c), 1)
			})
		}
	case 1:
		d.fillEven(ellipse(x, y, r*0.5, r*0.5), matte(c), 1)

		for i := range 12 {
			sin, cos := sincos(float32(i) * 30)
			d.line([]point{{x + cos*r*0.62, y + sin*r*0.62}, {x + cos*r*0.9, y + sin*r*0.9}}, r*0.09, c, 1)
		}
	case 2:
		d.fillEven(ellipse(x, y, r*0.8, r*0.8).without(ellipse(x, y, r*0.7, r*0.7)), matte(c), 1)
		d.fillEven(poly(x-r*0.5, y+r*0.3, x-r*0.12, y-r*0.4, x+r*0.1, y-r*0.05, x+r*0.22, y-r*0.22, x+r*0.54,
			y+r*0.3), matte(c), 1)
	default:
		d.fillEven(shape(f("%g,%g! %g,%g %g,%g %g,%g", x, y-r*0.85, x+r*0.5, y+r*0.1, x, y+r*0.6, x-r*0.5,
			y+r*0.1)), matte(c), 1)
	}
}

func drawPouch(d *drawing) {
	s := satin(d.c)
	d.soft(shape("-150,-230! 150,-230! 152,-190! 166,60 160,214! 130,226 0,232 -130,226 -160,214! -166,60 "+
		"-152,-190!"), s, 40,
		crease(16, 0.25, -150, -170, -110, 0, -140, 180), crease(16, 0.25, 150, -170, 116, 20, 140, 180), crease(18,
			0.4, -150, 204, 0, 176, 150, 204))
	d.line([]point{{-150, -196}, {150, -196}}, 4, d.c.darker(0.4), 0.6)
	putEmblem(d, 0, -110, 46, d.c.contrast())
	putLabel(d, -104, -40, 208, 190, mix(paperTone, d.c, 0.06))
}

func drawPillowBag(d *drawing) {
	s := satin(d.c)
	zig := func(y float32, up bool) (line []point) {
		for i := range 41 {
			dy := float32(i%2) * 8
			if up {
				dy = -dy
			}
			line = append(line, point{-160 + float32(i)*8, y + dy})
		}
		return line
	}

	outline := append(zig(-224, true), point{172, 0})
	bottom := reversed(zig(224, false))
	outline = append(append(outline, bottom...), point{-172, 0})
	d.soft(path{outline}, s, 60, crease(14, 0.4, -150, -190, 150, -190), crease(14, 0.4, -150, 190, 150, 190),
		crease(12, 0.3, -120, -180, -80, -110), crease(12, 0.3, 130, 180, 90, 120), crease(12, 0.3, 110, -180, 80,
			-120))
	d.fillEven(ellipse(0, -30, 118, 96), matte(mix(cream, d.c, 0.08)).faded(0.96), 1)
	d.words(d.Label, 0, -36, 180, d.c.darker(0.3))
	putEmblem(d, 0, 116, 50, d.c.contrast())
}

func drawSack(d *drawing) {
	s := surface{colour: d.c, shine: 0.22, texture: weave(), relief: 0.05}
	d.soft(shape("-176,-230! 0,-222 176,-230! 184,-190 172,-60 190,120 182,222! 140,236 0,240 -140,236 -182,222! "+
		"-190,120 -172,-60 -184,-190"), s, 60,
		crease(18, 0.3, -160, -190, -90, -160), crease(18, 0.3, 150, -180, 100, -150), crease(18, 0.3, -170, 190,
			-110, 160), crease(18, 0.3, 176, 180, 120, 150))
	d.stitches(dense([]point{{-172, -206}, {172, -206}}, 5), 10, white)
	putEmblem(d, 0, -120, 60, d.c.contrast())
	putLabel(d, -120, -40, 240, 200, mix(paperTone, d.c, 0.04))
}

func drawCarton(d *drawing) {
	c := newCamera(28, 18)
	d.box(c, 0, 0, 0, 230, 330, 110, cardboard(d.c))
	plane := func(p path) path { return c.onFront(p, 0, 330, 0) }
	d.fillEven(plane(rect(0, 196, 230, 134)), cardboard(d.c.lighter(0.82)), 0.98)
	d.wordsOn(plane, d.Label, 115, 250, 170, d.c.darker(0.35))
	d.fillEven(plane(ellipse(115, 100, 76, 76)), matte(d.c.lighter(0.2)), 1)
	p := c.at(115, 230, 0)
	putEmblem(d, p.x, p.y, 56, d.c.contrast())
}

func drawTeaBox(d *drawing) {
	drawCarton(d)
	for i := range 2 {
		d.turned(float32(i)*20-14, -60, 60, func() {
			x := -110 + float32(i)*80
			d.soft(shape(f("%g,-20! %g,-46 %g,-20! %g,70! %g,76 %g,70!", x-44, x, x+44, x+44, x, x-44)),
				matte(rgb{236, 226, 204}), 14)
			d.line(curveThrough(x, -40, x-30, -90, x+6, -130), 3, white.darker(0.2), 1)
			d.plate(rounded(x-14, -168, 40, 40, 4), matte(d.c))
		})
	}
}

func drawJuiceCarton(d *drawing) {
	c := newCamera(30, 14)
	s := satin(white)
	d.box(c, 0, 0, 0, 170, 320, 150, s)
	d.flat(path{{c.at(170, 320, 0), c.at(170, 320, 150), c.at(150, 396, 75)}}, s, 0.8, 0.7)
	d.flat(path{{c.at(0, 320, 0), c.at(170, 320, 0), c.at(160, 396, 75), c.at(10, 396, 75)}}, s, 1.12, 1.0)
	d.flat(path{{c.at(8, 396, 75), c.at(162, 396, 75), c.at(162, 424, 75), c.at(8, 424, 75)}}, s, 1.05, 0.95)
	p := c.at(84, 366, 34)
	d.lathe(turnedBody{p.x, []point{{24, p.y - 24}, {26, p.y}}}, satin(d.c), 0.3)

	plane := func(q path) path { return c.onFront(q, 0, 320, 0) }
	d.fillEven(plane(rect(0, 0, 170, 92)), matte(d.c), 1)
	d.fillEven(c.onRight(rect(0, 0, 150, 92), 170, 320, 0), matte(d.c), 0.76)
	d.wordsOn(plane, d.Label, 85, 46, 140, d.c.contrast())
	fruit := c.at(96, 120, 0)
	d.ball(fruit.x-20, fruit.y, 58, 58, satin(d.c))
	d.ball(fruit.x+26, fruit.y+22, 50, 50, satin(mix(d.c, signalRed, 0.2)))
	d.soft(shape(f("%g,%g! %g,%g %g,%g! %g,%g", fruit.x, fruit.y-50, fruit.x+40, fruit.y-80, fruit.x+66, fruit.y-60,
		fruit.x+34, fruit.y-46)), satin(leaf), 6)
}

func drawWaterBottle(d *drawing) {
	b := body(0, "26,-230 28,-190 70,-120 74,-60 66,-20 74,20 70,80 76,120 74,220 64,234")
	d.glass(b, skyBlue.lighter(0.35), 0.16)
	inner := body(0, "66,-110 70,-60 62,-20 70,20 66,80 72,120 66,226")
	d.latheOn(inner.outlinePath(0.12), inner, glossy(rgb{204, 228, 240}).faded(0.75))
	d.gleam(b, 0.7)
	putWrapLabel(d, b, -20, 84, mix(d.c, palette["blue"], 0.5))
	d.lathe(body(0, "28,-268 30,-262 30,-226"), satin(palette["blue"]), 0.24)
}

func drawOilBottle(d *drawing) {
	b := body(0, "22,-260 22,-170 30,-130 70,-80 76,-40 76,200 66,214")
	if d.one(2) == 0 {
		b = body(0, "20,-240 24,-150 62,-60 68,20 68,200 60,214")
	}
	d.lathe(b, glossy(d.c.darker(0.12)), 0.16)
	d.latheOn(b.part(-150, -60, 0.16), b, glossy(rgb{224, 214, 150}).faded(0.35))
	putWrapLabel(d, b, 10, 150, paperTone)
	d.lathe(body(0, "24,-290 26,-284 26,-238"), satin(charcoal), 0.24)
	d.gleam(b, 0.4)
}

func drawVinegar(d *drawing) {
	b := body(0, "24,-280 26,-140 76,-60 78,-20 78,200 68,212")
	d.lathe(b, glossy(mix(d.c, nearBlack, 0.3)), 0.14)
	putWrapLabel(d, b, 20, 150, paperTone)
	d.latheOn(b.part(-280, -190, 0.16), b, satin(brass))
	d.gleam(b, 0.35)
}

func drawPasta(d *drawing) {
	d.soft(rounded(-130, -230, 260, 460, 20), surface{colour: d.c, shine: 0.5}, 30)
	for i := range 26 {
		x := -122 + float32(i)*9.6
		d.line([]point{{x, -200}, {x + 2, 210}}, 5, d.c.lighter(float32(i%3)*0.16), 0.8)
		d.line([]point{{x + 4, -200}, {x + 6, 210}}, 2, d.c.darker(0.4), 0.5)
	}
	d.softUncast(rounded(-130, -230, 260, 460, 20), satin(white).faded(0.13), 40)
	tone := []rgb{palette["blue"], palette["red"], palette["green"], palette["navy"]}[d.one(4)]
	d.soft(rect(-132, -232, 264, 140), satin(tone), 16)
	d.soft(rect(-132, 150, 264, 82), satin(tone), 16)
	d.words(d.Label, 0, -160, 200, tone.contrast())
	putEmblem(d, 0, 190, 32, tone.contrast())
}

func putClearBag(d *drawing, fill surface, tone rgb) {
	outline := shape("-150,-226! 150,-226! 156,-190 164,60 158,216! 0,232 -158,216! -164,60 -156,-190")
	d.soft(outline, fill, 50, crease(14, 0.3, -150, 190, 0, 170, 150, 190))
	d.softUncast(outline, glossy(white).faded(0.14), 40)
	d.soft(shape("-151,-228! 151,-228! 158,-160! 0,-150 -158,-160!"), satin(tone), 12)
	d.line([]point{{-150, -206}, {150, -206}}, 4, tone.darker(0.4), 0.5)
	putLabel(d, -96, -96, 192, 170, mix(paperTone, tone, 0.08))
}

func drawGrainBag(d *drawing) {
	tone := []rgb{palette["green"], palette["red"], palette["navy"], amber}[d.one(4)]
	putClearBag(d, surface{colour: d.c, shine: 0.25, texture: fur(), relief: 0.7}, tone)
}

func drawNutBag(d *drawing) {
	tone := []rgb{walnut, palette["green"], palette["burgundy"], charcoal}[d.one(4)]
	outline := shape("-150,-226! 150,-226! 156,-190 164,60 158,216! 0,232 -158,216! -164,60 -156,-190")
	d.soft(outline, matte(d.c.darker(0.35)), 30)
	for i := range 80 {
		x := float32(i%8)*38 - 134 + float32(i/8%2)*16
		y := float32(i/8)*38 - 150
		if y > 205 {
			continue
		}
		d.turned(d.between(-80, 80), x, y, func() {
			d.soft(shape(f("%g,%g %g,%g %g,%g! %g,%g", x+20, y, x, y+14, x-24, y, x, y-14)),
				satin(d.c.lighter(d.between(0, 0.25))), 9)
		})
	}

	d.softUncast(outline, glossy(white).faded(0.12), 40)
	d.soft(shape("-151,-228! 151,-228! 158,-160! 0,-150 -158,-160!"), satin(tone), 12)
	putLabel(d, -90, -80, 180, 150, mix(paperTone, tone, 0.08))
}

func drawPreserveJar(d *drawing) {
	b := body(0, "100,-120 118,-90 120,130 104,156")
	d.lathe(b, glossy(d.c), 0.18)
	d.latheOn(b.part(-118, -96, 0.18), b, glossy(white).faded(0.5))
	d.gleam(b, 0.55)
	putWrapLabel(d, b, -30, 90, paperTone)
	lid := turnedBody{0, []point{{104, -170}, {108, -164}, {108, -120}}}
	d.lathe(lid, metal([]rgb{brass, white, palette["red"], brass}[d.one(4)]), 0.2)
	if d.one(2) == 1 {
		d.soft(shape("-120,-180! 0,-196 120,-180! 146,-96! 100,-116 50,-92 0,-112 -50,-92 -100,-116 -146,-96!"),
			cloth(d.second), 16)
		d.soft(rounded(-112, -140, 224, 10, 5), cloth(cream), 4)
	}
}

func drawSpiceJar(d *drawing) {
	b := body(0, "70,-110 78,-90 78,130 70,146")
	d.lathe(b, surface{colour: d.c, shine: 0.6, texture: fur(), relief: 0.3}, 0.18)
	d.gleam(b, 0.5)
	putWrapLabel(d, b, -30, 80, paperTone)
	d.lathe(body(0, "76,-180 80,-172 80,-108"), satin(charcoal), 0.22)
	for i := range 7 {
		x := 110 + float32(i%4)*34
		y := 150 - float32(i/4)*24
		d.ball(x, y, 15, 15, satin(d.c.lighter(float32(i%3)*0.12)))
	}
}

func drawChocolate(d *drawing) {
	d.lay()
	d.turned(-16, 0, 0, func() {
		d.soft(rounded(-130, -240, 260, 300, 8), satin(d.c), 8)
		for i := range 4 {
			for k := range 4 {
				d.soft(rounded(-122+float32(k)*62, -234+float32(i)*62, 57, 57, 6), glossy(d.c.lighter(0.06)), 9)
			}
		}
		d.soft(shape("-136,0! -90,-14! -40,6! 20,-16! 70,4! 136,-10! 140,40! -140,40!"), metal(rgb{222, 216, 200}), 8)
		tone := []rgb{palette["burgundy"], palette["navy"], palette["green"], palette["terracotta"]}[d.one(4)]
		d.soft(rect(-142, 26, 284, 214), satin(tone), 8)
		d.words(d.Label, 0, 110, 220, brass.lighter(0.5))
		putEmblem(d, 0, 190, 36, brass.lighter(0.4))
	})
}

func drawPralines(d *drawing) {
	d.lay()
	d.turned(-8, 0, 0, func() {
		d.soft(rounded(-230, -170, 460, 340, 14), satin(d.c), 10)
		d.flat(rounded(-212, -152, 424, 304, 8), matte(d.c.darker(0.5)), 0.9, 1.1)
		tones := []rgb{{92, 54, 38}, {236, 222, 196}, {62, 40, 32}, {150, 96, 60}}

		for i := range 12 {
			x, y := -156+float32(i%4)*104, -100+float32(i/4)*100
			t := tones[(i*5+d.Style)%4]
			d.soft(ellipse(x, y, 46, 46), matte(brass), 8)
			if i%3 == 0 {
				d.soft(rounded(x-32, y-32, 64, 64, 12), glossy(t), 14)
			} else {
				d.ball(x, y, 37, 37, glossy(t))
			}
			d.line(curveThrough(x-20, y-6, x-4, y-16, x+8, y+4, x+22, y-8), 4, tones[(i*5+d.Style+1)%4], 0.9)
		}
	})
}

func drawBiscuits(d *drawing) {
	d.lay()
	for i := range 7 {
		sin, cos := sincos(float32(i) * 51.4)
		x, y := cos*130, sin*116
		if i == 6 {
			x, y = 10, 0
		}

		s := matte(d.c.lighter(float32(i%3) * 0.06))
		switch d.one(2) {
		case 0:
			d.soft(ellipse(x, y, 92, 92), s, 20)
			for k := range 7 {
				a, b := sincos(float32(k)*51 + float32(i)*20)
				r := float32(30 + k%3*20)
				d.ball(x+a*r, y+b*r, 12, 10, glossy(rgb{84, 50, 36}))
			}
		default:
			var edge []point
			for k := range 40 {
				a, b := sincos(float32(k) * 9)
				r := float32(90 + k%2*7)
				edge = append(edge, point{x + b*r, y + a*r})
			}
			d.soft(path{edge}, s, 14)
			for k := range 9 {
				d.fillEven(ellipse(x-34+float32(k%3)*34, y-34+float32(k/3)*34, 5, 5), matte(d.c.darker(0.5)), 1)
			}
		}
	}
}

func drawCheese(d *drawing) {
	s := matte(d.c)
	d.soft(shape("-220,60! 230,-80! 236,110! -210,190!"), s, 8)
	d.flat(shape("-220,60! 40,-120 190,-130! 230,-80!"), s, 1.18, 1.06)
	d.soft(shape("190,-130! 232,-82! 238,110! 226,116 214,-70 186,-118!"), matte(mix(d.c, amber, 0.6)), 5)
	for i, h := range [][3]float32{{-90, 110, 26}, {20, 60, 34}, {120, 20, 22}, {90, 100, 18}, {-10, 140, 15},
		{-150, 130, 13}, {180, 60, 15}} {
		if d.one(2) == 0 || i < 2 {
			d.flat(ellipse(h[0], h[1], h[2], h[2]*0.8), matte(d.c.darker(0.22)), 0.8, 1.25)
		}
	}
}

func drawSalami(d *drawing) {
	d.lay()
	s := surface{colour: d.c, shine: 0.35, texture: speckle(), relief: 0.25}
	d.turned(-30, 0, 0, func() {
		d.soft(rounded(-260, -70, 360, 124, 58), s, 54, crease(9, 0.5, -130, -70, -120, 54), crease(9, 0.5, -10,
			-70, 0, 54))
		d.tube(curveThrough(-256, -8, -290, -20, -310, 10), 12, cloth(cream))
	})

	for i := range 3 {
		x, y := 60+float32(i)*56, 60+float32(i)*26
		d.soft(ellipse(x, y, 84, 84), matte(d.c.darker(0.25)), 8)
		d.flat(ellipse(x, y, 77, 77), matte(mix(d.c, palette["pink"], 0.25)), 1.06, 0.96)
		for k := range 24 {
			a, b := sincos(float32(k) * 137)
			r := 15 * sqrt(float32(k))
			d.fillEven(ellipse(x+a*r, y+b*r, 4+float32(k%3)*2, 4+float32(k%2)*2), matte(rgb{246, 226, 214}), 1)
		}
	}
}

func drawHam(d *drawing) {
	d.lay()
	for i := range 4 {
		x := -120 + float32(i)*80
		d.turned(float32(i)*5-8, x, 0, func() {
			d.soft(shape(f("%g,-170 %g,-110 %g,60 %g,170 %g,180 %g,60 %g,-100", x, x+110, x+116, x+40, x-50, x-116,
				x-100)), matte(rgb{246, 226, 216}), 10)
			d.soft(shape(f("%g,-156 %g,-100 %g,56 %g,156 %g,166 %g,56 %g,-92", x, x+98, x+102, x+36, x-46, x-102,
				x-88)), satin(d.c), 16,
				crease(10, 0.3, x-40, -80, x+10, 0, x-20, 90))
			d.line(curveThrough(x+40, -90, x+20, 0, x+50, 80), 7, rgb{246, 222, 214}, 0.7)
		})
	}
}

func drawBread(d *drawing) {
	s := surface{colour: d.c, shine: 0.25, texture: speckle(), relief: 0.25}
	d.soft(shape("-250,40 -230,-60 -130,-120 40,-130 190,-100 256,-10 250,80 200,130 0,144 -200,134 -246,100"), s, 80,
		crease(18, 0.7, -130, -90, -90, -20), crease(18, 0.7, -20, -106, 20, -30), crease(18, 0.7, 96, -96, 136, -20))
	for _, x := range []float32{-112, 0, 114} {
		d.softUncast(shape(f("%g,-100 %g,-60 %g,-22 %g,-60", x-20, x+18, x+22, x-16)), matte(rgb{238, 208, 160}), 8)
	}
	d.soft(shape("150,-40 220,-60 286,-20 296,80 260,140 170,144 140,100 140,20"), s, 16)
	d.flat(shape("164,-26 220,-44 272,-10 280,76 250,126 176,130 154,96 154,24"), surface{colour: rgb{242, 218,
		172}, shine: 0.2, texture: speckle(), relief: 0.2}, 1.04, 0.96)
}

func drawBaguette(d *drawing) {
	d.lay()
	s := surface{colour: d.c, shine: 0.25, texture: speckle(), relief: 0.22}
	for i, x := range []float32{-60, 50} {

		d.turned(38+float32(i)*9, x, 0, func() {
			var folds []fold
			for k := range 6 {
				y := -200 + float32(k)*76
				folds = append(folds, crease(16, 0.7, x-34, y+40, x+30, y))
			}
			d.soft(shape(f("%g,-290 %g,-220 %g,0 %g,220 %g,290 %g,220 %g,0 %g,-220", x, x+46, x+54, x+46, x, x-46,
				x-54, x-46)), s, 44, folds...)
			for k := range 6 {
				y := -200 + float32(k)*76
				d.softUncast(taper([]point{{x - 30, y + 36}, {x + 4, y + 14}, {x + 28, y + 2}}, 8, 14),
					matte(rgb{242, 214, 164}), 5)
			}
		})
	}
}

func drawRolls(d *drawing) {
	s := surface{colour: d.c, shine: 0.35, texture: speckle(), relief: 0.14}
	for _, p := range []point{{-10, -80}, {-130, 30}, {116, 24}, {-4, 90}} {
		d.soft(shape(f("%g,%g %g,%g %g,%g %g,%g %g,%g %g,%g", p.x-116, p.y+10, p.x-60, p.y-66, p.x+60, p.y-66,
			p.x+116, p.y+10, p.x+70, p.y+56, p.x-70, p.y+56)), s, 50,
			crease(16, 0.7, p.x-60, p.y-30, p.x+60, p.y-26))
		d.softUncast(taper([]point{{p.x - 50, p.y - 28}, {p.x, p.y - 32}, {p.x + 50, p.y - 26}}, 8, 16),
			matte(rgb{244, 220, 172}), 6)
	}
}

func drawCan(d *drawing) {
	b := body(0, "104,-130 110,-122 110,-112 106,-104 106,104 110,112 110,122 104,130")
	d.lathe(b, metal(steel), 0.22)
	d.latheOn(b.part(-98, 98, 0.22), b, satin(d.c))
	putWrapLabel(d, b, -20, 74, paperTone)
	putEmblem(d, 0, -52, 34, d.c.contrast())
	d.flat(ellipse(0, -130, 104, 23), metal(steel), 1.15, 0.9)
	d.flat(ellipse(0, -128, 92, 19), metal(steel), 0.9, 1.1)
	d.flat(ellipse(20, -130, 26, 7), metal(steel), 1.2, 0.8)
}

// putGlaze returns the surface of cosmetic packages.
func putGlaze(d *drawing) surface {
	if !d.known {
		return satin(d.c)
	}
	return satin(mix(d.c, white, 0.35))
}

func drawCosmeticTube(d *drawing) {
	s := putGlaze(d)
	d.soft(shape("-92,-250! 92,-250! 96,-220! 84,60 66,160! -66,160! -84,60 -96,-220!"), s, 40)
	d.line([]point{{-92, -226}, {92, -226}}, 4, s.colour.darker(0.3), 0.5)
	d.lathe(body(0, "66,158 64,166 64,240 58,248"), satin([]rgb{white, brass, charcoal,
		s.colour.darker(0.3)}[d.one(4)]), 0.14)
	putEmblem(d, 0, -130, 38, s.colour.contrast())
	d.words(d.Label, 0, -40, 116, s.colour.contrast())
	for i := range 4 {
		d.line([]point{{-40, 20 + float32(i)*18}, {40 - float32(i%2)*16, 20 + float32(i)*18}}, 3,
			s.colour.contrast(), 0.4)
	}
}

func drawCreamJar(d *drawing) {
	s := glossy(putGlaze(d).colour)
	d.turned(-62, 190, 40, func() {
		b := turnedBody{190, []point{{114, 20}, {116, 62}}}
		d.lathe(b, metal([]rgb{brass, steel, copper, charcoal}[d.one(4)]), 0.3)
	})
	b := body(0, "130,-40 142,-20 142,110 120,134")
	d.lathe(b, s, 0.22)
	d.words(d.Label, 0, 76, 160, s.colour.contrast())
	d.opening(0, -40, 130, 0.24, s, rgb{252, 248, 240})
	d.softUncast(shape("-70,-40 -30,-56 10,-44 40,-56 70,-40 20,-26 -40,-26"), matte(rgb{253, 249, 242}), 10)
}

func drawPumpBottle(d *drawing) {
	s := glossy(putGlaze(d).colour)
	b := body(0, "34,-110 88,-92 96,-70 96,200 84,214")
	d.lathe(b, s, 0.16)
	d.lathe(body(0, "34,-160 38,-154 38,-104"), satin(charcoal), 0.2)
	d.rod(0, -220, 0, -156, 16, satin(charcoal))
	d.soft(shape("-30,-250! 50,-250 110,-236 112,-218 60,-226 40,-216 -30,-216!"), satin(charcoal), 12)
	putEmblem(d, 0, -20, 36, s.colour.contrast())
	d.words(d.Label, 0, 70, 130, s.colour.contrast())
	for i := range 3 {
		d.line([]point{{-40, 120 + float32(i)*16}, {40, 120 + float32(i)*16}}, 3, s.colour.contrast(), 0.35)
	}
}

func drawFlipBottle(d *drawing) {
	s := putGlaze(d)
	d.soft(shape("-60,-180! 60,-180! 100,-140 112,0 104,200 80,226 0,232 -80,226 -104,200 -112,0 -100,-140"), s, 60)
	d.lathe(body(0, "54,-240 62,-232 64,-176"), satin([]rgb{white, charcoal, brass,
		s.colour.darker(0.3)}[d.one(4)]), 0.16)
	putEmblem(d, 0, -84, 42, s.colour.contrast())
	d.words(d.Label, 0, 20, 150, s.colour.contrast())
	for i := range 4 {
		d.line([]point{{-50, 86 + float32(i)*18}, {50 - float32(i%2)*20, 86 + float32(i)*18}}, 3,
			s.colour.contrast(), 0.4)
	}
}

func drawDropper(d *drawing) {
	b := body(0, "34,-80 70,-56 82,-20 82,160 70,174")
	d.lathe(b, glossy(d.c), 0.18)
	d.gleam(b, 0.5)
	putWrapLabel(d, b, 0, 120, paperTone)
	d.lathe(body(0, "38,-130 42,-124 42,-76"), metal(brass), 0.2)
	d.lathe(body(0, "10,-230 24,-216 26,-150 22,-128"), rubber(charcoal), 0.2)
}

func drawSpray(d *drawing) {
	s := putGlaze(d)
	b := body(0, "40,-150 76,-120 80,-90 80,210 72,222")
	d.lathe(b, s, 0.16)
	d.lathe(body(0, "34,-230 42,-220 44,-146"), satin(white), 0.2)
	d.fillEven(ellipse(-12, -196, 6, 6), matte(charcoal), 1)
	putEmblem(d, 0, -20, 42, s.colour.contrast())
	d.words(d.Label, 0, 80, 120, s.colour.contrast())
}

func drawSachet(d *drawing) {
	s := putGlaze(d)
	d.turned(10, 40, 0, func() { d.soft(rounded(-90, -200, 260, 380, 6), satin(s.colour.darker(0.15)), 14) })
	d.turned(-6, -20, 0, func() {
		d.soft(rounded(-150, -190, 260, 390, 6), s, 16, crease(8, 0.4, -140, -166, 100, -166), crease(8, 0.4, -140,
			178, 100, 178))
		putEmblem(d, -20, -90, 52, s.colour.contrast())
		d.words(d.Label, -20, 20, 190, s.colour.contrast())
		d.fillEven(ellipse(-20, 110, 44, 54), matte(skin), 1)
		d.fillEven(ellipse(-36, 100, 9, 5).with(ellipse(-4, 100, 9, 5), ellipse(-20, 132, 12, 5)),
			matte(s.colour.darker(0.2)), 1)
	})
}

func drawLipstick(d *drawing) {
	tube := []surface{satin(nearBlack), metal(brass), glossy(white), metal(rgb{214, 160, 140})}[d.one(4)]
	d.lathe(body(120, "44,-30 46,-24 46,190"), tube, 0.2)
	d.lathe(body(-40, "46,80 46,190"), tube, 0.2)
	d.lathe(body(-40, "40,-10 40,84"), metal(brass), 0.2)
	stick := shape("-72,-10! -72,-120 -60,-170 -30,-200 -8,-180 -8,-10! -40,0")
	d.soft(stick, satin(d.c), 28)
	d.softUncast(shape("-66,-150 -34,-196 -12,-180 -14,-140 -40,-124"), satin(d.c.lighter(0.14)), 10)
	d.line([]point{{76, 60}, {164, 60}}, 4, brass, 0.7)
}

func drawLipGloss(d *drawing) {
	b := turnedBody{60, []point{{40, -40}, {40, 200}}}
	d.lathe(b, glossy(d.c), 0.16)
	d.gleam(b, 0.6)
	d.lathe(body(60, "38,-190 42,-182 42,-40"), satin(charcoal), 0.18)
	d.turned(24, -90, 0, func() {
		d.lathe(body(-90, "38,40 42,48 42,200"), satin(charcoal), 0.18)
		d.rod(-90, -110, -90, 44, 9, satin(white))
		d.soft(rounded(-104, -190, 28, 92, 14), plush(d.c), 12)
	})
}

func drawMascara(d *drawing) {
	s := glossy(d.c)
	d.turned(8, 60, 0, func() {
		d.lathe(body(60, "34,-60 38,-50 38,220 32,230"), s, 0.16)
		d.words(d.Label, 60, 90, 60, d.c.contrast())
	})
	d.turned(-30, -60, 0, func() {
		d.lathe(body(-60, "34,40 38,50 38,230 32,240"), s, 0.16)
		d.rod(-60, -60, -60, 44, 8, metal(steel))
		for y := float32(-210); y < -60; y += 8 {
			w := 24 - (y+210)*0.04
			d.line([]point{{-60 - w, y - 4}, {-60 + w, y + 4}}, 4, nearBlack, 0.95)
		}
	})
}

func drawMakeUpPencil(d *drawing) {
	d.lay()
	for i, x := range []float32{-40, 40} {
		d.turned(34+float32(i)*14, x, 0, func() { putPencilAt(d, x, -240, 240, 30, d.c.darker(float32(i)*0.3), d.c) })
	}
}

// putPencilAt draws a pencil with its point upwards.
func putPencilAt(d *drawing, x, upper, bottom, w float32, c, lead rgb) {
	d.lathe(turnedBody{x, []point{{w / 2, upper + w*1.7}, {w / 2, bottom}}}, satin(c), 0.1)
	d.lathe(turnedBody{x, []point{{w * 0.12, upper + w*0.4}, {w / 2, upper + w*1.7}}}, wood(beech), 0.1)
	d.lathe(turnedBody{x, []point{{w * 0.03, upper}, {w * 0.15, upper + w*0.5}}}, satin(lead), 0.1)
}

func drawPalette(d *drawing) {
	d.lay()
	d.turned(-7, 0, 0, func() {
		d.soft(rounded(-230, -210, 460, 190, 16), satin(charcoal), 8)
		d.flat(rounded(-212, -194, 424, 158, 8), glossy(rgb{206, 214, 220}), 1.3, 0.9)
		d.soft(rounded(-230, -16, 460, 220, 16), satin(charcoal), 8)
		for i := range 8 {
			t := mix(d.c, []rgb{cream, walnut, palette["burgundy"], brass, palette["pink"], charcoal, copper,
				white}[i], 0.55)
			d.soft(rounded(-208+float32(i%4)*104, 4+float32(i/4)*96, 96, 84, 8), surface{colour: t, shine: 0.3,
				texture: speckle(), relief: 0.08}, 5)
		}
	})
}

func drawCompact(d *drawing) {
	d.lay()
	d.soft(ellipse(0, -130, 150, 140), metal(brass), 8)
	d.flat(ellipse(0, -130, 132, 122), glossy(rgb{206, 214, 220}), 1.3, 0.9)
	d.soft(ellipse(0, 110, 156, 146), metal(brass), 10)
	d.soft(ellipse(0, 108, 128, 118), surface{colour: mix(d.c, skin, 0.5), shine: 0.25, texture: speckle(),
		relief: 0.1}, 6)
	d.soft(ellipse(60, 160, 80, 70), plush(rgb{240, 220, 206}), 24)
	d.soft(rounded(20, 150, 80, 16, 8), satin(white), 6)
}

func drawNailPolish(d *drawing) {
	b := body(0, "34,-20 86,6 92,30 92,150 78,166")
	d.lathe(b, glossy(d.c), 0.18)
	d.gleam(b, 0.6)
	d.lathe(body(0, "26,-220 34,-206 38,-30 40,-16"), satin(nearBlack), 0.18)
	d.words(d.Label, 0, 96, 110, d.c.contrast())
}

func drawPerfume(d *drawing) {
	tint := d.c.lighter(0.2)
	switch d.one(4) {
	case 0, 2:
		s := glossy(tint)
		d.flat(rounded(-130, -90, 260, 280, 22), glossy(tint.lighter(0.5)).faded(0.7), 1.2, 0.9)
		d.soft(rounded(-112, -40, 224, 214, 12), s, 18)
		d.fillEven(rounded(-130, -90, 260, 280, 22).without(rounded(-120, -80, 240, 260, 16)),
			matte(white).faded(0.55), 1)
		d.fillEven(poly(-110, -70, -60, -70, -96, 160, -112, 160), matte(white).faded(0.35), 1)
		d.flat(rounded(-70, 30, 140, 80, 4), matte(paperTone), 1.04, 0.96)
		d.words(d.Label, 0, 70, 110, charcoal)
	default:
		b := body(0, "40,-90 120,-10 134,70 110,150 90,170")
		d.lathe(b, glossy(tint).faded(0.92), 0.16)
		d.gleam(b, 0.7)
		d.words(d.Label, 0, 60, 130, tint.contrast())
	}

	d.lathe(body(0, "30,-120 34,-114 34,-84"), metal(brass), 0.2)
	d.lathe(body(0, "50,-200 56,-192 56,-118"), []surface{satin(nearBlack), metal(brass), wood(walnut),
		metal(steel)}[d.one(4)], 0.2)
}

func drawSoap(d *drawing) {
	d.soft(shape("-190,60 -170,-40 -60,-80 90,-80 190,-30 200,60 150,110 -150,116"), satin(d.c.darker(0.1)), 40)
	d.softUncast(shape("-176,30 -150,-46 -50,-76 90,-74 176,-30 180,30 120,66 -120,70"), satin(d.c), 36)
	d.words(d.Label, 0, -4, 170, d.c.darker(0.3))
	for _, p := range [][3]float32{{-150, -100, 24}, {-110, -134, 15}, {170, -80, 20}, {206, -50, 11}, {130, -120,
		10}} {
		d.ball(p[0], p[1], p[2], p[2], glossy(rgb{226, 238, 246}).faded(0.75))
	}
}

func drawRazor(d *drawing) {
	d.lay()
	d.turned(34, 0, 0, func() {
		d.soft(shape("-16,-120! 16,-120! 22,0 34,120 26,240 0,256 -26,240 -34,120 -22,0"), satin(d.c), 18)
		for y := float32(80); y < 200; y += 18 {
			d.line([]point{{-22, y}, {22, y}}, 7, charcoal, 0.8)
		}
		d.soft(rounded(-90, -190, 180, 84, 14), satin(charcoal), 12)
		for i := range 4 {
			d.line([]point{{-76, -172 + float32(i)*16}, {76, -172 + float32(i)*16}}, 6, steel, 1)
		}
		d.flat(rounded(-78, -196, 156, 13, 5), satin(leaf.lighter(0.4)), 1, 1)
	})
}

func drawToothbrush(d *drawing) {
	d.lay()
	tones := []rgb{d.c, d.second}
	for i, x := range []float32{-50, 50} {
		d.turned(30+float32(i)*10, x, 0, func() {
			d.soft(shape(f("%g,-260! %g,-260! %g,-150 %g,-60 %g,60 %g,250 %g,250 %g,60 %g,-60 %g,-150", x-18, x+18,
				x+16, x+8, x+20, x+12, x-12, x-20, x-8, x-16)), satin(tones[i%2]), 13)
			for k := range 8 {
				d.soft(rounded(x-14, -252+float32(k)*12, 40, 10, 3), matte([]rgb{white, skyBlue}[k%2]), 4)
			}
			d.soft(rounded(x-8, 60, 16, 130, 8), rubber(white), 6)
		})
	}
}

func drawToothpaste(d *drawing) {
	d.lay()
	d.turned(64, 0, 0, func() {
		s := satin(mix(d.c, white, 0.6))
		d.soft(shape("-100,-260! 100,-260! 90,60 60,170! -60,170! -90,60"), s, 40)
		d.flat(poly(-96, -190, 96, -190, 88, 40, -88, 40), matte([]rgb{palette["blue"], leaf, signalRed,
			palette["turquoise"]}[d.one(4)]).faded(0.9), 1.1, 0.9)
		d.lathe(body(0, "44,166 48,172 48,240 42,246"), satin(white), 0.16)
		d.turned(-90, 0, -80, func() { d.words(d.Label, 0, -80, 200, white) })
	})
}

func drawHairDryer(d *drawing) {
	s := satin(d.c)
	d.soft(shape("-30,60! 50,50! 70,200 66,280 30,296 -10,284 -16,200"), s, 30)
	d.turned(90, 0, -20, func() { d.lathe(body(0, "60,-230 78,-200 96,-60 96,60 84,110 70,150"), s, 0.2) })
	d.soft(shape("-250,-74! -150,-66! -150,30! -250,40! -262,-16"), satin(charcoal), 16)
	d.ball(196, -20, 30, 84, metal(charcoal))
	for i := range 5 {
		d.line(curveThrough(190, -70+float32(i)*25, 214, -70+float32(i)*25), 4, steel, 0.8)
	}
	d.soft(rounded(6, 120, 24, 60, 10), satin(charcoal), 8)
	d.tube(curveThrough(30, 290, 40, 360, 140, 350, 220, 300), 12, rubber(charcoal))
}

func drawStraightener(d *drawing) {
	d.lay()
	s := satin(d.c)
	for i, angle := range []float32{34, 48} {
		d.turned(angle, 0, 260, func() {
			d.soft(shape("-26,-260! 22,-260! 30,0 32,230 0,262 -32,230 -30,0"), s, 20)
			d.flat(rounded(-14+float32(i)*4, -246, 22, 180, 6), metal([]rgb{copper, steel, brass, steel}[d.one(4)]),
				1.1, 0.9)
		})
	}
	d.tube(curveThrough(0, 260, -10, 330, 80, 360, 160, 330), 12, rubber(charcoal))
}

func drawClipper(d *drawing) {
	d.turned(14, 0, 0, func() {
		d.soft(shape("-66,-170! 66,-170! 76,-60 60,120 66,230 40,256 -40,256 -66,230 -60,120 -76,-60"), satin(d.c), 36)
		d.soft(shape("-36,-100 36,-100 40,40 20,160 -20,160 -40,40"), metal(mix(d.c, steel, 0.6)), 16)
		d.ball(0, -30, 22, 22, satin(charcoal))
		d.flat(poly(-76, -210, 76, -210, 68, -166, -68, -166), metal(steel), 1.1, 0.9)
		for i := range 15 {
			d.line([]point{{-70 + float32(i)*10, -236}, {-70 + float32(i)*10, -208}}, 5, steel, 1)
		}
	})
}

func drawNailFile(d *drawing) {
	d.lay()
	d.turned(48, 0, 0, func() {
		d.soft(rounded(-34, -270, 68, 540, 34), surface{colour: d.c, shine: 0.2, texture: speckle(), relief: 0.4}, 8)
	})
	d.turned(30, 40, 0, func() { drawNailScissors(d) })
}

func drawNailScissors(d *drawing) { d.placed(0.5, 150, -40, func() { drawScissors(d) }) }

func drawSoftPack(d *drawing) {
	s := satin(mix(d.c, white, 0.25))
	d.soft(shape("-220,-120! 220,-120! 236,-60 240,120 226,190! -226,190! -240,120 -236,-60"), s, 60,
		crease(16, 0.4, -210, -90, -150, -40), crease(16, 0.4, 210, -90, 150, -40), crease(14, 0.3, -200, 170, -140,
			120))
	d.fillEven(ellipse(0, 30, 150, 100), matte(white).faded(0.95), 1)
	d.words(d.Label, 0, 26, 220, d.c.darker(0.35))
	d.soft(rounded(-70, -146, 140, 30, 12), satin(d.c.darker(0.2)), 10)
}

func drawBabyBottle(d *drawing) {
	b := body(0, "70,-60 78,-30 70,60 80,160 70,180")
	d.glass(b, skyBlue.lighter(0.5), 0.16)
	inner := body(0, "68,20 66,60 74,160 64,172")
	d.latheOn(inner.outlinePath(0.16), inner, matte(rgb{250, 246, 236}))
	d.gleam(b, 0.6)
	for i := range 6 {
		d.line([]point{{30, -10 + float32(i)*26}, {54, -10 + float32(i)*26}}, 4, d.c, 0.9)
	}
	d.lathe(body(0, "74,-120 80,-112 80,-58"), satin(d.c), 0.2)
	d.lathe(body(0, "10,-200 18,-190 20,-160 56,-130 60,-118"), satin(rgb{240, 210, 160}).faded(0.92), 0.2)
}

func drawDummy(d *drawing) {
	d.soft(ellipse(0, 120, 74, 74).without(ellipse(0, 120, 46, 46)), satin(d.c), 12)
	d.soft(shape("-150,0 -120,-70 0,-50 120,-70 150,0 120,70 0,60 -120,70"), satin(mix(d.c, white, 0.3)), 20)
	d.ball(0, 10, 48, 44, satin(d.c))
	d.lathe(body(0, "20,-190 44,-170 46,-130 24,-90 26,-60"), satin(rgb{240, 206, 150}).faded(0.92), 0.16)
}

func drawIncense(d *drawing) {
	s := wood(mix(d.c, walnut, 0.5))
	for i := range 3 {
		d.fillEven(shape(f("150,-190 %g,-250 %g,-330 160,-380 %g,-330 %g,-250", 170+float32(i)*14,
			150+float32(i)*16, 130-float32(i)*8, 146-float32(i)*6)), matte(white).faded(0.3), 1.1)
	}
	d.rod(-150, 120, 150, -180, 7, matte(rgb{120, 92, 66}))
	d.soft(shape("-260,100 -200,120 120,130 230,110 250,126 200,160 -200,164 -256,130"), s, 14)
}
