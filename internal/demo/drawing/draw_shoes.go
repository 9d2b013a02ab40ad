package drawing

func shoeKinds() map[string]design {
	return map[string]design{
		"sneaker": plain(drawSneaker, white), "high-top": plain(drawHighTop, palette["red"]),
		"loafer": plain(drawLoafer, palette["brown"]), "ballerina": plain(drawBallerina, palette["beige"]),
		"pump": plain(drawPump, palette["red"]), "ankle boot": plain(drawAnkleBoot, palette["brown"]),
		"tall boot": plain(drawTallBoot, charcoal), "winter boot": plain(drawWinterBoot, palette["navy"]),
		"rubber boot": plain(drawRubberBoot, palette["green"]), "hiking boot": plain(drawHikingBoot, palette["brown"]),
		"felt boot": plain(drawFeltBoot, greyTone), "sandal": plain(drawSandal, palette["brown"]),
		"slipper": plain(drawSlipper, palette["beige"]), "clog": plain(drawClog, palette["navy"]),
		"flip-flop": plain(drawFlipFlop, palette["blue"]), "insole": plain(drawInsole, palette["beige"]),
		"shoe cream": plain(drawShoeCream, palette["brown"]), "brush": plain(drawBrush, beech),
	}
}

// putPair draws the second shoe of a pair behind the first one.
func putPair(d *drawing, dx, dy float32, shoe func()) {
	d.within(matrix{a: 0.97, c: dx, e: 0.97, f: dy}, shoe)
	shoe()
}

func putUpper(d *drawing) surface {
	switch d.material {
	case woven:
		return cloth(d.c)
	case woollen, furry:
		return plush(d.c)
	case plastic:
		return satin(d.c)
	}
	return leather(d.c)
}

// putLaces draws crossed laces along a line.
func putLaces(d *drawing, from, to point, n int, width float32, c rgb) {
	for i := range n {
		t := float32(i) / float32(max(1, n-1))
		x, y := from.x+(to.x-from.x)*t, from.y+(to.y-from.y)*t
		d.soft(stroke(curveThrough(x-width*0.6, y+width*0.32, x, y-3, x+width*0.55, y-width*0.3), 9), cloth(c), 4)
	}
}

func drawSneaker(d *drawing) {
	s := putUpper(d)
	accent := d.second
	height := d.between(-6, 10)
	sole := d.between(34, 50)

	putPair(d, 46, -44, func() {
		d.soft(shape(f("-210,190! -214,%[1]g -60,%[1]g 150,%[2]g 226,%[3]g! 236,214 210,232 60,236 -190,234 "+
			"-216,220", 190-sole*0.3, 196-sole*0.1, 176.0)),
			satin(white), 12)
		d.line(curveThrough(-210, 216, 0, 220, 226, 208), 3, greyTone, 0.5)
		d.soft(shape("-150,40! -96,52 -80,66! -110,100 -150,80"), matte(d.c.darker(0.55)), 8)
		upper := shape(f("-204,70 -190,%g -150,30! -126,64 -84,76 -52,58! 20,96 90,136 180,150 224,188! 120,200 "+
			"-60,196 -206,194! -214,130", 26+height))
		d.soft(upper, s, 34, crease(10, 0.5, 96, 138, 108, 198), crease(8, 0.4, -150, 90, -140, 190))
		d.soft(shape("-52,56! 24,96 96,138! 70,160 -10,130 -72,84!"), s, 10)
		putLaces(d, point{-34, 78}, point{64, 130}, 5, 46, white)
		d.soft(shape("-206,70 -186,60 -172,120 -176,192! -208,192! -214,120"), leather(accent), 8)
		switch d.one(4) {
		case 0:
			d.soft(shape("-40,188! 30,120! 58,128! 6,190!"), leather(accent), 5)
			d.soft(shape("-96,186! -30,116! -2,120! -50,188!"), leather(accent), 5)
		case 1:
			d.soft(shape("-120,150 -30,176 80,130! 0,192 -110,180"), leather(accent), 5)
		case 2:
			d.soft(shape("150,140 224,186! 170,198! 120,180"), leather(accent), 8)
		}
		d.stitches(dense(curveThrough(84, 152, 110, 176, 116, 196), 4), 6, d.c.contrast())
	})
}

func drawHighTop(d *drawing) {
	s := cloth(d.c)
	putPair(d, 44, -40, func() {
		d.soft(shape("-196,210! 40,206 222,190! 232,226 210,240 -190,240 -204,228"), satin(white), 10)
		d.line(curveThrough(-198, 222, 40, 222, 222, 212), 4, d.second, 0.8)
		d.soft(shape("-150,-40! -60,-30! -50,20 -140,20"), matte(d.c.darker(0.5)), 6)
		d.soft(shape("-176,-40! -150,-46 -140,-30! -64,-24! -30,60 40,130 140,146 220,188! 100,210 -196,212! "+
			"-190,100"), s, 34,
			crease(8, 0.4, 110, 146, 120, 206))
		d.ball(-110, 70, 34, 34, satin(white))
		d.flat(star(-110, 70, 22), matte(d.c), 1, 1)
		putLaces(d, point{-60, 0}, point{50, 128}, 7, 44, white)
		d.soft(shape("120,150 190,156 222,188! 170,206 112,206"), satin(white), 10)
	})
}

// star returns a star with five points.
func star(cx, cy, r float32) path {
	var c []point
	for i := range 10 {
		radius := r
		if i%2 == 1 {
			radius = r * 0.4
		}
		sin, cos := sincos(float32(i)*36 - 90)
		c = append(c, point{cx + cos*radius, cy + sin*radius})
	}
	return path{c}
}

func drawLoafer(d *drawing) {
	s := putUpper(d)
	putPair(d, 40, -46, func() {
		d.soft(shape("-200,196! -60,210 60,206 230,186! 236,206 190,222 40,222 -80,222! -84,236! -196,238!"),
			leather(walnut.darker(0.4)), 8)
		d.soft(shape("-186,96! -100,110 -20,104 20,112! -60,140 -170,120"), matte(d.c.darker(0.6)), 8)
		d.soft(shape("-196,90 -184,86! -120,124 -30,130 30,96! 100,110 190,140 232,190! 100,208 -200,202! "+
			"-204,150"), s, 32)
		d.soft(shape("30,96! 100,112 160,140 150,150 70,146 10,130!"), s, 10)
		d.soft(shape("-40,128! 40,108 70,150 40,200! -20,204! 10,160"), s, 8)
		d.plate(rounded(2, 146, 44, 13, 4), metal(brass))
	})
}

func drawBallerina(d *drawing) {
	s := putUpper(d)
	putPair(d, 36, -50, func() {
		d.soft(shape("-206,196! 0,216 222,196! 214,214 0,228 -200,216"), leather(walnut), 5)
		d.soft(shape("-190,130! -60,170 80,166 110,140! 60,150 -60,150"), matte(d.c.darker(0.55)), 8)
		d.soft(shape("-206,116 -192,112! -150,160 -40,188 60,186 104,136! 160,140 224,180 222,200! 0,216 -206,204! "+
			"-212,160"), s, 24)
		d.tube(curveThrough(-192, 112, -150, 160, -40, 188, 60, 186, 104, 136), 6, s)
		d.soft(shape("104,146 76,130! 80,162!"), s, 5)
		d.soft(shape("108,146 138,134! 132,164!"), s, 5)
	})
}

func drawPump(d *drawing) {
	s := putUpper(d)
	heel := d.between(60, 110)
	putPair(d, 40, -44, func() {
		d.soft(shape(f("-190,%[1]g! -150,%[1]g! -160,%[2]g! -178,%[2]g!", 100.0, 130+heel)), s, 6)
		d.soft(shape(f("-196,80 -120,130 -20,190 90,%[1]g 220,%[2]g! 210,%[3]g 90,%[3]g -20,210 -140,140 -196,120",
			214.0, 200.0, 228.0)), leather(walnut.darker(0.3)), 6)
		d.soft(shape("-186,20! -150,90 -60,160 60,160 40,176 -80,170"), matte(d.c.darker(0.5)), 8)
		d.soft(shape("-200,24 -184,10! -160,80 -80,150 20,176 84,140! 150,160 224,196 216,212! 80,216 -30,200 "+
			"-130,136 -200,104!"), s, 24)
	})
}

func drawAnkleBoot(d *drawing) {
	s := putUpper(d)
	putPair(d, 44, -46, func() {
		d.soft(shape("-190,204! 40,212 220,198! 226,222 180,234 -60,234! -64,250! -188,250!"), leather(charcoal), 8)
		d.soft(shape("-168,-96! -40,-100! -50,-60 -150,-60"), matte(d.c.darker(0.6)), 8)
		d.soft(shape("-176,-90! -100,-84 -34,-96! -26,0 -10,80 80,124 180,146 222,200! 60,214 -188,210! -186,60"),
			s, 40,
			crease(14, 0.3, -40, 90, 10, 110), crease(14, 0.25, -60, 112, 0, 140))
		if d.one(2) == 0 {
			d.soft(shape("-130,-70! -76,-66! -60,20 -96,110! -128,20"), cloth(charcoal), 6)
		} else {
			putZip(d, -100, -80, 150)
		}
		d.line(curveThrough(-186, 196, 40, 200, 214, 188), 3, d.c.darker(0.6), 0.6)
	})
}

func drawTallBoot(d *drawing) {
	s := putUpper(d)
	putPair(d, 52, -40, func() {
		d.soft(shape("-150,344! 40,352 200,338! 206,360 160,372 -30,372! -34,392! -148,392!"), leather(charcoal), 8)
		d.soft(shape("-140,-200! 0,-204! -10,-170 -130,-170"), matte(d.c.darker(0.6)), 8)
		d.soft(shape("-146,-196! -70,-190 4,-200! 6,-60 -6,100 6,220 80,264 160,286 202,340! 40,354 -148,350! "+
			"-150,200 -154,0"), s, 44,
			crease(14, 0.3, -20, 226, 30, 250), crease(16, 0.2, -120, 190, -40, 204))
		putZip(d, -110, -180, 300)
	})
}

func drawWinterBoot(d *drawing) {
	s := cloth(d.c)
	putPair(d, 46, -44, func() {
		d.soft(shape("-194,196! 40,196 224,180! 232,226 200,240 -186,240 -200,226"), rubber(charcoal), 10)
		var folds []fold
		for i := range 4 {
			folds = append(folds, crease(11, 0.7, -190, -40+float32(i)*44, -20, -30+float32(i)*46))
		}
		d.soft(shape("-180,-96! -40,-100! -24,20 10,90 100,120 190,150 224,186! 60,206 -194,206! -190,60"), s, 36,
			folds...)
		d.soft(shape("120,130 196,150 224,186! 150,206 110,204"), rubber(charcoal), 10)
		d.soft(rounded(-190, -130, 164, 54, 26), plush(cream), 18)
		putLaces(d, point{-50, -30}, point{40, 100}, 5, 40, d.second)
	})
}

func drawRubberBoot(d *drawing) {
	s := glossy(d.c)
	putPair(d, 50, -40, func() {
		d.soft(shape("-150,300! 40,306 206,290! 214,326 180,338 -20,332! -26,346! -146,346!"),
			rubber(d.c.darker(0.55)), 8)
		d.soft(shape("-140,-160! 10,-164! 0,-120 -130,-120"), matte(d.c.darker(0.6)), 8)
		d.soft(shape("-146,-156! -70,-150 14,-160! 14,-20 10,120 40,196 130,224 206,292! 40,310 -148,306! "+
			"-150,120"), s, 50,
			crease(14, 0.25, -30, 170, 30, 190))

		d.tube(curveThrough(-147, -150, -70, -142, 14, -154), 14, s)
		d.line(curveThrough(-148, 284, 40, 288, 196, 270), 4, d.c.darker(0.6), 0.5)
		if d.one(2) == 1 {
			for i := range 6 {
				d.fillEven(ellipse(-110+float32(i%3)*44, -60+float32(i/3)*90+float32(i%2)*24, 11, 11),
					matte(d.second).faded(0.9), 1.05)
			}
		}
	})
}

func drawHikingBoot(d *drawing) {
	s := leather(d.c)
	putPair(d, 46, -44, func() {
		sole := shape("-200,200! 40,200 226,184! 238,214 222,240! 190,228! 168,242! 140,230! 110,242! 70,230! " +
			"30,242! -10,230! -60,244! -190,244! -204,226")
		d.soft(sole, rubber(charcoal), 9)
		d.soft(shape("-170,-76! -44,-80! -54,-40 -150,-40"), matte(d.c.darker(0.6)), 8)
		d.soft(shape("-184,-64 -170,-80! -100,-70 -38,-84! -20,0 20,80 100,118 190,146 228,190! 60,206 -200,206! "+
			"-196,60"), s, 36)
		d.soft(shape("-184,-64 -170,-80! -100,-70 -38,-84! -32,-40 -100,-30 -186,-30"), cloth(d.second), 14)
		d.soft(shape("110,124 196,148 228,190! 150,206 96,204"), rubber(charcoal), 12)
		d.soft(shape("-196,80 -150,70 -120,150 -110,206! -200,206!"), leather(d.c.darker(0.25)), 10)
		putLaces(d, point{-34, -40}, point{76, 112}, 7, 42, signalRed)
	})
}

func drawFeltBoot(d *drawing) {
	putPair(d, 52, -40, func() {
		d.soft(shape("-144,-180! -70,-172 14,-180! 14,0 20,150 60,220 150,240 206,300 190,346 40,352 -130,350 "+
			"-156,320 -150,100"), plush(d.c), 56)
		d.line(curveThrough(-144, -166, -70, -158, 14, -166), 6, d.c.darker(0.4), 0.5)
		d.soft(shape("-100,-40 -60,-80 -30,-40 -64,10"), plush(d.second), 10)
	})
}

func drawSandal(d *drawing) {
	s := putUpper(d)
	putPair(d, 40, -52, func() {
		d.soft(shape("-206,196 -120,186 40,200 222,190! 234,212 200,232 -190,236 -214,218"),
			rubber(walnut.darker(0.35)), 9)
		d.soft(shape("-200,186 -110,176 40,192 218,184 200,204 -180,208"), leather(beech), 8)
		d.soft(shape("-200,196! -196,110 -160,92 -90,104 -40,130! -46,150! -110,126 -160,120 -176,196!"), s, 10)
		d.soft(shape("-30,200! -10,150 40,116 84,120! 70,150 40,200!"), s, 12)
		d.soft(shape("70,204! 90,150 150,126 196,146! 180,170 150,204!"), s, 12)
		d.plate(rounded(-84, 104, 30, 26, 5).without(rounded(-77, 110, 16, 14, 3)), metal(brass))
	})
}

func drawSlipper(d *drawing) {
	c := plush(d.c)
	putPair(d, 44, -60, func() {
		d.soft(shape("-206,180 -80,196 60,198 222,180! 230,210 180,228 -180,226 -214,206"), matte(d.c.darker(0.35)), 9)
		d.soft(shape("-196,168 -80,184 40,180 20,204 -170,206"), plush(cream), 10)
		d.soft(shape("-40,196! -20,120 60,84 150,110 224,176 214,206! 60,214"), c, 36)
		d.soft(stroke(curveThrough(-44, 190, -22, 118, 56, 84), 30), plush(cream), 10)
	})
}

func drawClog(d *drawing) {
	s := satin(d.c)
	putPair(d, 42, -52, func() {
		d.soft(shape("-204,160 -190,110 -150,104! -110,140 -30,150 10,92! 80,70 170,110 226,176 222,222 120,232 "+
			"-180,232 -208,214"), s, 36)
		for i := range 7 {
			x := 40 + float32(i)*24
			d.fillEven(ellipse(x, 118+float32(i%2)*30+float32(i)*5, 9, 7), matte(d.c.darker(0.6)), 0.9)
		}
		d.soft(stroke(curveThrough(-6, 130, -90, 86, -180, 118), 22), s, 8)
		d.ball(-4, 132, 12, 12, satin(d.second))
		d.line(curveThrough(-206, 204, 0, 212, 222, 200), 4, d.c.darker(0.5), 0.5)
	})
}

func drawFlipFlop(d *drawing) {
	d.lay()
	for i, x := range []float32{-84, 84} {
		d.turned(float32(i)*10-5, x, 0, func() {
			d.soft(shape(f("%g,-200 %g,-160 %g,-40 %g,120 %g,200 %g,190 %g,90 %g,-60 %g,-170", x, x+62, x+64, x+46,
				x, x-40, x-50, x-62, x-54)), rubber(d.c), 10)
			d.soft(stroke(curveThrough(x-56, 30, x-30, -70, x+2, -120), 18), rubber(d.second), 6)
			d.soft(stroke(curveThrough(x+58, 10, x+34, -70, x+2, -120), 18), rubber(d.second), 6)
			d.ball(x+2, -122, 11, 11, rubber(d.second))
		})
	}
}

func drawInsole(d *drawing) {
	d.lay()
	sole := shape("0,-210 56,-190 66,-110 46,0 54,130 30,204 -14,206 -44,150 -40,10 -62,-100 -44,-190")
	for _, x := range []float32{-84, 84} {
		draw := func() {
			d.soft(sole.move(84, 0), cloth(d.c), 10)
			d.soft(shape("84,120 116,140 112,190 80,198 54,170"), rubber(d.second), 8)
			d.stitches(dense(curveThrough(48, -150, 84, -190, 124, -160, 132, -100), 4), 6, d.c.contrast())
		}
		if x > 0 {
			draw()
		} else {
			d.reflected(0, draw)
		}
	}
}

func drawShoeCream(d *drawing) {
	putTin(d, 0, 0, 130, 74, d.c)
	d.turned(-64, 186, 60, func() { putTin(d, 186, 40, 118, 20, d.c) })
}

// putTin draws a flat round tin.
func putTin(d *drawing, x, y, r, h float32, c rgb) {
	b := turnedBody{x, []point{{r, y}, {r, y + h}}}
	d.lathe(b, metal(steel), 0.3)
	d.latheOn(b.part(y+8, y+h-10, 0.3), b, satin(c))
	d.flat(ellipse(x, y, r, r*0.3), metal(steel), 1.15, 0.95)
	d.flat(ellipse(x, y, r*0.9, r*0.27), satin(c), 1.12, 0.95)
	d.flat(ellipse(x, y, r*0.6, r*0.18), satin(c.contrast()), 1.05, 0.95)
	d.flat(ellipse(x, y, r*0.52, r*0.155), satin(c), 1.05, 0.95)
}

func drawBrush(d *drawing) {
	d.lay()
	d.turned(-24, 0, 0, func() {
		for x := float32(-190); x < 190; x += 11 {
			d.soft(poly(x, 34, x+10, 34, x+12, 108, x-2, 108), matte(walnut.darker(0.3)), 3)
		}
		d.soft(shape("-214,0 -190,-40 -60,-54 60,-54 190,-40 214,0 190,44 0,52 -190,44"), wood(mix(d.c, beech,
			0.6)), 22)
	})
}
