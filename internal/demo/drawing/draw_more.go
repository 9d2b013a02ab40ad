package drawing

func moreKinds() map[string]design {
	covers := []rgb{palette["navy"], palette["green"], palette["terracotta"]}
	return map[string]design{
		"beanie": plain(drawBeanie, palette["burgundy"]), "cap": plain(drawCap, palette["navy"]),
		"hat": plain(drawHat, palette["brown"]), "scarf": plain(drawScarf, palette["burgundy"]),
		"shawl": plain(drawShawl, palette["pink"]), "gloves": plain(drawGloves, charcoal),
		"mittens": plain(drawMittens, palette["red"]), "socks": plain(drawSocks, palette["navy"]),
		"belt": plain(drawBelt, palette["brown"]), "braces": plain(drawBraces, palette["navy"]),
		"backpack": plain(drawBackpack, palette["navy"]), "handbag": plain(drawHandbag, palette["brown"]),
		"suitcase": plain(drawSuitcase, palette["turquoise"]), "wallet": plain(drawWallet, palette["brown"]),
		"umbrella": plain(drawUmbrella, palette["red"]), "sunglasses": plain(drawSunglasses, charcoal),
		"book": plain(drawBook, palette["burgundy"], covers...), "picture book": plain(drawPictureBook, skyBlue,
			covers...),
		"notebook": plain(drawNotebook, palette["navy"], covers...), "pen": plain(drawPen, palette["blue"]),
		"pencils": plain(drawPencils, sunny), "marker": plain(drawMarker, sunny), "folder": plain(drawFolder,
			palette["blue"]),

		"paper": plain(drawPaperReam, palette["blue"]), "pencil case": plain(drawPencilCase, palette["blue"]),
		"eraser": plain(drawEraser, palette["pink"]), "glue stick": plain(drawGlueStick, palette["red"]),
		"ruler": plain(drawRuler, sunny), "stapler": plain(drawStapler, charcoal),
		"calculator": plain(drawCalculator, charcoal),
		"apron":      plain(drawApron, palette["blue"]), "envelope": plain(drawEnvelope, paperTone),
		"oil canister": plain(drawCanister, charcoal, palette["blue"], palette["red"]), "tyre": plain(drawTyre,
			charcoal),
		"rim": plain(drawRim, steel), "oil filter": plain(drawOilFilter, charcoal),
		"spark plugs": plain(drawSparkPlugs, steel),
		"brake disc":  plain(drawBrakeDisc, steel), "shock absorber": plain(drawShockAbsorber, charcoal),
		"drive belt": plain(drawDriveBelt, charcoal), "car battery": plain(drawCarBattery, charcoal),
		"jump leads": plain(drawJumpLeads, signalRed), "car bulb": plain(drawCarBulb, steel),
		"headlight": plain(drawHeadlight, charcoal), "car mats": plain(drawCarMats, charcoal),
		"seat cover": plain(drawCarSeat, charcoal), "steering cover": plain(drawSteeringCover, charcoal),

		"wiper": plain(drawWiper, charcoal), "snow brush": plain(drawSnowBrush, palette["blue"]),
		"jack": plain(drawJack, signalRed), "tow rope": plain(drawTowRope, sunny),
		"first aid kit": plain(drawFirstAid, signalRed),
		"extinguisher":  plain(drawExtinguisher, signalRed), "warning triangle": plain(drawWarningTriangle, signalRed),
		"christmas tree": plain(drawChristmasTree, leafDark), "bauble": plain(drawBauble, signalRed),
		"tinsel": plain(drawTinsel, brass), "snowflake": plain(drawSnowflake, rgb{214, 226, 236}),
		"santa": plain(drawSanta, signalRed), "snowman": plain(drawSnowman, white), "wreath": plain(drawWreath,
			leafDark),
		"snow globe": plain(drawSnowGlobe, walnut), "santa hat": plain(drawSantaHat, signalRed),
		"carnival mask": plain(drawMask, palette["burgundy"]), "firework": plain(drawFirework, signalRed),
		"sparklers": plain(drawSparklers, brass), "gift bag": plain(drawGiftBag, signalRed),
		"gift box":   plain(drawGiftBox, signalRed),
		"gift paper": plain(drawGiftPaper, signalRed), "bow": plain(drawBow, signalRed),
		"card": plain(drawGreetingCard, paperTone),
	}
}

func drawBeanie(d *drawing) {
	d.lay()
	s := knitted(d.c)
	if d.one(2) == 0 {
		d.soft(ellipse(0, -230, 62, 60), plush(d.second), 40)
	}
	d.soft(shape("-180,90! -186,-40 -130,-160 0,-206 130,-160 186,-40 180,90!"), s, 70, crease(14, 0.3, -60, -190,
		-90, 80), crease(14, 0.3, 60, -190, 90, 80))
	d.soft(shape("-196,60 -180,44! 180,44! 196,60 196,150 180,166! 0,176 -180,166! -196,150"), s, 22)
}

func drawCap(d *drawing) {
	s := d.fabric()
	d.soft(shape("-200,70! -206,-40 -130,-140 0,-160 120,-130 180,-20 180,70!"), s, 70, crease(8, 0.4, -10, -158,
		-60, 60), crease(8, 0.4, -10, -158, 80, 50))
	d.soft(shape("-60,66! 80,40 190,60! 300,100 360,150 330,170 200,140 60,130"), cloth(d.c.darker(0.1)), 20)
	d.ball(-10, -162, 14, 10, s)
	putEmblem(d, 60, 0, 40, d.c.contrast())
	d.stitches(dense(curveThrough(90, 70, 210, 92, 320, 146), 5), 8, d.c.contrast())
}

func drawHat(d *drawing) {
	s := surface{colour: d.c, shine: 0.2, texture: fur(), relief: 0.1}
	d.soft(ellipse(0, 120, 300, 84), s, 30)
	d.soft(shape("-150,130! -150,0 -130,-110 -60,-140 0,-110 60,-140 130,-110 150,0 150,130! 0,160"), s, 50,
		crease(20, 0.5, 0, -130, 0, -60))
	d.soft(shape("-152,70! 0,100 152,70! 152,126! 0,158 -152,126!"), satin(d.second), 10)
}

func drawScarf(d *drawing) {
	d.hang()
	s := knitted(d.c)
	putFringe(d, -96, 306, 88)
	putFringe(d, 30, 266, 88)
	d.soft(shape("20,-60! 110,-50 124,100 120,270! 28,270! 30,100"), s, 24, crease(12, 0.4, 60, -40, 70, 260))
	d.soft(shape("-100,-60! 10,-60 4,100 -6,310! -98,310! -104,100"), s, 24, crease(12, 0.4, -50, -40, -56, 300))
	d.soft(shape("-170,-140 -120,-210 0,-230 120,-210 170,-140 150,-70 60,-30 -60,-30 -150,-70").without(ellipse(0,
		-150, 88, 36)), s, 34,
		crease(14, 0.5, -140, -110, 0, -70, 140, -110))
	d.soft(shape("-70,-100 60,-110 70,-10 0,16 -80,-10"), s, 34, crease(10, 0.4, -50, -90, -40, 0))
}

func drawShawl(d *drawing) {
	d.lay()
	d.turned(-10, 0, 0, func() {
		d.soft(poly(-210, -210, 210, -210, 210, 210, -210, 210), satin(d.c), 20, crease(20, 0.3, -200, -60, 0, -20,
			200, -80), crease(20, 0.3, -200, 100, 40, 60, 200, 140))
		d.fillEven(rect(-196, -196, 392, 392).without(rect(-180, -180, 360, 360)), matte(d.second).faded(0.85), 1)
		for i := range 16 {
			putFlowerPrint(d, -130+float32(i%4)*88, -130+float32(i/4)*88, 28)
		}
	})
}

func drawGloves(d *drawing) {
	d.lay()
	s := putUpper(d)
	if d.material == unknownMaterial || d.material == woollen {
		s = knitted(d.c)
	}
	for _, side := range []float32{1, -1} {
		d.within(matrix{side, 0, side * 100, 0, 1, 0}, func() {
			d.turned(8, 0, 0, func() {
				d.soft(gloveShape(), s, 22)
				putRib(d, -64, 176, 128, 56, knitted(d.c.darker(0.15)))
			})
		})
	}
}

func drawMittens(d *drawing) {
	d.lay()
	s := knitted(d.c)
	for _, side := range []float32{1, -1} {
		d.within(matrix{side, 0, side * 116, 0, 1, 0}, func() {
			d.turned(8, 0, 0, func() {
				d.soft(shape("-70,150! 70,150! 84,0 76,-130 20,-190 -50,-160 -74,-60 -80,-20 -130,-60 -156,-20 "+
					"-110,60 -78,100"), s, 36)
				d.fillEven(star(6, -30, 46), knitted(white), 1)
				putRib(d, -74, 140, 148, 70, s)
			})
		})
	}
}

func drawSocks(d *drawing) {
	d.lay()
	for i, x := range []float32{60, -50} {
		d.turned(float32(i)*10-5, x, 0, func() {
			s := cloth(d.c)
			d.soft(shape("-60,-220! 60,-220! 62,60 90,110 190,170 210,220 170,250 60,240 -50,200 "+
				"-70,120").move(x-40, 0), s, 30)
			d.soft(shape("140,140 196,176 206,222 170,246 120,240").move(x-40, 0), cloth(d.second), 18)
			d.soft(shape("-66,110 -20,110 -4,170 -40,206 -70,160").move(x-40, 0), cloth(d.second), 18)
			for k := range 3 {
				d.fillEven(rect(x-100, -130+float32(k)*50, 121, 16), cloth(d.second).faded(0.8), 1)
			}
			putRib(d, x-104, -236, 128, 64, s)
		})
	}
}

func drawBelt(d *drawing) {
	d.lay()
	s := leather(d.c)
	for _, r := range []float32{190, 150, 112} {
		d.soft(ellipse(0, 0, r, r).without(ellipse(0, 0, r-32, r-32)), s, 9)
	}
	d.soft(shape("150,-120! 330,-180! 360,-160 340,-120! 180,-40!"), s, 9)
	for i := range 4 {
		d.fillEven(ellipse(230+float32(i)*30, -130-float32(i)*10, 6, 6), matte(nearBlack), 1)
	}
	d.turned(-18, 150, -100, func() {
		d.plate(rounded(110, -140, 80, 90, 12).without(rounded(126, -124, 48, 58, 8)), metal([]rgb{brass, steel,
			charcoal, brass}[d.one(4)]))
		d.rod(150, -126, 150, -64, 9, metal(steel))
	})
}

func drawBraces(d *drawing) {
	d.hang()
	s := cloth(d.c)
	for _, x := range []float32{-1, 1} {
		d.soft(stroke(curveThrough(x*120, -260, x*70, -120, x*-10, 20), 34), s, 7)
		d.soft(stroke(curveThrough(x*130, -260, x*140, -60, x*130, 200), 34), s, 7)
		d.soft(rounded(x*130-24, 190, 48, 70, 8), metal(steel), 8)
		d.plate(rounded(x*138-24, -60, 48, 30, 5), metal(steel))
	}
	d.soft(poly(-40, 0, 40, 0, 0, 70), leather(walnut), 8)
	d.soft(stroke(curveThrough(0, 40, 0, 190), 30), s, 7)
	d.soft(rounded(-24, 180, 48, 70, 8), metal(steel), 8)
}

func drawBackpack(d *drawing) {
	s := putUpper(d)
	if d.material == unknownMaterial {
		s = cloth(d.c)
	}
	d.tube(curveThrough(-50, -230, -40, -290, 40, -290, 50, -230), 20, cloth(charcoal))
	for _, x := range []float32{-1, 1} {
		d.soft(shape(f("%g,0 %g,20 %g,170 %g,190", x*150, x*196, x*200, x*150)), s, 20)
	}
	d.soft(shape("-150,220! -170,0 -150,-170 -80,-240 80,-240 150,-170 170,0 150,220! 0,240"), s, 60)
	d.line(arc(0, -60, 130, 140, 190, 350), 7, charcoal, 0.8)
	d.soft(rounded(-120, 10, 240, 190, 34), s, 26)
	d.line(curveThrough(-104, 50, 0, 40, 104, 50), 7, charcoal, 0.8)
	d.plate(rounded(86, 44, 12, 40, 5), metal(steel))
	d.soft(rounded(-40, -130, 80, 54, 8), leather(mix(d.second, walnut, 0.5)), 6)
}

func drawHandbag(d *drawing) {
	s := leather(d.c)
	if d.material == woven {
		s = cloth(d.c)
	}
	d.tube(curveThrough(-110, -30, -120, -240, 0, -290, 120, -240, 110, -30), 22, s)
	d.soft(shape("-200,200! -190,20 -150,-60! 150,-60! 190,20 200,200! 0,224"), s, 46)

	if d.one(2) == 0 {
		d.soft(shape("-154,-66! 154,-66! 176,40 120,110 0,124 -120,110 -176,40"), leather(d.c.darker(0.08)), 18)
		d.plate(rounded(-26, 92, 52, 44, 8), metal(brass))
	} else {
		d.line([]point{{-150, -40}, {150, -40}}, 8, brass, 0.9)
		d.soft(rounded(-70, 40, 140, 110, 12), s, 8)
	}
	d.stitches(dense(curveThrough(-186, 190, 0, 212, 186, 190), 5), 8, d.c.lighter(0.4))
	for _, x := range []float32{-110, 110} {
		d.soft(ellipse(x, -30, 19, 19).without(ellipse(x, -30, 11, 11)), metal(brass), 4)
	}
}

func drawSuitcase(d *drawing) {
	for _, x := range []float32{-50, 50} {
		d.rod(x, -330, x, -180, 11, metal(steel))
	}
	d.soft(rounded(-70, -350, 140, 34, 14), satin(charcoal), 12)
	var folds []fold
	for i := -3; i <= 3; i++ {
		folds = append(folds, crease(12, 0.6, float32(i)*44, -170, float32(i)*44, 220))
	}
	for _, x := range []float32{-110, 110} {
		d.ball(x, 256, 22, 24, rubber(nearBlack))
	}
	d.soft(rounded(-170, -200, 340, 446, 44), satin(d.c), 22, folds...)
	d.line([]point{{-168, 20}, {168, 20}}, 9, charcoal, 0.8)
	d.soft(rounded(-50, -226, 100, 30, 12), satin(charcoal), 10)
}

func drawWallet(d *drawing) {
	d.lay()
	d.turned(-8, 0, 0, func() {
		d.fillEven(rect(-150, -170, 300, 80), matte(rgb{150, 186, 160}), 1)
		for i := range 3 {
			d.soft(rounded(-170+float32(i)*20, -140+float32(i)*14, 200, 80, 8), satin([]rgb{skyBlue, sunny,
				white}[i]), 4)
		}
		d.soft(rounded(-210, -100, 420, 270, 18), leather(d.c), 14)
		d.stitches(dense([]point{{-192, -84}, {192, -84}, {192, 152}, {-192, 152}, {-192, -84}}, 5), 8,
			d.c.lighter(0.4))
		d.soft(shape("120,0 210,-4! 214,70! 120,66"), leather(d.c.darker(0.1)), 8)
		d.ball(160, 32, 15, 15, metal(brass))
	})
}

func drawUmbrella(d *drawing) {
	d.turned(-14, 0, 0, func() {
		d.rod(0, -180, 0, 230, 11, metal(steel))
		d.tube(curveThrough(0, 220, 0, 280, 40, 310, 80, 290, 80, 250), 22, wood(walnut))
		d.soft(shape("0,-230! 130,-196 240,-100 290,50! 240,10 180,40! 120,8 60,36! 0,6 -60,36! -120,8 -180,40! "+
			"-240,10 -290,50! -240,-100 -130,-196"), cloth(d.c), 50,
			crease(9, 0.6, 0, -220, -40, -100, -60, 30), crease(9, 0.6, 0, -220, 40, -100, 60, 30), crease(9, 0.6,
				0, -220, -120, -100, -180, 36), crease(9, 0.6, 0, -220, 120, -100, 180, 36))
		d.rod(0, -260, 0, -226, 9, metal(steel))
	})
}

func drawSunglasses(d *drawing) {
	d.lay()
	frame := glossy(d.c)
	for _, x := range []float32{-1, 1} {
		d.tube(curveThrough(x*236, -40, x*220, -170, x*150, -210), 13, frame)
		lens := shape(f("%g,-60 %g,-66 %g,-30 %g,60 %g,90 %g,60", x*40, x*200, x*236, x*210, x*120, x*50))
		d.soft(lens, frame, 8)
		d.flat(lens.scale(0.86, 0.84, x*136, 8), glossy([]rgb{nearBlack, {90, 60, 40}, {40, 60, 90},
			nearBlack}[d.one(4)]), 0.8, 1.7)
	}
	d.tube(curveThrough(-44, -34, 0, -58, 44, -34), 14, frame)
}

// putCoverArt draws the cover of a book: a composition in few colours.
func putCoverArt(d *drawing, w, h float32) {
	a, b := d.c.lighter(0.35), d.second
	switch d.one(4) {
	case 0:
		d.fillEven(ellipse(w*0.5, h*0.62, w*0.3, w*0.3), matte(b), 1)
		for i := range 3 {
			d.fillEven(shape(f("0,%g! %g,%g %g,%g %g,%g! %g,%g! 0,%g!", h*(0.72+0.08*float32(i)), w*0.3,
				h*(0.66+0.08*float32(i)), w*0.7, h*(0.76+0.08*float32(i)), w, h*(0.7+0.08*float32(i)), w, h, h)),
				matte(a.darker(0.2*float32(i))), 1)
		}
	case 1:

		for i := range 4 {
			x := w * (0.16 + 0.22*float32(i))
			upper := h * (0.52 + 0.09*float32((i*3)%4))
			d.fillEven(rect(x-w*0.09, upper, w*0.18, h-upper), matte(a.darker(0.14*float32(i))), 1)
			for k := range 6 {
				d.fillEven(rect(x-w*0.05+float32(k%2)*w*0.06, upper+12+float32(k/2)*26, w*0.034, 13), matte(sunny), 1)
			}
		}
		d.fillEven(ellipse(w*0.74, h*0.44, w*0.09, w*0.09), matte(cream), 1)
	case 2:

		for i := range 7 {
			d.turned(float32(i-3)*24, w*0.5, h*0.86, func() {
				d.fillEven(shape(f("%g,%g %g,%g %g,%g! %g,%g", w*0.5, h*0.86, w*0.59, h*0.66, w*0.5, h*0.46, w*0.41,
					h*0.66)), matte(mix(a, b, float32(i%2))), 1)
			})
		}
	default:
		for i := range 5 {
			r := w * (0.34 - 0.066*float32(i))
			d.fillEven(ellipse(w*0.5, h*0.68, r, r), matte([]rgb{a, b, d.c, a, b}[i]), 1)
		}
	}
}

func putBookAt(d *drawing, title string, thick float32, art func(w, h float32)) {
	c := newCamera(26, 12)
	w, h := float32(270), float32(390)
	d.box(c, 2, 6, 6, w-8, h-12, thick-8, matte(paperTone))
	for i := range 6 {
		z := 8 + (thick-16)*float32(i)/5
		d.line([]point{c.at(w-6, 10, z), c.at(w-6, h-10, z)}, 1.5, kraft, 0.5)
	}
	d.flat(path{{c.at(0, h, thick), c.at(w, h, thick), c.at(w, h, thick-5), c.at(0, h, thick-5)}}, matte(d.c), 1, 0.9)
	cover := path{{c.at(0, h, 0), c.at(w, h, 0), c.at(w, 0, 0), c.at(0, 0, 0)}}
	d.cast(cover)

	d.flat(cover, satin(d.c), 1.05, 0.95)
	p := c.at(0, h, 0)
	slope := (c.at(w, h, 0).y - p.y) / (w * c.cosYaw)
	d.within(matrix{c.cosYaw, 0, p.x, slope * c.cosYaw, c.cosPitch, p.y}, func() {
		art(w, h)
		d.words(title, w/2, h*0.2, w*0.78, d.c.contrast())
		d.line([]point{{w * 0.3, h * 0.33}, {w * 0.7, h * 0.33}}, 4, d.c.contrast(), 0.6)
		d.fillEven(rect(0, 0, 12, h), matte(d.c.darker(0.4)).faded(0.4), 1)
		d.line([]point{{16, 0}, {16, h}}, 2, white, 0.3)
	})
}

func drawBook(d *drawing) { putBookAt(d, d.Label, 56, func(w, h float32) { putCoverArt(d, w, h) }) }

func drawPictureBook(d *drawing) {
	putBookAt(d, d.Label, 30, func(w, h float32) {
		d.fillEven(shape(f("0,%g! %g,%g %g,%g! %g,%g! 0,%g!", h*0.8, w*0.5, h*0.72, w, h*0.82, w, h, h)),
			matte(leaf), 1)
		d.fillEven(ellipse(w*0.8, h*0.44, 30, 30), matte(sunny), 1)
		draw := []func(*drawing){drawBear, drawOwl, drawRabbit, drawElephant}[d.one(4)]
		c, m := d.c, d.unshaded
		d.c = []rgb{{176, 124, 80}, walnut, {214, 200, 186}, {150, 164, 178}}[d.one(4)]
		d.placed(0.36, w*0.44, h*0.7, func() { draw(d) })
		d.c, d.unshaded = c, m
	})
}

func drawNotebook(d *drawing) {
	d.lay()
	d.turned(-10, 0, 0, func() {
		d.soft(rounded(-160, -220, 330, 440, 10), matte(paperTone), 5)
		d.soft(rounded(-170, -224, 330, 440, 14), leather(d.c), 8)
		switch d.one(4) {
		case 0, 2:
			for i := range 18 {
				y := -206 + float32(i)*24
				d.fillEven(ellipse(-150, y, 6, 6), matte(nearBlack), 1)
				d.tube(curveThrough(-148, y, -176, y-9, -184, y+3), 6, metal(steel))
			}
		default:
			d.soft(rounded(116, -226, 14, 446, 3), satin(d.second), 4)
		}

		d.flat(rounded(-80, -140, 170, 90, 6), matte(paperTone), 1.03, 0.97)
		d.words(d.Label, 5, -96, 140, charcoal)
	})
}

func drawPen(d *drawing) {
	d.lay()
	for i, x := range []float32{-56, 56}[:1+d.one(2)] {
		d.turned(40+float32(i)*12, x, 0, func() {
			s := d.made(glossy)
			d.lathe(turnedBody{x, []point{{16, -270}, {20, -250}, {21, 120}}}, s, 0.16)
			d.lathe(turnedBody{x, []point{{21, 120}, {18, 190}, {5, 240}}}, metal(steel), 0.16)
			d.cone(x, 236, x, 262, 6, 2, metal(brass))
			d.flat(rounded(x+10, -250, 11, 150, 5), metal(steel), 1.1, 0.9)
			d.lathe(turnedBody{x, []point{{21, -40}, {21, -26}}}, metal(brass), 0.16)
		})
	}
}

func drawPencils(d *drawing) {
	d.lay()
	tones := []rgb{signalRed, amber, sunny, leaf, palette["turquoise"], palette["blue"], {120, 80, 160},
		palette["pink"]}
	n := 8
	if d.one(2) == 1 && d.known {
		n = 3
	}

	for i := range n {
		x := (float32(i) - float32(n-1)/2) * 46
		t := tones[i]
		if n == 3 {
			t = d.c
		}
		d.turned(12, 0, 0, func() { putPencilAt(d, x, -240+float32(i%3)*18, 240, 34, t, t) })
	}
}

func drawMarker(d *drawing) {
	d.lay()
	for i, x := range []float32{-80, 0, 80} {
		t := []rgb{d.c, d.c.lighter(0.3), d.second}[i]
		d.turned(30, 0, 0, func() {
			d.lathe(turnedBody{x, []point{{26, -90}, {28, -70}, {28, 220}}}, satin(t), 0.16)
			d.lathe(turnedBody{x, []point{{24, -240}, {26, -230}, {29, -80}}}, satin(t.darker(0.2)), 0.16)
			d.flat(rounded(x+12, -220, 10, 110, 5), satin(t.darker(0.35)), 1, 0.9)
		})
	}
}

func drawFolder(d *drawing) {
	c := newCamera(30, 14)
	for i := range 2 + d.one(2) {
		z := 120 - float32(i)*60
		x := float32(i) * 26
		tone := []rgb{d.c.lighter(0.3), d.second, d.c}[(i+3-(2+d.one(2)))%3]
		d.box(c, x, 0, z, 300, 390, 50, satin(tone))
		p := c.at(x+300, 80, z+25)
		d.fillEven(ellipse(p.x, p.y, 10, 15), matte(nearBlack), 1)
		d.flat(c.onFront(rounded(90, 60, 120, 70, 4), x, 390, z), matte(white), 1, 1)
	}
}

func drawPaperReam(d *drawing) {
	c := newCamera(30, 30)
	d.box(c, 0, 0, 0, 300, 70, 400, matte(white))
	d.box(c, 0, 70, 0, 300, 70, 400, matte(mix(d.c, white, 0.15)))
	plane := func(p path) path { return c.onTop(p.scale(1, -1, 0, 0), 0, 140, 300) }
	d.wordsOn(plane, d.Label, 150, 100, 220, white)
	d.fillEven(c.onFront(rect(0, 20, 300, 34), 0, 140, 0), matte(white), 1)
}

func drawPencilCase(d *drawing) {
	d.lay()
	d.turned(-12, 0, 0, func() {
		for i := range 4 {
			d.turned(82, -200, float32(i)*26-30, func() {
				putPencilAt(d, -200, -60, 120, 22, []rgb{signalRed, leaf, sunny, palette["blue"]}[i], nearBlack)
			})
		}
		d.soft(shape("-260,-90 -230,-110 230,-110 270,-90 276,90 230,114 -230,114 -270,90"), d.fabric(), 50)
		d.line([]point{{-240, -40}, {240, -40}}, 9, charcoal, 0.85)
		d.plate(rounded(180, -46, 44, 14, 5), metal(steel))
		putEmblem(d, 0, 36, 50, d.c.contrast())
	})
}

func drawEraser(d *drawing) {
	c := newCamera(32, 28)
	d.roundBox(c, 0, 0, 0, 330, 90, 150, 14, matte(d.c))
	d.box(c, 90, -2, -3, 160, 95, 156, cardboard(d.second))
	d.wordsOn(func(p path) path { return c.onFront(p, 90, 93, -3) }, d.Label, 80, 46, 120, d.second.contrast())
	d.turned(20, 240, -180, func() {
		d.soft(poly(200, -200, 300, -214, 306, -130, 206, -120), metal(steel), 8)
		d.flat(rounded(216, -196, 74, 26, 4), metal(white), 1, 0.9)
	})
}

func drawGlueStick(d *drawing) {
	d.lathe(body(-70, "50,-60 54,-50 54,200"), satin(d.c), 0.2)
	putWrapLabel(d, body(-70, "54,-50 54,200"), 0, 150, paperTone)
	d.lathe(body(-70, "42,-120 44,-110 44,-56"), matte(white), 0.2)
	d.lathe(body(110, "50,60 54,70 54,200"), satin(d.c.lighter(0.2)), 0.2)
}

func drawRuler(d *drawing) {
	d.lay()
	d.turned(-24, 0, 0, func() {
		d.soft(rounded(-320, -46, 640, 92, 8), d.made(satin), 5)
		for i := range 61 {
			h := float32(16)
			if i%5 == 0 {
				h = 26
			}
			x := -300 + float32(i)*10
			d.line([]point{{x, -44}, {x, -44 + h}}, 2, d.c.contrast(), 0.9)
		}

		for i := range 6 {
			d.words(string(rune('0'+i*1)), -300+float32(i)*100+16, 4, 18, d.c.contrast())
		}
	})
}

func drawStapler(d *drawing) {
	s := satin(d.c)
	d.soft(shape("-280,150! 240,150! 260,190! -290,190!"), rubber(charcoal), 8)
	d.flat(poly(-250, 110, 200, 96, 204, 140, -250, 150), metal(steel), 1.1, 0.8)
	d.soft(shape("-290,60 -260,20 -60,-40 150,-50 250,-20 264,60 240,96 -270,104"), s, 34)
	d.soft(shape("-270,40 -60,-24 120,-30 60,0 -100,10 -240,60"), satin(d.c.lighter(0.12)), 14)
}

func drawCalculator(d *drawing) {
	d.turned(-7, 0, 0, func() {
		d.soft(rounded(-140, -220, 280, 440, 24), satin(d.c), 14)
		d.fillEven(rounded(-116, -196, 232, 90, 10), matte(rgb{188, 204, 186}), 1)
		d.words("1 284.50", 20, -150, 180, charcoal)
		for i := range 20 {
			tone := d.c.lighter(0.3)
			if i%4 == 3 {
				tone = amber
			}
			d.soft(rounded(-114+float32(i%4)*60, -84+float32(i/4)*58, 48, 44, 8), satin(tone), 8)
		}
	})
}

func drawApron(d *drawing) {
	d.hang()
	d.tube(curveThrough(-70, -200, -60, -300, 60, -300, 70, -200), 12, cloth(d.c))
	d.soft(shape("-80,-200! 80,-200! 96,-90 190,0! 200,260! 0,270 -200,260! -190,0! -96,-90"), d.fabric(), 24,
		crease(16, 0.2, -60, 0, -80, 250), crease(16, 0.2, 60, 0, 80, 250))
	d.soft(rounded(-100, 60, 200, 110, 12), d.fabric(), 7)
}

func drawEnvelope(d *drawing) {
	d.lay()
	d.turned(-8, 0, 0, func() {
		d.soft(rect(-220, -140, 440, 290), matte(d.c.lighter(0.2)), 5)
		d.soft(poly(-220, -140, 220, -140, 0, 40), matte(d.c.lighter(0.3)), 6)
		d.ball(0, 20, 34, 34, satin(signalRed))
	})
}

func drawCanister(d *drawing) {
	s := satin(d.c)
	d.soft(shape("-150,220! -160,-60 -150,-160 -100,-190! 30,-190! 60,-160 60,-60! 120,-130! 160,-110 160,220! "+
		"0,232"), s, 34)
	d.fillEven(rounded(66, -60, 50, 130, 24), matte(rgb{228, 226, 222}), 0.96)
	d.soft(ellipse(91, 5, 34, 74).without(ellipse(91, 5, 22, 62)), s, 6)
	d.lathe(body(-60, "40,-250 44,-242 44,-186"), satin([]rgb{signalRed, sunny, charcoal, signalRed}[d.one(4)]), 0.2)
	d.flat(rounded(-136, -90, 180, 270, 10), satin(d.second), 1.06, 0.94)
	d.words(d.Label, -46, 10, 150, d.second.contrast())
	putEmblem(d, -46, -46, 34, d.second.contrast())
	d.words("5W-30", -46, 120, 110, d.second.contrast())
}

func drawTyre(d *drawing) {
	s := rubber(charcoal.darker(0.2))
	d.ball(44, 0, 236, 240, s)
	for i := range 40 {
		sin, cos := sincos(float32(i)*9 - 90)
		if cos < -0.1 {
			continue
		}
		d.line([]point{{cos*216 + 10, sin * 226}, {cos*224 + 46, sin * 232}}, 9, nearBlack, 0.8)
	}
	d.ball(0, 0, 226, 238, s)
	d.fillEven(ellipse(0, 0, 200, 210).without(ellipse(0, 0, 194, 204)), matte(greyTone).faded(0.25), 1)
	d.flat(ellipse(0, 0, 142, 150), metal(charcoal), 0.7, 1.1)
	putAlloy(d, 0, 0, 132, 140)
}

// putAlloy draws the spokes of a car wheel.
func putAlloy(d *drawing, x, y, rx, ry float32) {
	d.flat(ellipse(x, y, rx, ry), metal(charcoal.lighter(0.1)), 0.7, 1)
	n := 5 + d.one(2)
	for i := range n {
		angle := float32(i) * 360 / float32(n)
		d.turned(angle, x, y, func() {
			d.soft(shape(f("%g,%g! %g,%g! %g,%g! %g,%g!", x-16, y, x-26, y-ry*0.95, x+26, y-ry*0.95, x+16, y)),
				metal(steel), 8)
		})
	}
	d.soft(ellipse(x, y, rx, ry).without(ellipse(x, y, rx*0.9, ry*0.9)), metal(steel), 6)
	d.ball(x, y, rx*0.22, ry*0.22, metal(steel))
}

func drawRim(d *drawing) {
	d.ball(36, 0, 214, 214, metal(charcoal.lighter(0.2)))
	putAlloy(d, 0, 0, 210, 214)
}

func drawOilFilter(d *drawing) {
	if d.one(2) == 1 {
		c := newCamera(28, 28)
		d.box(c, 0, 0, 0, 330, 70, 260, rubber(charcoal))
		for i := range 20 {
			d.fillEven(c.onTop(rect(14+float32(i)*15.4, 14, 8, 232), 0, 71, 0), matte(white), 1.1)
			d.fillEven(c.onTop(rect(22+float32(i)*15.4, 14, 6, 232), 0, 71, 0), matte(kraft), 0.9)
		}
		return
	}

	b := body(0, "110,-130 120,-116 120,140 112,150")
	d.lathe(b, satin(mix(d.c, []rgb{charcoal, white, palette["blue"], sunny}[d.one(4)], 0.7)), 0.22)
	putWrapLabel(d, b, -20, 90, white)
	d.flat(ellipse(0, -130, 110, 25), metal(steel), 1.15, 0.9)
	d.flat(ellipse(0, -128, 92, 20), rubber(nearBlack), 1, 1)
	d.flat(ellipse(0, -128, 70, 15), metal(steel), 1.1, 0.8)
	d.flat(ellipse(0, -126, 30, 7), matte(nearBlack), 0.9, 1)
}

func drawSparkPlugs(d *drawing) {
	d.lay()
	for i := range 4 {
		x := -150 + float32(i)*100
		d.turned(8, x, 0, func() {
			d.lathe(turnedBody{x, curve(f("8,-230 13,-220 13,-190 22,-170 22,-60"))}, glossy(white), 0.2)
			d.lathe(turnedBody{x, []point{{8, -250}, {13, -240}, {13, -196}}}, metal(steel), 0.2)
			d.soft(rounded(x-36, -60, 72, 60, 8), metal(steel), 10)
			d.lathe(turnedBody{x, []point{{25, 0}, {25, 120}}}, metal(brass), 0.2)
			for k := range 9 {
				d.line([]point{{x - 25, 12 + float32(k)*12}, {x + 25, 8 + float32(k)*12}}, 3, charcoal, 0.6)
			}
			d.tube(curveThrough(x+18, 120, x+18, 150, x-8, 152), 8, metal(steel))
		})
	}
}

func drawBrakeDisc(d *drawing) {
	d.ball(20, 6, 220, 220, metal(charcoal.lighter(0.2)))
	d.flat(ellipse(0, 0, 220, 220), metal(steel), 1.1, 0.9)
	for i := range 36 {
		sin, cos := sincos(float32(i)*30 + float32(i/12)*10)
		r := 140 + float32(i/12)*28
		d.fillEven(ellipse(cos*r, sin*r, 7, 7), matte(charcoal), 1)
	}

	d.ball(0, 0, 112, 112, metal(steel.darker(0.2)))
	d.flat(ellipse(0, 0, 40, 40), matte(charcoal), 0.7, 1)
	for i := range 5 {
		sin, cos := sincos(float32(i) * 72)
		d.fillEven(ellipse(cos*74, sin*74, 11, 11), matte(charcoal), 1)
	}
	for i, y := range []float32{150, 200} {
		d.soft(shape(f("%g,%g %g,%g %g,%g %g,%g", 60.0+float32(i)*30, y, 170.0+float32(i)*30, y-50,
			270.0+float32(i)*30, y, 170.0+float32(i)*30, y+50)), rubber(charcoal.lighter(0.08)), 14)
	}
}

func drawShockAbsorber(d *drawing) {
	d.turned(20, 0, 0, func() {
		d.rod(0, -280, 0, -100, 22, metal(steel))
		d.lathe(body(0, "46,20 50,30 50,240 40,256"), satin(d.c), 0.2)
		for i := range 7 {
			y := -190 + float32(i)*42
			d.tube(curveThrough(-84, y+14, 0, y+26, 84, y-10), 24, glossy(mix(d.c, signalRed, 0.85)))
		}
		d.lathe(body(0, "90,-230 96,-222 96,-200"), satin(charcoal), 0.2)
		d.soft(ellipse(0, 280, 34, 34).without(ellipse(0, 280, 15, 15)), metal(steel), 9)
		d.ball(0, -284, 20, 20, metal(steel))
	})
}

func drawDriveBelt(d *drawing) {
	d.lay()
	s := rubber(charcoal)
	outer := shape("-220,-60 -120,-170 60,-150 220,-60 200,90 60,130 -60,170 -200,110")
	d.soft(outer.without(outer.scale(0.86, 0.84, 0, 0)), s, 8)
	for i := range 90 {
		p := outer[0][i*len(outer[0])/90]
		d.line([]point{{p.x * 0.87, p.y * 0.85}, {p.x * 0.91, p.y * 0.9}}, 6, greyTone, 0.35)
	}
}

func drawCarBattery(d *drawing) {
	c := newCamera(24, 22)
	d.box(c, 0, 0, 0, 380, 220, 200, satin(charcoal))
	d.box(c, -4, 220, -4, 388, 34, 208, satin(mix(d.c, []rgb{charcoal, signalRed, palette["blue"], sunny}[d.one(4)],
		0.7)))
	for i, x := range []float32{50, 320} {
		p := c.at(x, 254, 60)
		d.lathe(turnedBody{p.x, []point{{20, p.y - 34}, {26, p.y}}}, metal(steel), 0.3)
		d.fillEven(ellipse(p.x+34, p.y-4, 11, 7), matte([]rgb{signalRed, nearBlack}[i]), 1)
	}

	p, q := c.at(110, 256, 110), c.at(270, 256, 110)
	d.tube(curveThrough(p.x, p.y, p.x+20, p.y-50, q.x-20, q.y-50, q.x, q.y), 16, rubber(nearBlack))
	d.flat(c.onFront(rect(40, 44, 300, 140), 0, 220, 0), satin([]rgb{palette["blue"], sunny, signalRed,
		white}[d.one(4)]), 1.04, 0.95)
	d.wordsOn(func(p path) path { return c.onFront(p, 0, 220, 0) }, "12V 60Ah", 190, 112, 230, []rgb{white,
		charcoal, white, charcoal}[d.one(4)])
}

func drawJumpLeads(d *drawing) {
	d.lay()
	for i, t := range []rgb{signalRed, nearBlack} {
		dx := float32(i)*40 - 20
		for _, r := range []float32{150, 118} {
			d.tube(arc(dx, 0, r, r*0.86, r+float32(i)*50, r+330), 24, rubber(t))
		}
		d.turned(float32(i)*90-45, 0, 0, func() {
			d.soft(shape("-30,-130! 30,-130! 50,-210 34,-290 14,-300 0,-220 -14,-300 -34,-290 -50,-210").move(dx*2,
				-20), rubber(t), 16)
			d.flat(poly(-14, -330, 14, -330, 18, -290, -18, -290).move(dx*2, -10), metal(brass), 1.1, 0.9)
		})
	}
}

func drawCarBulb(d *drawing) {
	d.lay()
	for _, x := range []float32{-100, 100} {
		d.turned(12, x, 0, func() {
			b := turnedBody{x, curve("4,-210 30,-190 34,-120 30,0")}
			d.glass(b, []rgb{{210, 226, 240}, {250, 236, 200}, {200, 220, 250}, {230, 230, 230}}[d.one(4)], 0.2)
			d.line([]point{{x - 12, -20}, {x - 12, -110}, {x + 12, -110}, {x + 12, -20}}, 4, steel, 1)
			d.soft(rounded(x-70, 0, 140, 40, 12), metal(steel), 10)
			d.lathe(turnedBody{x, []point{{44, 36}, {44, 120}}}, metal(steel), 0.2)
			for _, k := range []float32{-20, 20} {
				d.flat(rect(x+k-8, 120, 16, 50), metal(brass), 1.1, 0.9)
			}
		})
	}
}

func drawHeadlight(d *drawing) {
	d.soft(shape("-260,-60 -160,-120 100,-110 270,-20 240,90 80,130 -200,120 -270,40"), satin(nearBlack), 40)
	for _, p := range [][3]float32{{-120, 4, 88}, {60, 20, 72}} {
		d.ball(p[0], p[1], p[2], p[2], metal(steel))
		d.flat(ellipse(p[0], p[1], p[2]*0.8, p[2]*0.8), metal(rgb{220, 224, 228}), 0.9, 1.15)
		d.ball(p[0], p[1], p[2]*0.42, p[2]*0.42, glossy(rgb{255, 246, 222}))
	}
	d.softUncast(shape("-260,-60 -160,-120 100,-110 270,-20 240,90 80,130 -200,120 -270,40"),
		glossy(skyBlue.lighter(0.6)).faded(0.22), 60)
	d.fillEven(shape("-230,-60 -140,-104 40,-100 -60,-80 -190,-30"), matte(white).faded(0.4), 1)
	d.ball(190, 20, 28, 24, glossy(amber))
}

func drawCarMats(d *drawing) {
	d.lay()
	for i, x := range []float32{130, -110} {
		d.turned(float32(i)*14-6, x, 0, func() {
			s := rubber(d.c)
			if d.material == woven {
				s = plush(d.c)
			}

			d.soft(shape("-110,-200! 80,-210! 130,-150 126,180! 110,210 -100,214 -124,190! -120,-60").move(x, 0), s, 9)
			for k := range 9 {
				for m := range 5 {
					d.soft(poly(x-70+float32(m)*34, -150+float32(k)*38, x-54+float32(m)*34, -136+float32(k)*38,
						x-70+float32(m)*34, -122+float32(k)*38, x-86+float32(m)*34, -136+float32(k)*38),
						rubber(d.c.lighter(0.06)), 4)
				}
			}
		})
	}
}

func drawSteeringCover(d *drawing) {
	s := leather(d.c)
	d.soft(shape("-80,-30 80,-30 60,60 0,90 -60,60"), rubber(charcoal), 20)
	for _, a := range []float32{0, 180, 90} {
		d.turned(a, 0, 0, func() { d.soft(rounded(60, -26, 130, 52, 16), satin(charcoal.lighter(0.1)), 12) })
	}
	d.soft(ellipse(0, 0, 226, 226).without(ellipse(0, 0, 176, 176)), s, 22)
	d.stitches(dense(arc(0, 0, 182, 182, 0, 360), 5), 9, d.second)
	for _, a := range []float32{-40, 220} {
		d.turned(a, 0, 0, func() { d.soft(rounded(172, -40, 58, 80, 16), leather(d.second), 18) })
	}
	d.ball(0, 10, 36, 36, metal(steel))
}

func drawWiper(d *drawing) {
	d.lay()
	for i := range 2 {
		d.turned(18, 0, 0, func() {
			y := float32(i)*110 - 60
			d.soft(taper(curveThrough(-330, y+24, 0, y-10, 330, y+24), 16, 16), rubber(nearBlack), 6)
			d.soft(shape(f("-300,%g 0,%g 300,%g 300,%g 0,%g -300,%g", y+10, y-34, y+10, y+20, y, y+20)),
				satin(charcoal.lighter(0.06)), 10)
			d.soft(rounded(-44, y-44, 88, 40, 10), satin(charcoal), 10)
		})
	}
}

func drawSnowBrush(d *drawing) {
	d.lay()
	d.turned(38, 0, 0, func() {
		for y := float32(-270); y < -90; y += 8 {
			d.soft(poly(10, y, 10, y+7, 104, y+9, 104, y-2), matte(sunny), 2)
		}
		d.soft(rounded(-16, -290, 40, 220, 12), satin(d.c), 12)
		d.lathe(body(0, "15,-80 15,60 24,80 26,220 18,240"), satin(d.c.darker(0.3)), 0.2)
		d.soft(shape("-20,240! 20,240! 76,320! -76,320!"), satin(d.c), 8)
	})
}

func drawJack(d *drawing) {
	s := satin(d.c)
	d.rod(80, 60, 330, -230, 20, metal(charcoal))
	d.soft(rounded(300, -260, 60, 60, 14).turn(40, 330, -230), rubber(nearBlack), 12)
	d.soft(shape("-270,120 -220,60! 160,50! 220,120 200,190! -250,190!"), s, 26)
	d.soft(shape("-200,100! -60,-40! 0,-30! -100,120!"), satin(d.c.darker(0.2)), 14)
	d.lathe(body(-40, "56,-70 60,-62 40,-20"), metal(charcoal.lighter(0.2)), 0.3)
	for _, x := range []float32{-190, 150} {
		d.ball(x, 190, 42, 42, metal(charcoal.lighter(0.1)))
		d.ball(x, 190, 16, 16, metal(steel))
	}
}

func drawTowRope(d *drawing) {
	d.lay()
	s := cloth(d.c)
	for i := range 4 {
		d.tube(arc(float32(i)*16-24, 0, 150-float32(i)*22, 120-float32(i)*16, float32(i)*40, float32(i)*40+330), 30, s)
	}
	for _, side := range []float32{-1, 1} {
		d.tube(curveThrough(side*110, 60, side*190, 130, side*230, 120), 30, s)
		d.tube(curveThrough(side*240, 130, side*300, 160, side*330, 110, side*300, 70, side*270, 90), 24, metal(steel))
	}
}

func drawFirstAid(d *drawing) {
	c := newCamera(22, 18)
	p, q := c.at(130, 230, 60), c.at(270, 230, 60)
	d.tube(curveThrough(p.x, p.y, p.x+10, p.y-56, q.x-10, q.y-56, q.x, q.y), 22, satin(charcoal))
	d.roundBox(c, 0, 0, 0, 400, 240, 130, 30, satin(d.c))
	plane := func(p path) path { return c.onFront(p, 0, 240, 0) }
	d.fillEven(plane(ellipse(200, 120, 84, 84)), matte(white), 1)
	d.fillEven(plane(rect(184, 64, 32, 112)), matte(signalRed), 1)
	d.fillEven(plane(rect(144, 104, 112, 32)), matte(signalRed), 1)
}

func drawExtinguisher(d *drawing) {
	b := body(0, "30,-150 80,-120 92,-80 92,230 84,244")
	d.tube(curveThrough(40, -180, 150, -170, 160, 0, 130, 130), 20, rubber(nearBlack))
	d.cone(128, 110, 120, 190, 24, 44, rubber(nearBlack))
	d.lathe(b, glossy(d.c), 0.18)
	putWrapLabel(d, b, 0, 150, white)
	d.lathe(body(0, "20,-200 26,-190 28,-146"), metal(steel), 0.2)
	d.soft(shape("-20,-200! 120,-240! 126,-222! 10,-176!"), satin(charcoal), 8)
	d.soft(shape("-10,-196! 110,-180! 108,-162! -10,-170!"), satin(charcoal), 8)
	d.ball(-32, -176, 20, 20, metal(white))
}

func drawWarningTriangle(d *drawing) {
	tri := func(r float32) path {
		return poly(0, -r, r*0.87, r*0.5, -r*0.87, r*0.5)
	}
	d.flat(rounded(-200, 180, 400, 22, 8), satin(charcoal), 1, 0.8)
	d.soft(tri(280).move(0, 40).without(tri(150).move(0, 40)), glossy(d.c), 12)
	d.fillEven(tri(190).move(0, 40).without(tri(164).move(0, 40)), matte(rgb{250, 150, 90}), 1.1)
	d.stitches(dense([]point{{0, -196}, {200, 154}, {-200, 154}, {0, -196}}, 5), 14, rgb{255, 190, 180})
}

func drawChristmasTree(d *drawing) {
	d.rod(0, 240, 0, 350, 30, wood(walnut))
	d.tube(curveThrough(-110, 360, 0, 330, 110, 360), 16, metal(charcoal))
	tiers := 6 + d.one(2)

	for i := tiers - 1; i >= 0; i-- {
		t := float32(i) / float32(tiers-1)
		w := 70 + 170*t
		y := -270 + 470*t
		var c []point
		c = append(c, point{0, y - 110})
		n := 9 + i*2
		for k := range n + 1 {
			x := w - 2*w*float32(k)/float32(n)
			c = append(c, point{x, y + 70 - x*x/(w*w)*24 + float32(k%2)*22})
		}
		d.soft(path{c}, surface{colour: d.c.lighter(0.06 * (1 - t)), shine: 0.2, texture: fur(), relief: 0.5}, 26)
		if d.one(4) != 3 {
			for k := range 3 + i {
				x := (float32(k)/float32(2+i) - 0.5) * 1.5 * w
				d.ball(x, y+40+float32((k*7)%3)*9, 12, 12, glossy([]rgb{signalRed, brass, white,
					palette["blue"]}[(k+i)%4]))
			}
		} else {
			d.softUncast(path{c}.scale(0.8, 0.5, 0, y), matte(white).faded(0.55), 20)
		}
	}
	d.soft(star(0, -390, 44), metal(brass), 10)
}

func drawBauble(d *drawing) {
	d.hang()
	d.line([]point{{0, -300}, {0, -200}}, 4, brass, 1)
	s := []func(rgb) surface{glossy, satin, glossy, metal}[d.one(4)](d.c)
	d.ball(0, 20, 190, 190, s)

	switch d.one(4) {
	case 0, 3:
		for i := range 9 {
			x := -150 + float32(i)*37
			d.fillEven(star(x, 20+float32(i%2)*10, 18), matte(white).faded(0.85), 1)
		}
		d.line(curveThrough(-186, -30, 0, -10, 186, -30), 6, white, 0.8)
		d.line(curveThrough(-184, 70, 0, 92, 184, 70), 6, white, 0.8)
	case 1:
		d.fillEven(shape("-150,110! -60,60 40,100 150,90! 110,160 0,196 -110,160"), matte(white).faded(0.9), 1)
		for i := range 5 {
			x := -90 + float32(i)*44
			d.fillEven(poly(x, -10+float32(i%2)*24, x+30, 84, x-30, 84), matte(leafDark).faded(0.9), 1)
		}
	}
	d.lathe(body(0, "30,-206 34,-200 34,-168"), metal(brass), 0.24)
	d.soft(ellipse(0, -216, 15, 17).without(ellipse(0, -216, 9, 11)), metal(brass), 3)
}

func drawTinsel(d *drawing) {
	d.lay()
	line := curveThrough(-280, -80, -140, 60, 0, -60, 140, 60, 280, -80)
	for pass := range 3 {
		for i, p := range dense(line, 4) {
			a := float32((i*83+pass*47)%360) + float32(pass)*20
			sin, cos := sincos(a)
			r := 40 + float32((i*29)%24)
			c := []rgb{d.c, d.c.lighter(0.5), d.c.darker(0.3)}[(i+pass)%3]
			d.line([]point{p, {p.x + cos*r, p.y + sin*r}}, 3.4, c, 0.9)
		}
	}
}

func drawSnowflake(d *drawing) {
	d.hang()
	s := glossy(d.c)
	for i := range 6 {

		d.turned(float32(i)*60, 0, 0, func() {
			d.tube([]point{{0, 0}, {0, -210}}, 18, s)
			for k := range 3 {
				y := -70 - float32(k)*50
				r := 64 - float32(k)*13
				d.tube([]point{{0, y}, {r * 0.8, y - r*0.6}}, 13, s)
				d.tube([]point{{0, y}, {-r * 0.8, y - r*0.6}}, 13, s)
			}
			d.ball(0, -216, 14, 14, s)
		})
	}
	d.ball(0, 0, 30, 30, s)
}

func drawSanta(d *drawing) {
	s := plush(d.c)
	d.soft(ellipse(-50, 260, 50, 28), leather(nearBlack), 22)
	d.soft(ellipse(50, 260, 50, 28), leather(nearBlack), 22)
	d.soft(shape("0,-60 100,-30 170,120 150,240 0,260 -150,240 -170,120 -100,-30"), s, 80)
	d.soft(shape("-156,216! 0,240 156,216! 160,262! 0,280 -160,262!"), plush(white), 18)
	d.soft(shape("-160,120! 0,140 160,120! 162,160! 0,180 -162,160!"), leather(nearBlack), 10)
	d.plate(rounded(-34, 130, 68, 54, 8).without(rounded(-20, 142, 40, 30, 5)), metal(brass))
	for _, x := range []float32{-1, 1} {
		d.soft(stroke(curveThrough(x*110, 0, x*180, 60, x*170, 120), 62), s, 34)
		d.ball(x*168, 140, 34, 34, plush(palette["green"]))
	}

	d.ball(0, -110, 92, 88, matte(skin))
	d.soft(shape("-100,-110! -40,-80 0,-90 40,-80 100,-110! 120,-20 60,60 0,90 -60,60 -120,-20"), plush(white), 40)
	d.soft(shape("-110,-160! -60,-280 40,-330 130,-280 160,-210! 120,-220 110,-160! 0,-190"), s, 40)
	d.soft(rounded(-122, -190, 244, 54, 26), plush(white), 22)
	d.ball(164, -196, 36, 36, plush(white))
	d.ball(0, -92, 19, 16, matte(rgb{226, 130, 120}))
	putToyFace(d, 0, -122, 34)
}

func drawSnowman(d *drawing) {
	s := plush(mix(d.c, white, 0.7))
	d.tube(curveThrough(-110, 0, -200, -60, -230, -120), 11, wood(walnut))
	d.tube(curveThrough(110, 0, 200, -60, 230, -120), 11, wood(walnut))
	d.soft(ellipse(0, 170, 170, 150), s, 110)
	d.soft(ellipse(0, -10, 124, 112), s, 84)
	d.soft(ellipse(0, -160, 92, 86), s, 64)
	putToyFace(d, 0, -180, 30)

	d.turned(70, 0, -150, func() { d.cone(0, -150, 0, -240, 26, 3, satin(amber)) })
	d.soft(shape("-96,-90 0,-66 96,-90 100,-50 0,-30 -100,-50"), knitted(signalRed), 14)
	d.soft(shape("30,-56! 76,-60! 84,70! 40,76!"), knitted(signalRed), 14)
	for i := range 3 {
		d.ball(0, 0+float32(i)*70, 12, 12, satin(nearBlack))
	}
	d.soft(ellipse(0, -236, 116, 22), cloth(nearBlack), 10)
	d.lathe(body(0, "70,-340 74,-332 76,-240"), cloth(nearBlack), 0.2)
}

func drawWreath(d *drawing) {
	d.hang()
	for pass := range 3 {
		for i := range 60 {
			a := float32(i)*6 + float32(pass)*3
			sin, cos := sincos(a)
			r := 160 + float32((i*37+pass*53)%60) - 30
			x, y := cos*r, sin*r
			d.turned(a+90+float32((i*71)%80)-40, x, y, func() {
				d.soft(shape(f("%g,%g %g,%g %g,%g! %g,%g", x, y+24, x+11, y-4, x, y-44, x-11, y-4)), satin(mix(d.c,
					leaf, float32((i+pass)%3)*0.35)), 5)
			})
		}
	}

	for i := range 12 {
		sin, cos := sincos(float32(i)*30 + 10)
		d.ball(cos*166, sin*166, 19, 19, glossy([]rgb{signalRed, brass, signalRed, white}[i%4]))
	}
	d.placed(1.3, 0, 190, func() { putBow(d, 0, 0, signalRed) })
}

func drawSnowGlobe(d *drawing) {
	d.lathe(body(0, "130,150 150,170 170,240 176,256"), wood(mix(d.c, walnut, 0.6)), 0.2)
	d.ball(0, 0, 190, 186, glossy(rgb{206, 226, 240}))
	d.fillEven(shape("-170,80! -80,60 40,90 170,76! 110,150 0,184 -110,150"), matte(white), 1)
	for _, p := range [][3]float32{{-70, 90, 1}, {70, 96, 0.8}, {0, 70, 1.2}} {
		for k := range 3 {
			y := p[1] - float32(k)*36*p[2]
			w := (56 - float32(k)*13) * p[2]
			d.soft(poly(p[0], y-66*p[2], p[0]+w, y, p[0]-w, y), matte(leafDark.lighter(0.1*float32(k))), 9)
		}
	}

	for i := range 40 {
		sin, cos := sincos(float32(i) * 137.5)
		r := 27 * sqrt(float32(i))
		d.fillEven(ellipse(cos*r, sin*r-10, 5, 5), matte(white), 1)
	}
	d.fillEven(shape("-140,-70 -90,-140 -30,-160 -70,-120 -110,-50"), matte(white).faded(0.6), 1)
}

func drawSantaHat(d *drawing) {
	s := plush(d.c)
	d.soft(shape("-180,110! -150,-60 -40,-200 110,-220 220,-130 260,20 250,90! 200,-30 150,-60 190,110! 0,80"), s, 60,
		crease(16, 0.4, 150, -60, 60, -20, 20, 60))
	d.soft(rounded(-210, 80, 430, 92, 44), plush(white), 38)
	d.soft(ellipse(254, 110, 60, 58), plush(white), 42)
}

func drawMask(d *drawing) {
	d.lay()
	for i := range 5 {
		d.turned(float32(i)*16-20, 150, -60, func() {
			d.soft(shape("150,-60 180,-200 160,-330! 126,-200"), satin(mix(d.c, d.second, float32(i%2))), 10,
				crease(4, 0.5, 150, -70, 158, -320))
		})
	}
	eyes := ellipse(-110, 10, 58, 36).turn(10, -110, 10).with(ellipse(110, 10, 58, 36).turn(-10, 110, 10))
	d.soft(shape("-250,-70! -120,-100 0,-60 120,-100 250,-70! 220,60 120,120 40,80 0,130 -40,80 -120,120 "+
		"-220,60").without(eyes), satin(d.c), 40)
	d.stitches(dense(curveThrough(-240, -60, -120, -86, 0, -46, 120, -86, 240, -60), 5), 8, brass)
	d.ball(0, -40, 20, 26, glossy(d.second))
}

func drawFirework(d *drawing) {
	d.turned(14, 0, 0, func() {
		for i, x := range []float32{-100, 0, 100} {
			t := []rgb{d.c, sunny, palette["blue"]}[(i+d.Style)%3]
			d.rod(x, 100, x, 330, 9, wood(beech))
			b := turnedBody{x, []point{{40, -160}, {40, 130}}}
			d.lathe(b, satin(t), 0.2)
			d.latheOn(b.part(-100, -80, 0.2), b, matte(white))
			d.latheOn(b.part(80, 100, 0.2), b, matte(white))
			d.fillEven(star(x, 0, 30), matte(white), 1)
			d.lathe(turnedBody{x, []point{{2, -270}, {48, -160}}}, satin(t.darker(0.2)), 0.2)
		}
	})
}

func drawSparklers(d *drawing) {
	for i, a := range []float32{-16, 4, 24} {
		d.turned(a, 0, 300, func() {
			d.rod(0, -80, 0, 290, 6, metal(steel))
			d.rod(0, -230, 0, -60, 13, stone(greyTone))
			for k := range 28 {
				sin, cos := sincos(float32(k) * 12.9 * float32(i+1))
				r := 30 + float32((k*37)%70)
				d.line([]point{{cos * 16, -236 + sin*16}, {cos * r, -236 + sin*r}}, 4, mix(sunny, amber,
					float32(k%2)), 0.95)
			}
			d.ball(0, -236, 22, 22, matte(rgb{255, 250, 220}))
		})
	}
}

func drawGiftBag(d *drawing) {
	c := newCamera(28, 12)
	d.tube(curveThrough(50, -350, 60, -450, 140, -460, 160, -390), 9, cloth(d.second))
	d.box(c, 0, 0, 0, 270, 350, 110, cardboard(d.c))
	p := c.at(70, 350, 0)
	d.tube(curveThrough(p.x, p.y+20, p.x+10, p.y-100, p.x+120, p.y-80, p.x+124, p.y+52), 9, cloth(d.second))
	plane := func(q path) path { return c.onFront(q, 0, 350, 0) }
	for i := range 20 {
		d.fillEven(plane(star(34+float32(i%4)*66+float32(i/4%2)*20, 40+float32(i/4)*68, 16)),
			matte(d.second).faded(0.8), 1)
	}
}

func drawGiftBox(d *drawing) {
	c := newCamera(28, 20)
	d.box(c, 0, 0, 0, 280, 210, 240, cardboard(d.c))
	d.box(c, -8, 210, -8, 296, 46, 256, cardboard(d.c.lighter(0.06)))
	ribbon := satin(d.second)
	d.flat(c.onFront(rect(116, 0, 48, 256), 0, 256, -9), ribbon, 1.05, 0.95)
	d.flat(c.onRight(rect(100, 0, 48, 256), 289, 256, -4), ribbon, 0.8, 0.72)
	d.flat(c.onTop(rect(116, -8, 48, 256), 0, 257, 0), ribbon, 1.15, 1.1)
	d.flat(c.onTop(rect(-8, 100, 296, 48), 0, 257, 0), ribbon, 1.15, 1.1)
	p := c.at(140, 262, 124)
	d.placed(1.15, p.x, p.y-10, func() { putBow(d, 0, 0, d.second) })
}

func drawGiftPaper(d *drawing) {
	for i, x := range []float32{80, -40, -130} {
		t := []rgb{d.c, d.second, kraft}[i]
		d.turned(float32(i)*-9+6, x, 200, func() {
			b := turnedBody{x, []point{{44, -260}, {44, 240}}}
			d.lathe(b, satin(t), 0.24)
			for k := range 7 {
				d.latheOn(star(x+float32(k%2)*26-12, -200+float32(k)*64, 20), b, matte(t.contrast()).faded(0.8))
			}
			d.flat(ellipse(x, -260, 44, 10.6), matte(white), 1, 1)
			d.flat(ellipse(x, -260, 30, 7), cardboard(kraft), 0.7, 1)
		})
	}
}

func drawBow(d *drawing) {
	d.lay()
	s := satin(d.c)
	for _, a := range []float32{30, -30} {
		d.turned(a, 0, 20, func() { d.soft(shape("-34,20! 34,20! 40,240! 0,200! -40,240!"), s, 12) })
	}
	for i := range 8 {
		d.turned(float32(i)*45+10, 0, 0, func() {
			d.soft(shape("0,0! -56,-90 -46,-180 0,-200 46,-180 56,-90"), s, 34, crease(10, 0.5, 0, -10, 0, -150))
		})
	}
	d.ball(0, 0, 46, 44, s)
}

func drawGreetingCard(d *drawing) {
	d.flat(poly(-150, -200, -120, -216, -120, 226, -150, 200), matte(d.c.darker(0.15)), 1, 0.9)
	d.soft(poly(-120, -216, 180, -200, 180, 210, -120, 226), matte(d.c), 4)
	putEmblem(d, 30, -60, 90, []rgb{signalRed, leaf, palette["navy"], palette["terracotta"]}[d.one(4)])
	d.words(d.Label, 30, 110, 210, charcoal)
}
