package drawing

func lightKinds() map[string]design {
	return map[string]design{
		"table lamp": plain(drawTableLamp, white), "floor lamp": plain(drawFloorLamp, white),
		"desk lamp": plain(drawDeskLamp, charcoal), "pendant": plain(drawPendant, white),
		"chandelier": plain(drawChandelier, brass), "sconce": plain(drawSconce, brass),
		"ceiling light": plain(drawCeilingLight, white), "spotlight": plain(drawSpotlight, white),
		"bulb": plain(drawBulb, white), "light strip": plain(drawLightStrip, white),
		"torch": plain(drawTorch, charcoal), "head torch": plain(drawHeadTorch, charcoal),
		"floodlight": plain(drawFloodlight, charcoal), "garden light": plain(drawGardenLight, charcoal),
		"string lights": plain(drawStringLights, leafDark), "night light": plain(drawNightLight, white),
	}
}

// putLampshade draws a shade with a warm glow.
func putLampshade(d *drawing, cx, y, upper, lower, height float32, s surface) {
	b := turnedBody{cx, []point{{upper, y}, {lower, y + height}}}
	d.lathe(b, s, 0.16)
	warm := matte(rgb{255, 226, 170})
	d.flat(ellipse(cx, y+height, lower*0.97, lower*0.145), warm.faded(0.92), 1.25, 1.0)
	d.latheOn(b.part(y+height*0.72, y+height, 0.16), b, matte(rgb{255, 232, 190}).faded(0.22))
	for _, at := range []float32{y + 4, y + height - 4} {
		r := b.radius(at)
		d.line(arc(cx, at, r, r*0.16, 8, 172), 3, s.colour.darker(0.25), 0.5)
	}
}

func putShadeSurface(d *drawing) surface {
	if d.material == glassy || d.material == glazed || d.material == metallic {
		return d.made(satin)
	}
	return cloth(d.c.lighter(0.12))
}

func drawTableLamp(d *drawing) {
	h := d.between(120, 170)
	base := []func(rgb) surface{glossy, wood, metal, glossy}[d.one(4)]
	c := []rgb{mix(d.c, cream, 0.5), oak, brass, d.second}[d.one(4)]
	foot := []string{
		"10,0 13,12 20,30 56,80 66,120 52,158 40,172", "12,0 12,60 14,110 16,140 62,152 66,168",
		"8,0 8,100 9,150 60,158 64,170", "14,0 22,10 48,50 52,76 46,100 28,128 44,164 46,170",
	}[d.one(4)]
	d.rod(0, h-10, 0, h+70, 10, metal(brass))
	d.placed(1, 0, h+50, func() { d.lathe(body(0, foot), base(c), 0.18) })
	upper := d.between(62, 92)
	putLampshade(d, 0, 0, upper, d.between(112, 132), h, putShadeSurface(d))
}

func drawFloorLamp(d *drawing) {
	h := d.between(105, 140)
	s := d.frame()
	if d.one(2) == 0 {
		d.lathe(body(0, "8,680 9,690 90,700 94,712"), s, 0.2)
		d.rod(0, h, 0, 696, 12, s)
	} else {
		d.cone(10, h, 118, 716, 12, 8, s)
		d.cone(0, h, 16, 730, 12, 8, s)
		d.cone(-10, h, -118, 716, 12, 8, s)
		d.rod(-58, 440, 58, 440, 6, s)
	}
	putLampshade(d, 0, 0, d.between(72, 110), d.between(120, 145), h+20, putShadeSurface(d))
	d.line([]point{{30, h + 30}, {30, h + 90}}, 2, charcoal, 0.7)
	d.ball(30, h+94, 5, 5, metal(brass))
}

func drawDeskLamp(d *drawing) {
	s := d.made(satin)
	d.lathe(body(0, "70,392 92,396 96,414"), s, 0.22)
	joint := metal(steel)
	x, y := d.between(-90, -60), d.between(210, 240)
	d.rod(0, 392, x, y, 14, joint)
	d.rod(x, y, 120, 90, 14, joint)
	d.ball(x, y, 17, 17, s)
	d.turned(-36, 120, 90, func() {
		d.lathe(body(120, "20,66 30,78 40,96 74,150 84,186"), s, 0.2)
		d.flat(ellipse(120, 186, 80, 17), matte(rgb{255, 232, 180}), 1.3, 1.05)
	})
	d.ball(118, 88, 15, 15, joint)
}

func drawPendant(d *drawing) {
	d.hang()
	d.line([]point{{0, -250}, {0, 0}}, 4, charcoal, 1)
	d.lathe(body(0, "16,-4 20,4 20,26"), metal(brass), 0.2)
	outline := []string{
		"18,20 60,34 118,84 150,150 156,176", "20,22 26,60 40,110 150,190 158,196",
		"20,20 92,40 128,100 118,160 84,190", "22,20 110,34 122,60 122,180",
	}[d.one(4)]
	b := body(0, outline)
	d.lathe(b, d.made(satin), 0.16)
	r := b.radius(b.bottom())
	d.flat(ellipse(0, b.bottom(), r*0.96, r*0.145), matte(rgb{255, 230, 176}), 1.3, 1.0)
	d.ball(0, b.bottom()+2, 26, 22, matte(rgb{255, 246, 222}))
}

func drawChandelier(d *drawing) {
	d.hang()
	s := metal(mix(d.c, brass, 0.4))
	d.line([]point{{0, -170}, {0, 0}}, 5, s.colour.darker(0.3), 1)
	d.lathe(body(0, "40,-190 44,-180 12,-168"), s, 0.2)
	d.lathe(body(0, "8,0 22,30 12,60 30,96 40,120 16,150 6,176"), s, 0.2)
	arms := 2 + d.one(2)
	for side := -1; side <= 1; side += 2 {
		for i := arms; i > 0; i-- {
			x := float32(side) * float32(i) * 200 / float32(arms)
			d.tube(curveThrough(0, 110, x*0.5, 150+8*float32(i), x*0.95, 110, x, 70), 8, s)
			putCandleLight(d, x, 66)
		}
	}

	putCandleLight(d, 0, 0)
	if d.one(2) == 1 {
		for i := range 9 {
			x := float32(i-4) * 48
			d.ball(x, 170-x*x/900, 8, 13, glossy(rgb{226, 236, 240}))
		}
	}
}

// putCandleLight draws a cup with a lamp.
func putCandleLight(d *drawing, x, y float32) {
	d.lathe(body(x, f("26,%g 22,%g 8,%g", y-8, y, y+10)), metal(brass), 0.2)
	d.lathe(body(x, f("30,%g 34,%g 22,%g", y-62, y-40, y-10)), glossy(rgb{255, 240, 212}), 0.18)
}

func drawSconce(d *drawing) {
	d.hang()
	s := d.made(metal)
	d.flat(rounded(-34, 60, 68, 150, 34), s, 1.08, 0.85)
	d.tube(curveThrough(0, 150, 40, 176, 78, 150, 80, 110), 12, s)
	putLampshade(d, 80, -20, d.between(34, 60), d.between(74, 92), 120, putShadeSurface(d))
}

func drawCeilingLight(d *drawing) {
	d.hang()
	rim := d.made(satin)
	if d.one(2) == 0 {
		d.ball(0, 0, 200, 200, rim)
		d.ball(0, 0, 182, 182, matte(rgb{255, 248, 232}))
		d.ball(-10, -14, 120, 120, matte(rgb{255, 252, 244}).faded(0.5))
		return
	}
	d.plate(rounded(-190, -190, 380, 380, 26), rim)
	d.soft(rounded(-172, -172, 344, 344, 18), matte(rgb{255, 249, 236}), 30)
}

func drawSpotlight(d *drawing) {
	d.hang()
	s := d.made(satin)
	d.flat(rounded(-90, -16, 180, 24, 8), s, 1.1, 0.9)
	for i, x := range []float32{-52, 52}[:1+d.one(2)] {
		if d.one(2) == 0 {
			x = 0
		}
		d.rod(x, 0, x, 40, 10, metal(steel))
		d.turned(22-float32(i)*48, x, 50, func() {
			d.lathe(turnedBody{x, []point{{30, 26}, {38, 34}, {38, 130}}}, s, 0.2)
			d.flat(ellipse(x, 130, 33, 7), matte(rgb{255, 240, 206}), 1.3, 1.1)
		})
	}
}

func drawBulb(d *drawing) {
	d.lathe(body(0, "40,196 42,200 38,208 42,214 38,222 42,228 38,236 42,242 36,256 16,266"), metal(steel), 0.12)
	outline := []string{
		"2,0 40,8 84,44 96,92 80,138 50,172 42,198", "2,0 26,10 46,50 54,100 50,150 42,198",
		"2,0 60,14 100,70 92,120 60,150 42,198", "2,0 36,8 74,40 88,86 72,130 46,170 42,198",
	}[d.one(4)]
	b := body(0, outline)
	if d.one(2) == 0 {
		d.lathe(b, satin(rgb{250, 247, 238}), 0.1)
		return
	}

	d.glass(b, rgb{255, 222, 160}, 0.1)
	for _, x := range []float32{-18, -6, 6, 18} {
		d.line([]point{{x, 70}, {x * 0.6, 160}}, 4, rgb{255, 190, 84}, 0.95)
	}
	d.line([]point{{0, 120}, {0, 196}}, 10, rgb{236, 240, 240}, 0.6)
}

func drawLightStrip(d *drawing) {
	d.lay()
	for _, r := range []float32{190, 150, 112} {
		ring := ellipse(0, 0, r, r).without(ellipse(0, 0, r-30, r-30))
		d.soft(ring, satin(rgb{250, 246, 236}), 6)
		n := int(r / 7)
		for i := range n {
			sin, cos := sincos(float32(i) * 360 / float32(n))
			d.plate(rect(-7, -5, 14, 10).move(cos*(r-15), sin*(r-15)), glossy(mix(rgb{255, 214, 130}, d.c, 0.15)))
		}
	}
	d.tube(curveThrough(190, 0, 210, 90, 160, 190, 250, 236), 22, satin(rgb{250, 246, 236}))
	d.plate(rounded(232, 214, 70, 44, 8), satin(charcoal))
}

func drawTorch(d *drawing) {
	d.lay()
	s := d.made(metal)
	d.turned(-38, 0, 0, func() {
		d.lathe(body(0, "50,-210 54,-196 54,-150 30,-112 30,190 26,202"), s, 0.1)
		for y := float32(-70); y < 150; y += 22 {
			d.latheOn(body(0, "30,-112 30,190").part(y, y+10, 0.1), body(0, "30,-112 30,190"),
				matte(s.colour.darker(0.55)))
		}
		d.flat(rounded(-11, -104, 22, 26, 10), rubber(signalRed), 1.1, 0.9)
		d.flat(ellipse(0, -210, 48, 8), matte(rgb{255, 246, 214}), 1.3, 1)
	})
}

func drawHeadTorch(d *drawing) {
	d.lay()
	strap := cloth(d.c)
	d.soft(ellipse(0, 0, 190, 130).without(ellipse(0, 6, 168, 106)), strap, 8)
	d.soft(rounded(-74, 78, 148, 96, 30), satin(charcoal), 18)
	d.ball(0, 126, 42, 42, metal(steel))
	d.ball(0, 126, 33, 33, glossy(rgb{255, 246, 218}))
}

func drawFloodlight(d *drawing) {
	s := d.made(satin)
	d.tube(curveThrough(-150, 130, -150, 270, 150, 270, 150, 130), 16, metal(steel))
	d.soft(rounded(-130, 0, 260, 200, 22), s, 10)
	d.plate(rounded(-108, 18, 216, 164, 12), metal(rgb{230, 226, 206}))
	for y := range 5 {
		for x := range 7 {
			d.ball(-84+float32(x)*28, 42+float32(y)*29, 8, 8, glossy(rgb{255, 240, 190}))
		}
	}
	d.flat(rounded(-60, 262, 120, 18, 6), metal(steel), 1, 0.8)
}

func drawGardenLight(d *drawing) {
	s := d.made(metal)
	d.rod(0, 200, 0, 420, 16, s)
	d.cone(0, 420, 0, 500, 16, 2, s)
	d.glass(body(0, "56,60 60,130 52,196"), rgb{255, 232, 180}, 0.16)
	d.ball(0, 140, 20, 32, matte(rgb{255, 232, 168}))
	d.lathe(body(0, "6,0 30,14 92,52 96,66"), s, 0.2)
	d.lathe(body(0, "54,190 56,206 20,220"), s, 0.2)
}

func drawStringLights(d *drawing) {
	d.hang()
	wire := d.c.darker(0.3)
	warm := []rgb{{255, 226, 150}, {236, 90, 80}, {96, 170, 110}, {90, 140, 214}, {246, 196, 80}}
	many := d.known && distance(d.c, palette["multicolour"]) < 10

	for row := range 3 {
		y := float32(row) * 120
		line := curveThrough(-260, y, -130, y+70, 0, y+84, 130, y+70, 260, y)
		d.line(line, 4, wire, 1)
		for i := 3; i < len(line)-1; i += 5 {
			p := line[i]
			c := warm[0]
			if many || d.one(2) == 1 {
				c = warm[(i/5+row)%len(warm)]
			}
			d.fillEven(ellipse(p.x, p.y+17, 22, 26), matte(c).faded(0.16), 1.2)
			d.flat(rect(p.x-4, p.y, 8, 9), matte(wire), 1.1, 0.9)
			d.ball(p.x, p.y+18, 8, 12, glossy(c.lighter(0.25)))
		}
	}
}

func drawNightLight(d *drawing) {
	d.soft(shape("0,-150 90,-130 128,-40 116,70 0,104 -116,70 -128,-40 -90,-130"), matte(mix(d.c, rgb{255, 244,
		220}, 0.6)), 56)
	d.soft(symmetric(0, "46,-128 70,-206! 106,-96"), matte(mix(d.c, rgb{255, 244, 220}, 0.5)), 14)
	for _, x := range []float32{-42, 42} {
		d.line(arc(x, -30, 16, 12, 20, 160), 5, charcoal, 0.8)
	}
	d.line(arc(0, 0, 14, 10, 20, 160), 4, charcoal, 0.7)
	d.lathe(body(0, "84,96 92,104 92,124"), wood(beech), 0.16)
}
