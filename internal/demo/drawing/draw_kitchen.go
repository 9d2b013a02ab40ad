package drawing

func kitchenKinds() map[string]design {
	return map[string]design{
		"frying pan": plain(drawFryingPan, charcoal), "saucepan": plain(drawSaucepan, steel),
		"casserole": plain(drawCasserole, palette["red"]), "steamer": plain(drawSteamer, steel),
		"plate": plain(drawPlate, white), "plate stack": plain(drawPlateStack, white), "bowl": plain(drawBowl, skyBlue),
		"mug": plain(drawMug, palette["terracotta"]), "cup and saucer": plain(drawCupAndSaucer, white),
		"travel mug": plain(drawTravelMug, palette["green"]), "glass": plain(drawTumbler, skyBlue),
		"wine glass": plain(drawWineGlass, skyBlue), "jug": plain(drawJug, white), "kettle": plain(drawKettle, steel),
		"teapot": plain(drawTeapot, white), "french press": plain(drawFrenchPress, steel),
		"toaster": plain(drawToaster, palette["red"]), "blender": plain(drawBlender, charcoal),
		"hand blender": plain(drawHandBlender, white), "mixer": plain(drawMixer, palette["pink"]),

		"coffee maker": plain(drawCoffeeMaker, charcoal), "multicooker": plain(drawMulticooker, white),
		"meat grinder": plain(drawMeatGrinder, steel), "waffle iron": plain(drawWaffleIron, charcoal),
		"coffee pot": plain(drawCezve, copper), "knife": plain(drawKnife, charcoal),
		"knife block": plain(drawKnifeBlock, oak), "scissors": plain(drawScissors, signalRed),
		"cutting board": plain(drawCuttingBoard, oak), "grater": plain(drawGrater, steel),
		"peeler": plain(drawPeeler, charcoal), "whisk": plain(drawWhisk, steel), "spatula": plain(drawSpatula, oak),
		"rolling pin": plain(drawRollingPin, beech), "baking tin": plain(drawBakingTin, charcoal),
		"sieve": plain(drawSieve, steel), "spoon": plain(drawSpoon, steel), "fork": plain(drawFork, steel),
		"cutlery": plain(drawCutlery, steel), "ladle": plain(drawLadle, steel), "chopsticks": plain(drawChopsticks,
			walnut),

		"food container": plain(drawFoodContainer, skyBlue), "storage jar": plain(drawStorageJar, oak),
		"bread bin": plain(drawBreadBin, oak), "flask": plain(drawFlask, palette["green"]),
		"water bottle":   plain(drawSportsBottle, palette["blue"]),
		"vacuum cleaner": plain(drawVacuum, palette["red"]), "robot vacuum": plain(drawRobotVacuum, white),
		"iron": plain(drawIron, palette["blue"]), "fan": plain(drawFan, white), "heater": plain(drawHeater, white),
		"humidifier": plain(drawHumidifier, white), "washing machine": plain(drawWashingMachine, white),
		"mop": plain(drawMop, palette["blue"]), "bucket": plain(drawBucket, palette["blue"]),
		"rubber gloves": plain(drawRubberGloves, sunny), "sponge": plain(drawSponge, sunny),
		"dustpan": plain(drawDustpan, palette["green"]), "bin bags": plain(drawBinBags, charcoal),
	}
}

func drawFryingPan(d *drawing) {
	d.lay()
	inner := d.c.darker(0.35)
	d.turned(-35, 0, 0, func() {
		d.soft(shape("-22,160! 22,160! 26,300 30,430 0,446 -30,430 -26,300"), []surface{satin(charcoal),
			wood(beech), wood(walnut), metal(steel)}[d.one(4)], 12)
		d.fillEven(ellipse(0, 420, 9, 13), matte(rgb{226, 224, 220}), 0.85)
		d.flat(rounded(-18, 140, 36, 60, 6), metal(steel), 1.1, 0.9)
	})
	d.ball(0, 0, 200, 200, satin(d.c))
	d.flat(ellipse(0, 0, 190, 190), satin(d.c.lighter(0.18)), 1.1, 0.9)
	d.flat(ellipse(0, 0, 178, 178), stone(inner), 0.8, 1.25)
	d.flat(ellipse(0, 4, 150, 150), stone(inner.lighter(0.05)), 1.2, 0.98)
}

func putPotSurface(d *drawing) surface {
	if d.material == glazed || d.known && distance(d.c, steel) > 150 {
		return glossy(d.c)
	}
	return metal(mix(d.c, steel, 0.5))
}

// putLid draws the lid of a pot.
func putLid(d *drawing, y, r float32, s surface, see bool) {
	if see {
		d.flat(ellipse(0, y, r, r*0.26), glossy(skyBlue.lighter(0.4)).faded(0.5), 1.3, 0.9)
		d.lathe(turnedBody{0, curve(f("%g,%g %g,%g %g,%g", r*0.2, y-50, r*0.7, y-32, r, y))},
			glossy(skyBlue.lighter(0.5)).faded(0.55), 0.1)
	} else {
		d.lathe(turnedBody{0, curve(f("%g,%g %g,%g %g,%g", r*0.16, y-54, r*0.66, y-38, r, y-4))}, s, 0.12)
	}
	d.lathe(body(0, f("22,%g 26,%g 10,%g", y-84, y-72, y-50)), satin(charcoal), 0.3)
}

func drawSaucepan(d *drawing) {
	s := putPotSurface(d)
	d.soft(shape("150,-70! 160,-86 330,-104 360,-96 356,-70 170,-44! 150,-46!"), satin(charcoal), 14)
	b := body(0, "160,-90 160,60 150,92 140,96")
	d.lathe(b, s, 0.24)
	putLid(d, -92, 162, s, d.one(2) == 0)
}

func drawCasserole(d *drawing) {
	s := putPotSurface(d)
	for _, x := range []float32{-1, 1} {
		d.tube(curveThrough(x*186, -50, x*240, -56, x*240, -14, x*188, -8), 22, s)
	}
	b := body(0, "196,-80 200,-70 198,50 186,96 160,108")
	d.lathe(b, s, 0.22)
	d.latheOn(b.part(-78, -66, 0.22), b, metal(s.colour.darker(0.2)))
	putLid(d, -80, 200, s, false)
}

func drawSteamer(d *drawing) {
	s := putPotSurface(d)
	for i := range 3 {
		y := 80 - float32(i)*96
		b := turnedBody{0, curve(f("170,%g 170,%g 160,%g", y-80, y, y+14))}
		for _, x := range []float32{-1, 1} {
			d.tube(curveThrough(x*166, y-50, x*206, y-54, x*206, y-24, x*168, y-20), 14, satin(charcoal))
		}
		d.lathe(b, s, 0.2)
	}
	putLid(d, -200, 172, s, true)
}

func drawPlate(d *drawing) {
	d.lay()
	s := d.made(glossy)
	d.ball(0, 0, 220, 220, s)
	d.flat(ellipse(0, 0, 214, 214), s, 1.06, 0.97)

	switch d.one(4) {
	case 0:
		d.fillEven(ellipse(0, 0, 210, 210).without(ellipse(0, 0, 203, 203)), matte(d.second), 1)
	case 1:
		for i := range 24 {
			sin, cos := sincos(float32(i) * 15)
			d.fillEven(ellipse(cos*182, sin*182, 8, 8), matte(d.second).faded(0.8), 1)
		}
	case 2:
		for i := range 12 {
			sin, cos := sincos(float32(i) * 30)
			d.turned(float32(i)*30, cos*180, sin*180, func() {
				d.fillEven(shape(f("%g,%g! %g,%g %g,%g! %g,%g", cos*180, sin*180-24, cos*180+9, sin*180, cos*180,
					sin*180+24, cos*180-9, sin*180)), matte(leaf).faded(0.85), 1)
			})
		}
	}
	d.flat(ellipse(0, 2, 146, 146), s, 0.8, 1.1)
	d.flat(ellipse(0, 4, 136, 136), s, 1.0, 1.05)
}

func drawPlateStack(d *drawing) {
	s := d.made(glossy)
	for i := range 5 {
		y := 80 - float32(i)*24
		r := float32(210)
		if i > 2 {
			r = 160
		}
		b := turnedBody{0, curve(f("%g,%g %g,%g %g,%g", r, y, r*0.8, y+22, r*0.5, y+30))}
		d.lathe(b, s, 0.26)
		d.flat(ellipse(0, y, r, r*0.26), s, 1.12, 1)
		d.fillEven(ellipse(0, y, r*0.97, r*0.25).without(ellipse(0, y, r*0.94, r*0.24)), matte(d.second), 1)
		d.flat(ellipse(0, y+3, r*0.7, r*0.17), s, 0.88, 1.1)
	}
}

func drawBowl(d *drawing) {
	s := d.made(glossy)
	b := body(0, "200,-70 190,-10 150,70 100,110 84,122")
	d.lathe(turnedBody{0, []point{{86, 116}, {90, 136}}}, s, 0.2)
	d.latheOn(b.outlinePath(0.26), b, s)
	if d.one(2) == 1 {
		d.latheOn(b.part(-30, -14, 0.26), b, matte(d.second))
		d.latheOn(b.part(0, 6, 0.26), b, matte(d.second))
	}
	d.opening(0, -70, 200, 0.26, s, mix(s.colour, white, 0.55))
}

func putMugSurface(d *drawing) surface {
	if d.material == glassy || d.material == metallic {
		return d.made(glossy)
	}
	return glossy(d.c)
}

func drawMug(d *drawing) {
	s := putMugSurface(d)
	h := d.between(230, 280)
	d.tube(curveThrough(110, h*0.2, 190, h*0.16, 204, h*0.5, 170, h*0.76, 106, h*0.78), 28, s)
	outline := []string{"124,0 124,%[1]g 112,%[2]g", "132,0 120,%[1]g 96,%[2]g", "112,0 130,%[1]g 110,%[2]g",
		"128,0 128,%[1]g 120,%[2]g"}[d.one(4)]
	b := turnedBody{0, curve(f(outline, h*0.84, h))}
	d.lathe(b, s, 0.22)

	switch d.one(4) {
	case 1:
		d.latheOn(b.part(h*0.6, h, 0.22), b, matte(d.second))
	case 2:
		d.fillEven(shape(f("0,%[1]g! 46,%[2]g 62,%[3]g 0,%[4]g! -62,%[3]g -46,%[2]g", h*0.42, h*0.32, h*0.52,
			h*0.8)), matte(d.second), 1)
	}
	d.opening(0, 0, b.outline[0].x, 0.22, s, rgb{74, 48, 34})
}

func drawCupAndSaucer(d *drawing) {
	s := putMugSurface(d)
	d.lathe(body(0, "210,96 150,124 90,130"), s, 0.24)
	d.flat(ellipse(0, 96, 210, 50), s, 1.12, 1)
	d.fillEven(ellipse(0, 96, 205, 49).without(ellipse(0, 96, 199, 47)), matte(d.second), 1)
	d.flat(ellipse(0, 100, 120, 28), s, 0.85, 1)
	d.tube(curveThrough(116, -60, 186, -80, 186, -10, 92, 30), 20, s)
	b := body(0, "136,-84 130,-30 96,50 60,84 56,100")
	d.lathe(b, s, 0.24)
	d.latheOn(b.part(-78, -72, 0.24), b, matte(d.second))
	d.opening(0, -84, 136, 0.24, s, rgb{150, 86, 44})
}

func drawTravelMug(d *drawing) {
	b := body(0, "86,-110 92,-100 76,170 70,184")
	d.lathe(b, d.made(metal), 0.2)
	d.latheOn(b.part(-20, 80, 0.2), b, satin(d.c.darker(0.3)))
	d.lathe(body(0, "80,-150 90,-142 92,-104"), satin(charcoal), 0.2)
	d.soft(rounded(-18, -170, 54, 22, 8), satin(charcoal.lighter(0.1)), 8)
}

func putGlassTint(d *drawing) rgb { return mix(mix(d.c, skyBlue, 0.6), white, 0.6) }

func drawTumbler(d *drawing) {
	glass := func(x, y, fill float32, tone rgb) {
		b := turnedBody{x, []point{{84, y - 120}, {64, y + 120}}}
		d.flat(ellipse(x, y-120, 84, 18), matte(white).faded(0.35), 1.1, 1)
		d.glass(b, putGlassTint(d), 0.2)
		inner := turnedBody{x, []point{{76, y - 120}, {58, y + 100}}}
		d.latheOn(inner.part(y-fill, y+98, 0.2), inner, glossy(tone).faded(0.72))
		d.flat(ellipse(x, y-fill, 72, 15), matte(tone.lighter(0.2)).faded(0.85), 1.1, 1)
		d.gleam(b, 0.6)
	}
	tones := []rgb{amber, {190, 60, 70}, {210, 224, 230}, {226, 190, 90}}
	glass(96, -30, 60, tones[(d.Style+2)%4])
	glass(-60, 20, 40, tones[d.one(4)])
}

func drawWineGlass(d *drawing) {
	for _, x := range []float32{110, -70} {
		b := body(x, "62,-220 78,-150 84,-90 60,-20 14,10")
		d.flat(ellipse(x, 210, 74, 17), matte(putGlassTint(d)).faded(0.5), 1.2, 0.8)
		d.fillEven(ellipse(x, 210, 74, 17).without(ellipse(x, 208, 68, 14)), matte(greyTone).faded(0.5), 1)
		d.latheOn(body(x, "10,4 6,40 6,180 24,206").outlinePath(0.1), body(x, "10,4 6,40 6,180 24,206"),
			glossy(rgb{214, 224, 230}).faded(0.7))
		d.glass(b, putGlassTint(d), 0.2)
		inner := body(x, "70,-120 76,-86 54,-22 12,2")
		wine := []rgb{{120, 24, 44}, {236, 214, 130}, {226, 130, 130}, {120, 24, 44}}[d.one(4)]
		d.latheOn(inner.outlinePath(0.18), inner, glossy(wine).faded(0.82))
		d.flat(ellipse(x, -120, 70, 13), matte(wine.lighter(0.15)), 1.1, 0.95)
		d.gleam(b, 0.55)
	}
}

func drawJug(d *drawing) {
	s := d.made(glossy)
	b := body(0, "70,-160 66,-110 110,10 120,90 90,170 80,176")
	d.tube(curveThrough(64, -120, 170, -130, 180, 10, 104, 76), 24, s)
	if d.material == glassy {
		d.glass(b, putGlassTint(d), 0.2)
		inner := body(0, "96,-20 112,90 84,160")
		d.latheOn(inner.outlinePath(0.16), inner, glossy(rgb{240, 206, 100}).faded(0.7))
		d.gleam(b, 0.6)
		return
	}
	d.lathe(b, s, 0.2)
	d.opening(0, -160, 70, 0.22, s, s.colour.darker(0.5))
	d.soft(shape("-66,-164! -106,-190! -60,-120!"), s, 8)
}

func drawKettle(d *drawing) {
	s := d.made(metal)
	d.lathe(body(0, "130,160 136,166 136,186"), satin(charcoal), 0.2)
	d.soft(shape("90,-150! 170,-160 200,-120 196,40 170,90! 150,80! 164,30 160,-90 140,-116 96,-112!"),
		satin(charcoal), 16)
	d.soft(shape("-96,-70! -170,-126! -178,-112 -112,20!"), s, 12)
	b := body(0, "84,-150 112,-60 128,60 132,150 124,164")

	if d.material == glassy {
		d.glass(b, putGlassTint(d), 0.2)
		inner := body(0, "112,-10 124,150")
		d.latheOn(inner.outlinePath(0.18), inner, glossy(rgb{190, 220, 236}).faded(0.6))
		d.gleam(b, 0.6)
	} else {
		d.lathe(b, s, 0.2)
		d.soft(rounded(-20, -20, 26, 130, 12), glossy(skyBlue.lighter(0.4)), 8)
	}
	d.lathe(body(0, "30,-186 80,-172 88,-150"), satin(charcoal), 0.16)
	d.ball(0, -190, 18, 14, satin(charcoal))
}

func drawTeapot(d *drawing) {
	s := d.made(glossy)
	d.tube(curveThrough(130, -60, 230, -80, 236, 40, 130, 84), 24, s)
	d.soft(shape("-120,70! -190,10 -230,-90 -256,-112! -220,-126 -190,-60 -120,-30!"), s, 22)
	b := body(0, "70,-104 130,-60 160,20 140,100 90,134 84,146")
	d.lathe(b, s, 0.18)
	d.lathe(body(0, "14,-150 60,-132 76,-106"), s, 0.2)
	d.ball(0, -160, 20, 18, s)
	if d.one(2) == 0 {
		for i := range 5 {
			putFlowerPrint(d, float32(i-2)*54, 20+float32(i%2)*36, 18)
		}
	}
}

// putFlowerPrint draws a printed flower.
func putFlowerPrint(d *drawing, x, y, r float32) {
	for i := range 5 {
		sin, cos := sincos(float32(i) * 72)
		d.fillEven(ellipse(x+cos*r*0.6, y+sin*r*0.6, r*0.5, r*0.5), matte(d.second).faded(0.85), 1)
	}
	d.fillEven(ellipse(x, y, r*0.36, r*0.36), matte(sunny), 1)
}

func drawFrenchPress(d *drawing) {
	b := body(0, "90,-110 90,150")
	d.glass(b, putGlassTint(d), 0.2)
	inner := body(0, "84,-30 84,142")
	d.latheOn(inner.outlinePath(0.2), inner, glossy(rgb{66, 40, 28}).faded(0.94))
	d.gleam(b, 0.5)
	for _, y := range []float32{-70, 120} {
		d.latheOn(turnedBody{0, []point{{93, y}, {93, y + 14}}}.part(y, y+14, 0.2), turnedBody{0, []point{{93, y},
			{93, y + 14}}}, metal(mix(d.c, steel, 0.4)))
	}
	d.tube(curveThrough(92, -64, 170, -70, 174, 110, 94, 124), 22, satin(charcoal))
	d.lathe(body(0, "30,-144 88,-130 94,-108"), metal(mix(d.c, steel, 0.4)), 0.2)
	d.rod(0, -210, 0, -140, 8, metal(steel))
	d.ball(0, -216, 18, 18, satin(charcoal))
}

func drawToaster(d *drawing) {
	c := newCamera(20, 18)
	s := d.made(glossy)
	for _, x := range []float32{70, 220} {
		p := c.at(x, 190, 80)
		d.soft(rounded(p.x-10, p.y-66, 110, 120, 26), matte(rgb{216, 160, 96}), 14)
		d.soft(rounded(p.x, p.y-56, 90, 110, 20), matte(rgb{242, 212, 160}), 6)
	}
	d.roundBox(c, 0, 0, 0, 380, 210, 160, 54, s)
	for _, z := range []float32{40, 96} {
		d.fillEven(c.onTop(rounded(50, z, 280, 20, 6), 0, 210, 0), matte(nearBlack), 1)
	}
	d.flat(c.onFront(rounded(10, 176, 360, 30, 8), 0, 210, 0), metal(steel), 1, 0.9)
	p := c.at(392, 120, 60)
	d.soft(rounded(p.x-10, p.y-14, 44, 30, 8), satin(charcoal), 8)
}

func drawBlender(d *drawing) {
	s := d.made(satin)
	d.lathe(body(0, "86,90 100,120 120,220 122,232"), s, 0.2)
	d.ball(0, 172, 26, 24, metal(steel))
	b := body(0, "106,-190 100,-100 82,80 76,92")
	d.tube(curveThrough(102, -150, 186, -150, 186, 40, 88, 50), 22, satin(charcoal))
	d.glass(b, putGlassTint(d), 0.18)
	inner := body(0, "92,-60 76,76")
	d.latheOn(inner.outlinePath(0.18), inner, glossy([]rgb{{214, 70, 90}, {130, 180, 80}, {236, 160, 70}, {150, 90,
		160}}[d.one(4)]).faded(0.85))
	d.gleam(b, 0.6)
	d.lathe(body(0, "60,-230 104,-216 110,-190"), satin(charcoal), 0.2)
}

func drawHandBlender(d *drawing) {
	s := d.made(satin)
	d.turned(16, 0, 0, func() {
		d.lathe(body(0, "20,-250 40,-230 42,-90 34,-40 30,-30"), s, 0.2)
		d.soft(rounded(-12, -180, 24, 60, 12), rubber(charcoal), 8)
		d.lathe(body(0, "26,-30 22,0 20,170 60,220 62,240"), metal(steel), 0.2)
	})
	b := turnedBody{150, []point{{76, 60}, {62, 236}}}
	d.glass(b, putGlassTint(d), 0.2)
}

func drawMixer(d *drawing) {
	s := d.made(glossy)
	d.soft(shape("-60,176 -20,160! 190,160! 214,190 200,206! -60,206!"), s, 14)
	d.soft(shape("96,170! 110,0 120,-60! 190,-60! 196,60 190,170!"), s, 26)
	d.rod(-60, -30, -60, 70, 14, metal(steel))
	d.soft(shape("-60,30 -96,70 -60,130 -24,70").without(shape("-60,46 -84,74 -60,118 -36,74")), metal(steel), 6)
	b := body(-60, "120,40 112,110 74,160 60,172")
	d.lathe(b, metal(steel), 0.2)
	d.opening(-60, 40, 120, 0.2, metal(steel), steel.darker(0.4))
	d.soft(shape("-190,-80 -160,-130 60,-150 180,-130 210,-80 190,-40 -40,-26 -160,-40"), s, 46)
	d.soft(ellipse(-176, -84, 18, 26), metal(steel), 10)
	d.ball(196, -84, 14, 14, metal(steel))
}

func drawCoffeeMaker(d *drawing) {
	c := newCamera(22, 14)
	s := d.made(satin)
	d.box(c, 0, 0, 0, 260, 40, 250, s)
	d.box(c, 0, 40, 140, 260, 210, 110, s)
	p := c.at(120, 44, 70)
	b := turnedBody{p.x, curve(f("52,%g 74,%g 70,%g", p.y-120, p.y-60, p.y))}

	if d.one(2) == 0 {
		d.glass(b, putGlassTint(d), 0.2)
		inner := turnedBody{p.x, curve(f("70,%g 66,%g", p.y-60, p.y-4))}
		d.latheOn(inner.outlinePath(0.2), inner, glossy(rgb{60, 36, 26}))
		d.gleam(b, 0.5)
		d.tube(curveThrough(p.x-64, p.y-90, p.x-120, p.y-90, p.x-116, p.y-20, p.x-68, p.y-20), 14, satin(charcoal))
	} else {
		d.lathe(turnedBody{p.x, curve(f("40,%g 42,%g 34,%g", p.y-74, p.y-40, p.y))}, glossy(white), 0.24)
		d.opening(p.x, p.y-74, 40, 0.24, glossy(white), rgb{80, 50, 36})
		d.rod(p.x, p.y-160, p.x, p.y-120, 34, metal(steel))
	}

	d.roundBox(c, 0, 240, 0, 260, 110, 250, 18, s)
	d.fillEven(c.onFront(rounded(30, 26, 90, 44, 6), 0, 350, 0), matte(nearBlack), 1)
	d.fillEven(c.onFront(rounded(40, 36, 50, 8, 3), 0, 350, 0), matte(rgb{120, 210, 230}), 1)
	for i := range 3 {
		q := c.at(160+float32(i)*32, 302, 0)
		d.ball(q.x, q.y, 11, 11, metal(steel))
	}
}

func drawMulticooker(d *drawing) {
	s := d.made(satin)
	b := body(0, "186,-60 196,-20 190,110 160,156 150,166")
	d.lathe(b, s, 0.2)
	d.lathe(body(0, "60,-150 160,-110 190,-60 192,-50"), s, 0.16)
	d.tube(curveThrough(-90, -130, 0, -196, 90, -130), 20, satin(charcoal))
	d.fillEven(rounded(-84, 10, 168, 110, 16), matte(nearBlack), 1)
	d.words("00:45", 0, 44, 90, rgb{130, 220, 240})
	for i := range 6 {
		d.ball(-60+float32(i)*24, 92, 7, 7, satin(greyTone))
	}
}

func drawMeatGrinder(d *drawing) {
	s := d.made(satin)
	d.soft(rounded(-80, -60, 250, 230, 34), s, 20)
	d.lathe(body(-40, "90,-210 96,-196 40,-150 36,-60"), metal(steel), 0.2)
	d.turned(90, -80, 10, func() { d.lathe(body(-80, "46,10 52,40 56,96"), metal(steel), 0.3) })
	d.ball(-178, 10, 30, 52, metal(steel))
	for i := range 7 {
		sin, cos := sincos(float32(i) * 51)
		d.fillEven(ellipse(-180+cos*14, 10+sin*28, 4, 6), matte(charcoal), 1)
	}
	d.ball(110, 50, 34, 34, metal(steel))
}

func drawWaffleIron(d *drawing) {
	s := d.made(satin)
	d.soft(shape("-190,-210! 190,-210! 206,-190 200,30! -200,30! -206,-190"), s, 16)
	d.flat(rounded(-170, -186, 340, 196, 8), metal(charcoal.lighter(0.15)), 1, 0.8)
	for i := range 8 {
		for k := range 4 {
			d.soft(rounded(-162+float32(i)*41, -178+float32(k)*46, 33, 38, 4), satin(charcoal), 4)
		}
	}

	d.soft(shape("-200,30! 200,30! 240,150 226,176! -226,176! -240,150"), s, 14)
	d.soft(poly(-176, 44, 176, 44, 200, 126, -200, 126), matte(rgb{214, 160, 90}), 6)
	for i := range 9 {
		x := -176 + float32(i)*44
		d.line([]point{{x, 46}, {x * 1.13, 124}}, 4, rgb{170, 112, 54}, 0.8)
	}
	for y := float32(60); y < 124; y += 20 {
		d.line([]point{{-188, y}, {188, y}}, 4, rgb{170, 112, 54}, 0.8)
	}
}

func drawCezve(d *drawing) {
	d.turned(-28, 80, -80, func() { d.lathe(body(80, "10,-330 14,-300 14,-110"), wood(walnut), 0.2) })
	s := metal(mix(d.c, copper, 0.6))
	d.lathe(body(0, "76,-110 70,-80 64,-50 100,40 108,110 96,130"), s, 0.22)
	d.opening(0, -110, 76, 0.24, s, rgb{66, 42, 30})
	d.soft(shape("-70,-116! -100,-130! -64,-84!"), s, 8)
}

func drawKnife(d *drawing) {
	d.lay()
	handle := d.made(satin)
	wide := d.between(46, 78)
	d.turned(-28, 0, 0, func() {
		d.flat(shape(f("-60,-20! 240,-22! 330,%[1]g! 200,%[2]g -60,%[2]g!", 14.0, wide-8)), metal(steel), 1.2, 0.95)
		d.fillEven(shape(f("-60,%[1]g! 200,%[1]g 330,14! 200,%[2]g -60,%[2]g!", wide-24, wide-8)), matte(rgb{226,
			230, 234}), 1)
		d.line([]point{{-60, -20}, {240, -22}}, 3, charcoal, 0.4)
		d.flat(rounded(-84, -26, 30, wide+10, 5), metal(steel), 1, 0.8)
		d.soft(shape("-80,-24! -180,-26 -270,-22 -290,10 -270,36! -180,26 -80,32!"), handle, 18)
		for _, x := range []float32{-120, -180, -240} {
			d.ball(x, 2, 8, 8, metal(brass))
		}
	})
}

func drawKnifeBlock(d *drawing) {
	c := newCamera(30, 16)
	s := wood(mix(d.c, oak, 0.5))
	for i := range 5 {
		p := c.at(36+float32(i%3)*54, 236, 50+float32(i/3)*70)
		d.turned(10, p.x, p.y, func() {
			d.rod(p.x, p.y+10, p.x, p.y-16, 14, metal(steel))
			d.soft(rounded(p.x-14, p.y-110+float32(i%2)*20, 28, 100, 10), satin(charcoal), 10)
			d.ball(p.x, p.y-80+float32(i%2)*20, 4, 4, metal(brass))
			d.ball(p.x, p.y-40+float32(i%2)*20, 4, 4, metal(brass))
		})
	}
	d.box(c, 0, 0, 0, 190, 230, 180, s)
	d.fillEven(c.onFront(rounded(64, 150, 62, 26, 4), 0, 230, 0), matte(s.colour.darker(0.4)).faded(0.6), 1)
}

func drawScissors(d *drawing) {
	d.lay()
	s := satin(d.c)
	d.turned(-20, 0, 0, func() {
		for _, side := range []float32{1, -1} {
			d.turned(side*9, 0, 0, func() {
				d.flat(shape(f("%g,-10! %g,-230! %g,-250 %g,-10!", side*22, side*6, side*-2, side*-12)),
					metal(steel), 1.2, 0.9)
				d.soft(shape(f("%g,0! %g,10! %g,90 %g,180 %g,230 %g,200 %g,110 %g,60", side*-20, side*16, side*-10,
					side*-10, side*-56, side*-96, side*-84, side*-40)).
					without(ellipse(side*-52, 160, 24, 44)), s, 12)
			})
		}
		d.ball(0, 0, 14, 14, metal(steel))
	})
}

func drawCuttingBoard(d *drawing) {
	d.lay()
	d.turned(-14, 0, 0, func() {
		if d.one(2) == 0 {
			d.soft(rounded(-250, -160, 500, 320, 26).without(rounded(170, -40, 40, 80, 20)), d.made(wood), 9)
		} else {
			d.soft(shape("-140,-170 140,-170 150,150 130,200 40,210! 36,330 0,346 -36,330 -40,210! -130,200 "+
				"-150,150").without(ellipse(0, 310, 14, 14)), d.made(wood), 9)
		}
		d.line([]point{{-110, -120}, {90, -120}, {90, 110}, {-110, 110}, {-110, -120}}, 6, d.c.darker(0.3), 0.35)
	})
}

func drawGrater(d *drawing) {
	s := metal(steel)
	d.tube(curveThrough(-60, -200, 0, -262, 60, -200), 20, satin(d.second))
	d.flat(poly(70, -200, 110, -190, 150, 190, 110, 210), s, 0.8, 0.6)
	d.flat(poly(-70, -200, 70, -200, 110, 210, -110, 210), s, 1.12, 0.92)
	for y := range 12 {
		for x := range 6 {
			cx := (float32(x) - 2.5) * (21 + float32(y)*0.9)
			cy := -160 + float32(y)*30
			d.fillEven(ellipse(cx, cy+2, 6, 4), matte(charcoal), 1)
			d.fillEven(ellipse(cx, cy-1, 6, 2.4), matte(white), 1)
		}
	}
}

func drawPeeler(d *drawing) {
	d.lay()
	d.turned(-40, 0, 0, func() {
		d.tube(curveThrough(-70, -90, -76, -170, 76, -170, 70, -90, 20, -10), 14, metal(steel))
		d.tube(curveThrough(-70, -90, -20, -10), 14, metal(steel))
		d.flat(rounded(-80, -120, 160, 26, 8), metal(steel), 1.2, 0.9)
		d.soft(shape("-30,-20! 30,-20! 36,90 28,220 0,236 -28,220 -36,90"), satin(d.c), 16)
	})
}

func drawWhisk(d *drawing) {
	d.lay()
	d.turned(-38, 0, 0, func() {
		for _, w := range []float32{96, 62, 26} {
			d.tube(curveThrough(-8, 20, -w, -120, -w*0.6, -220, 0, -246, w*0.6, -220, w, -120, 8, 20), 7, metal(steel))
		}
		d.lathe(body(0, "14,10 22,30 24,200 16,236"), d.made(metal), 0.2)
	})
}

func drawSpatula(d *drawing) {
	d.lay()
	s := d.made(satin)
	for i, x := range []float32{-80, 30} {
		d.turned(float32(i)*24-20, x, 0, func() {
			d.lathe(body(x, "9,-40 12,230"), wood(beech), 0.2)
			head := rounded(x-48, -240, 96, 210, 26)
			if i == 0 {
				head = head.without(rounded(x-26, -210, 12, 130, 6), rounded(x-6, -210, 12, 130, 6), rounded(x+14,
					-210, 12, 130, 6))
			}
			d.soft(head, s, 10)
		})
	}
}

func drawRollingPin(d *drawing) {
	d.lay()
	d.turned(58, 0, 0, func() {
		d.lathe(body(0, "12,-270 22,-250 20,-190 14,-180"), d.made(wood), 0.2)
		d.lathe(body(0, "14,180 20,190 22,250 12,270"), d.made(wood), 0.2)
		d.lathe(body(0, "44,-186 48,-176 48,176 44,186"), d.made(wood), 0.16)
	})
}

func drawBakingTin(d *drawing) {
	s := d.made(satin)
	switch d.one(2) {
	case 0:
		d.lathe(body(0, "210,-50 212,-40 176,70 170,76"), s, 0.28)
		d.opening(0, -50, 210, 0.28, s, s.colour.darker(0.3))
		d.flat(ellipse(0, -26, 150, 34), s, 0.8, 1)
	default:
		d.soft(shape("-260,-90! 260,-90! 240,110! 226,124 -226,124 -240,110!"), s, 14)
		d.flat(poly(-246, -92, 246, -92, 220, -20, -220, -20), matte(s.colour.darker(0.3)), 0.8, 1.1)
		d.tube([]point{{-262, -92}, {262, -92}}, 14, s)
	}
}

func drawSieve(d *drawing) {
	d.lay()
	d.turned(-50, 0, 0, func() {
		d.lathe(body(0, "16,150 18,330"), satin(charcoal), 0.2)
		d.ball(0, 0, 150, 150, surface{colour: steel, shine: 0.5, texture: weave(), relief: 0.6})
		d.soft(ellipse(0, 0, 156, 156).without(ellipse(0, 0, 138, 138)), metal(steel), 6)
	})
}

// tool draws a long thing such as a spoon at an angle.
func putSpoonAt(d *drawing, x, angle float32, s surface, tip func()) {
	d.turned(angle, x, 0, func() {
		d.soft(shape(f("%g,-60! %g,-60! %g,100 %g,230 %g,250 %g,230 %g,100", x-8, x+8, x+9, x+20, x, x-20, x-9)), s, 8)
		tip()
	})
}

func putBowlOfSpoon(d *drawing, x float32, s surface) {
	d.soft(shape(f("%g,-240 %g,-190 %g,-110 %g,-56 %g,-110 %g,-190", x, x+52, x+40, x, x-40, x-52)), s, 22)
	d.softUncast(shape(f("%g,-228 %g,-186 %g,-116 %g,-80 %g,-116 %g,-186", x, x+40, x+30, x, x-30, x-40)),
		metal(s.colour.darker(0.12)), 20)
}

func putTines(d *drawing, x float32, s surface) {
	d.soft(shape(f("%g,-150! %g,-150! %g,-90 %g,-56 %g,-56 %g,-90", x-40, x+40, x+34, x+8, x-8, x-34)), s, 8)
	for i := range 4 {
		tx := x - 36 + float32(i)*24
		d.soft(taper([]point{{tx, -140}, {tx, -240}}, 15, 9), s, 5)
	}
}

func putCutlerySurface(d *drawing) surface {
	if d.known && distance(d.c, steel) > 120 {
		return metal(d.c)
	}
	return metal(steel)
}

func drawSpoon(d *drawing) {
	d.lay()
	s := putCutlerySurface(d)
	putSpoonAt(d, 0, 38, s, func() { putBowlOfSpoon(d, 0, s) })
}

func drawFork(d *drawing) {
	d.lay()
	s := putCutlerySurface(d)
	putSpoonAt(d, 0, 38, s, func() { putTines(d, 0, s) })
}

func drawCutlery(d *drawing) {
	d.lay()
	s := putCutlerySurface(d)
	putSpoonAt(d, -120, 0, s, func() { putTines(d, -120, s) })
	putSpoonAt(d, 0, 0, s, func() {
		d.soft(shape("-12,-56! 16,-56! 26,-150 20,-226 2,-250! -14,-150"), s, 8)
	})
	putSpoonAt(d, 120, 0, s, func() { putBowlOfSpoon(d, 120, s) })
}

func drawLadle(d *drawing) {
	d.lay()
	s := putCutlerySurface(d)
	d.turned(30, 0, 0, func() {
		d.soft(stroke(curveThrough(0, 130, 0, -160, 14, -220, 36, -210), 22), s, 8)
		d.ball(0, 170, 92, 74, s)
		d.flat(ellipse(0, 158, 80, 52), metal(steel.darker(0.3)), 0.7, 1.2)
	})
}

func drawChopsticks(d *drawing) {
	d.lay()
	s := d.made(wood)
	d.soft(rounded(-60, 90, 120, 40, 14).turn(-30, 0, 110), glossy(white), 12)
	d.turned(52, 0, 0, func() { d.cone(-14, 260, -14, -260, 20, 8, s) })
	d.turned(60, 0, 0, func() { d.cone(24, 260, 24, -260, 20, 8, s) })
}

func drawFoodContainer(d *drawing) {
	c := newCamera(26, 26)
	d.roundBox(c, 0, 0, 0, 380, 130, 240, 30, glossy(mix(white, d.c, 0.15)))
	for i, t := range []rgb{leaf, signalRed, amber, {230, 210, 160}} {
		d.fillEven(c.onFront(rounded(22+float32(i)*86, 40, 76, 76, 22), 0, 130, 0), matte(t).faded(0.42), 1)
	}
	d.roundBox(c, -8, 128, -8, 396, 26, 256, 12, satin(d.c))
	d.fillEven(c.onTop(rounded(40, 36, 300, 170, 26), 0, 155, 0), satin(d.c.lighter(0.15)), 1.1)
	d.soft(c.onFront(rounded(150, -2, 80, 50, 10), 0, 154, -9), satin(d.c.darker(0.15)), 8)
}

func drawStorageJar(d *drawing) {
	b := body(0, "100,-110 118,-80 120,150 110,170")
	d.glass(b, putGlassTint(d), 0.18)
	inner := body(0, "112,-20 114,150 104,162")
	filling := []rgb{{222, 190, 130}, {120, 76, 52}, {240, 236, 226}, {214, 120, 70}}[d.one(4)]
	d.latheOn(inner.outlinePath(0.18), inner, surface{colour: filling, shine: 0.2, texture: fur(), relief: 0.5})
	d.gleam(b, 0.55)
	d.lathe(body(0, "104,-166 110,-160 110,-112"), wood(mix(d.c, oak, 0.7)), 0.2)
	d.flat(rounded(-60, 20, 120, 70, 8), matte(charcoal), 1.1, 0.9)
	d.words(d.Label, 0, 55, 90, white)
}

func drawBreadBin(d *drawing) {
	c := newCamera(22, 16)
	d.roundBox(c, 0, 0, 0, 440, 220, 240, 60, d.made(wood))
	for i := range 6 {
		d.line([]point{c.at(16, 60+float32(i)*22, 0), c.at(424, 60+float32(i)*22, 0)}, 4, d.c.darker(0.5), 0.4)
	}
	p := c.at(220, 54, -6)
	d.soft(rounded(p.x-60, p.y-10, 120, 22, 10), metal(brass), 8)
}

func drawFlask(d *drawing) {
	b := body(0, "50,-150 84,-110 90,-80 90,190 80,204")
	d.lathe(b, d.made(satin), 0.2)
	d.latheOn(b.part(150, 162, 0.2), b, metal(steel))
	d.lathe(body(0, "56,-250 66,-240 70,-140"), metal(steel), 0.2)
	d.tube(curveThrough(88, -60, 156, -50, 156, 80, 90, 90), 18, satin(charcoal))
}

func drawSportsBottle(d *drawing) {
	b := body(0, "46,-150 80,-110 84,-20 76,20 84,60 84,180 74,196")
	d.lathe(b, d.made(glossy), 0.2)
	d.lathe(body(0, "40,-196 48,-190 50,-146"), satin(charcoal), 0.22)
	d.lathe(body(0, "14,-236 20,-228 16,-196"), satin(white), 0.2)
	d.tube(curveThrough(40, -180, 96, -190, 90, -130), 10, satin(charcoal))
	d.words(d.Label, 0, 110, 110, d.c.contrast())
}

func drawVacuum(d *drawing) {
	s := glossy(d.c)
	d.tube(curveThrough(-30, -40, -120, -260, 60, -330, 210, -210, 250, 60), 26, rubber(charcoal))
	d.rod(250, 40, 300, 220, 24, metal(steel))
	d.soft(shape("220,216! 380,206! 396,240 390,252 214,252!"), satin(charcoal), 12)
	d.soft(shape("-250,120 -220,-10 -110,-90 20,-80 90,0 110,120 90,180 -230,186"), s, 60)
	d.soft(shape("-120,-60 0,-62 60,20 50,80 -110,80 -160,20"), glossy(charcoal), 24)
	d.ball(-150, 160, 78, 78, rubber(charcoal))
	d.ball(-150, 160, 44, 44, metal(steel))
	d.ball(84, 200, 36, 36, rubber(charcoal))
}

func drawRobotVacuum(d *drawing) {
	s := glossy(d.c)
	b := turnedBody{0, []point{{220, 0}, {224, 10}, {222, 70}, {206, 80}}}
	d.lathe(b, s, 0.36)
	d.latheOn(b.part(30, 60, 0.36), b, satin(charcoal))
	d.flat(ellipse(0, 0, 220, 79), s, 1.15, 1)
	d.lathe(turnedBody{0, []point{{66, -40}, {70, -34}, {70, -4}}}, satin(charcoal), 0.36)
	d.flat(ellipse(0, -40, 66, 24), satin(charcoal), 1.4, 1)
	d.ball(0, 44, 11, 6, glossy(skyBlue))
}

func drawIron(d *drawing) {
	s := glossy(d.c)
	d.flat(shape("-270,160! 190,150! 200,176 -240,186!"), metal(steel), 1.1, 0.8)
	d.soft(shape("-262,156! -180,90 -60,50 190,40! 204,150! -100,164"), s, 34)
	d.soft(shape("-120,66! -90,-40 -10,-90 120,-92 190,-60 206,60! 150,70 140,-30 100,-46 0,-40 -40,10 -60,60!"), s, 22)
	d.ball(20, 100, 30, 26, satin(white))
	d.tube(curveThrough(196, -50, 260, -80, 300, -10, 280, 120, 340, 180), 12, rubber(charcoal))
}

func drawFan(d *drawing) {
	s := d.made(satin)
	d.lathe(body(0, "100,330 108,340 110,356"), s, 0.24)
	d.rod(0, 120, 0, 344, 26, s)
	d.ball(0, 0, 30, 30, s)
	for i := range 3 {
		d.turned(float32(i)*120, 0, 0, func() {
			d.soft(shape("0,-20 60,-70 70,-150 10,-166 -50,-140 -30,-60"), glossy(skyBlue.lighter(0.2)).faded(0.9), 20)
		})
	}

	d.soft(ellipse(0, 0, 192, 192).without(ellipse(0, 0, 178, 178)), s, 6)
	for i := range 24 {
		sin, cos := sincos(float32(i) * 15)
		d.line([]point{{cos * 36, sin * 36}, {cos * 182, sin * 182}}, 3, steel, 0.85)
	}
	for _, r := range []float32{90, 136} {
		d.fillEven(ellipse(0, 0, r, r).without(ellipse(0, 0, r-3, r-3)), matte(steel), 1)
	}
	d.ball(0, 0, 36, 36, s)
}

func drawHeater(d *drawing) {
	s := d.made(satin)
	for i := range 8 {
		x := -210 + float32(i)*54
		d.soft(rounded(x, -150, 46, 320, 20), s, 14)
		d.fillEven(rounded(x+18, -110, 10, 230, 5), matte(s.colour.darker(0.35)), 1)
	}
	d.soft(rounded(200, -150, 76, 330, 18), satin(charcoal), 16)
	d.ball(238, -80, 22, 22, metal(steel))
	for _, x := range []float32{-180, 180} {
		d.ball(x, 190, 22, 22, rubber(nearBlack))
	}
}

func drawHumidifier(d *drawing) {
	for i := range 3 {
		d.fillEven(shape(f("0,-170 %g,-230 %g,-310 0,-350 %g,-300 %g,-230", 30+float32(i)*12, 40+float32(i)*18,
			-40-float32(i)*10, -24-float32(i)*8)), matte(white).faded(0.25), 1.1)
	}
	b := body(0, "30,-170 110,-110 140,20 136,160 120,186")
	d.lathe(b, d.made(glossy), 0.18)
	d.latheOn(b.part(60, 66, 0.18), b, matte(greyTone))
	d.lathe(body(0, "18,-180 26,-176 30,-164"), satin(charcoal), 0.3)
	d.ball(0, 124, 14, 14, glossy(skyBlue))
}

func drawWashingMachine(d *drawing) {
	c := newCamera(22, 12)
	s := satin(d.c)
	d.roundBox(c, 0, 0, 0, 360, 450, 300, 12, s)
	d.flat(c.onFront(rect(8, 10, 344, 70), 0, 450, 0), satin(d.c.darker(0.08)), 1.05, 1)
	d.fillEven(c.onFront(rounded(220, 28, 110, 34, 6), 0, 450, 0), matte(nearBlack), 1)
	p := c.at(150, 406, 0)
	d.ball(p.x, p.y, 24, 24, metal(steel))
	d.line([]point{c.at(24, 410, 0), c.at(96, 410, 0)}, 5, greyTone, 0.7)
	q := c.at(180, 200, 0)
	d.ball(q.x, q.y, 140, 138, metal(steel))
	d.flat(ellipse(q.x, q.y, 116, 114), matte(charcoal), 0.8, 1.3)
	d.ball(q.x, q.y, 104, 102, glossy(rgb{70, 90, 110}))
	d.fillEven(ellipse(q.x-30, q.y-40, 46, 26).turn(-30, q.x-30, q.y-40), matte(white).faded(0.35), 1)
}

func drawMop(d *drawing) {
	d.turned(9, 0, 0, func() {
		d.rod(0, -330, 0, 150, 15, metal(steel))
		d.soft(rounded(-13, -350, 26, 120, 12), rubber(d.c), 10)
	})
	d.soft(poly(-46, 130, 30, 130, 20, 176, -90, 176), satin(d.c), 10)
	d.soft(shape("-200,172! 160,172! 176,214 -220,214!"), plush(d.c.lighter(0.4)), 12)
	putFringe(d, -214, 210, 386)
}

func drawBucket(d *drawing) {
	s := d.made(glossy)
	d.tube(arc(0, -100, 196, 180, 190, 350), 10, metal(steel))
	d.lathe(body(0, "190,-110 194,-100 150,160 140,170"), s, 0.22)
	b := body(0, "190,-110 194,-100 150,160 140,170")
	d.latheOn(b.part(-100, -76, 0.22), b, satin(d.c.lighter(0.12)))
	d.opening(0, -110, 190, 0.22, s, s.colour.darker(0.4))
}

func drawRubberGloves(d *drawing) {
	d.lay()
	for _, side := range []float32{1, -1} {
		d.within(matrix{side, 0, side * 96, 0, 1, 0}, func() {
			d.turned(9, 0, 0, func() { d.soft(gloveShape(), rubber(d.c), 20) })
			d.turned(9, 0, 0, func() { d.line([]point{{-62, 190}, {62, 190}}, 6, d.c.darker(0.3), 0.5) })
		})
	}
}

// gloveShape returns a right hand with the fingers upwards and the thumb to the left.
func gloveShape() path {
	return shape("-62,230! 62,230! 64,120 72,40 84,-70 74,-96 58,-86 44,10 38,-20 40,-140 24,-162 8,-146 6,-10 0,-20 " +
		"-14,-152 -32,-168 -46,-150 -34,0 -44,-10 -62,-110 -78,-124 -90,-104 -70,20 -74,50 -124,10 -146,20 -140,44 " +
		"-84,124")
}

func drawSponge(d *drawing) {
	c := newCamera(28, 24)
	for i, tone := range []rgb{d.c, palette["pink"], palette["green"]} {
		y := float32(i) * 74
		x := float32(i%2) * 40
		d.roundBox(c, x, y, 0, 260, 50, 150, 14, surface{colour: tone, shine: 0.2, texture: speckle(), relief: 0.5})
		d.roundBox(c, x, y+50, 0, 260, 18, 150, 6, surface{colour: leafDark, shine: 0.15, texture: fur(), relief: 0.5})
	}
}

func drawDustpan(d *drawing) {
	d.lay()
	d.turned(-24, 0, 0, func() {
		d.soft(shape("-160,60! -140,-120 -30,-140! -24,-300 0,-316 24,-300 30,-140! 140,-120 160,60!"), satin(d.c), 18)
		d.flat(poly(-150, 56, -128, -100, 128, -100, 150, 56), satin(d.c.darker(0.2)), 0.8, 1.1)
	})
	d.turned(40, 90, 60, func() {
		for x := float32(30); x < 170; x += 10 {
			d.soft(poly(x, 120, x+9, 120, x+12, 210, x-4, 210), matte(charcoal), 3)
		}
		d.soft(rounded(20, 70, 160, 60, 16), satin(d.second), 14)
		d.soft(rounded(84, -130, 32, 210, 14), satin(d.second), 12)
	})
}

func drawBinBags(d *drawing) {
	for _, x := range []float32{90, -60} {
		b := turnedBody{x, []point{{74, -150}, {78, -140}, {78, 160}}}
		d.lathe(b, glossy(d.c), 0.24)
		d.latheOn(b.part(-60, 80, 0.24), b, matte([]rgb{leaf, skyBlue, amber, white}[d.one(4)]))
		d.flat(ellipse(x, -150, 74, 18), glossy(d.c), 1.3, 1)
		d.flat(ellipse(x, -150, 24, 6), matte(kraft), 0.7, 1)
		d.words(d.Label, x, 20, 110, charcoal)
	}
}
