package drawing

func furnitureKinds() map[string]design {
	return map[string]design{
		"chair": plain(drawChair, beech), "armchair": plain(drawArmchair, palette["green"]),
		"stool":        plain(drawStool, beech),
		"office chair": plain(drawOfficeChair, charcoal), "bench": plain(drawBench, oak),
		"beanbag": plain(drawBeanbag, palette["blue"]), "pouf": plain(drawPouf, palette["beige"]),
		"rocking chair": plain(drawRockingChair, oak), "table": plain(drawTable, oak), "desk": plain(drawDesk, oak),
		"round table": plain(drawRoundTable, oak), "sofa": plain(drawSofa, greyTone),
		"corner sofa": plain(drawCornerSofa, palette["beige"]), "bed": plain(drawBed, oak),

		"bunk bed": plain(drawBunkBed, white), "mattress": plain(drawMattress, white),
		"bookcase":   plain(drawBookcase, oak),
		"wall shelf": plain(drawWallShelf, oak), "cabinet": plain(drawCabinet, white), "dresser": plain(drawDresser,
			oak),
		"coat rack": plain(drawCoatRack, walnut), "cot": plain(drawCot, white), "mirror": plain(drawMirror, brass),
		"vase": plain(drawVase, palette["terracotta"]), "plant pot": plain(drawPlantPot, palette["terracotta"]),
		"trough": plain(drawTrough, palette["terracotta"]), "hanging basket": plain(drawHangingBasket, kraft),
		"wall clock": plain(drawWallClock, white), "alarm clock": plain(drawAlarmClock, palette["red"]),
		"picture": plain(drawPicture, oak), "curtain": plain(drawCurtain, palette["beige"]),
		"blind": plain(drawBlind, palette["beige"]), "rug": plain(drawRug, palette["terracotta"]),

		"runner": plain(drawRunner, palette["navy"]), "doormat": plain(drawDoormat, kraft),
		"bed linen": plain(drawBedLinen, skyBlue), "pillow": plain(drawPillow, white), "blanket": plain(drawBlanket,
			palette["beige"]),
		"towel": plain(drawTowel, skyBlue), "cushion": plain(drawCushion, palette["terracotta"]),
		"tablecloth": plain(drawTablecloth, white), "candle": plain(drawCandle, cream),
		"diffuser":     plain(drawDiffuser, white),
		"garden table": plain(drawTable, palette["grey"]), "lounger": plain(drawLounger, greyTone),
		"swing": plain(drawSwing, greyTone), "folding bed": plain(drawFoldingBed, palette["green"]),
	}
}

// putLegsBelow draws four legs of a table or a seat.
func putLegsBelow(d *drawing, c camera, w, depth, height, inset, thick float32, s surface) {
	for _, p := range [][2]float32{{inset, depth - inset - thick}, {w - inset - thick, depth - inset - thick},
		{inset, inset}, {w - inset - thick, inset}} {
		d.box(c, p[0], 0, p[1], thick, height, thick, s)
	}
}

func drawChair(d *drawing) {
	c := newCamera(30, 18)
	s := d.made(wood)
	legs := s
	if d.material == woven || d.material == leathery {
		legs = wood(beech)
	}
	w, depth := d.between(190, 210), d.between(180, 200)
	thick := float32(16)
	d.box(c, 6, 0, depth-22, thick, 400, thick, legs)
	d.box(c, w-22, 0, depth-22, thick, 400, thick, legs)

	if d.one(2) == 0 {
		for i := range 4 {
			d.box(c, 10, 250+float32(i)*40, depth-18, w-20, 20, 9, s)
		}
	} else {
		putSoftFace(d, c, 4, 400, depth-24, w-8, 150, 40, s)
	}
	d.box(c, 6, 0, 8, thick, 200, thick, legs)
	d.box(c, w-22, 0, 8, thick, 200, thick, legs)
	d.box(c, 0, 196, 0, w, 16, depth, s)
	if legs != s || d.one(2) == 1 {
		d.soft(c.onTop(rounded(6, 6, w-12, depth-12, 30), 0, 220, 0), cloth(d.c.lighter(0.06)), 14)
	}
}

// putSoftFace draws a padded board on a plane that faces the front.
func putSoftFace(d *drawing, c camera, x, upper, z, w, h, r float32, s surface) {
	d.soft(c.onFront(rounded(0, 0, w, h, r), x+6, upper, z+14), s, 8)
	d.soft(c.onFront(rounded(0, 0, w, h, r), x, upper, z), s, 12)
}

// upholstery returns the cover of seats.
func (d *drawing) upholstery() surface {
	if d.material == leathery {
		return leather(d.c)
	}
	return cloth(d.c)
}

func putShortLegs(d *drawing, x0, x1, y float32) {
	s := d.frame()
	for _, x := range []float32{x0, x1} {
		d.cone(x, y, x+(x-(x0+x1)/2)*0.06, y+66, 20, 11, s)
	}
}

func drawArmchair(d *drawing) {
	s := d.upholstery()
	putShortLegs(d, -130, 130, 190)
	putShortLegs(d, -158, 158, 180)
	wing := d.between(-40, 20)
	d.soft(shape("-150,160 -160,-80 -130,-200 0,-226 130,-200 160,-80 150,160"), s, 50,
		crease(12, 0.4, -60, -190, -50, 60), crease(12, 0.4, 60, -190, 50, 60))
	d.soft(rounded(-140, 100, 280, 104, 22), s, 26)
	d.soft(shape("-134,56 -120,34 0,28 120,34 134,56 140,120 120,134 -120,134 -140,120"), s, 26)
	arm := shape(f("130,%[1]g 176,%[2]g 206,%[3]g 210,150 196,204 140,206 128,120", 10.0, -8+wing*0.2, 40.0))
	d.soft(arm, s, 30)
	d.reflected(0, func() { d.soft(arm, s, 30) })
	if d.one(2) == 0 {
		d.turned(-6, 0, 0, func() { d.soft(pillowShape(-20, -20, 90, 74), cloth(d.second), 34) })
	}
}

func pillowShape(cx, cy, rx, ry float32) path {
	return shape(f("%g,%g! %g,%g %g,%g! %g,%g %g,%g! %g,%g %g,%g! %g,%g", cx-rx, cy-ry, cx, cy-ry*0.88, cx+rx, cy-ry,
		cx+rx*0.9, cy, cx+rx, cy+ry, cx, cy+ry*0.9, cx-rx, cy+ry, cx-rx*0.9, cy))
}

func drawStool(d *drawing) {
	s := d.made(wood)
	for _, x := range []float32{-60, 60} {
		d.cone(x, 40, x*1.7, 330, 22, 16, s)
	}
	d.rod(-90, 230, 90, 230, 12, s)
	for _, x := range []float32{-84, 84} {
		d.cone(x, 40, x*1.55, 368, 24, 17, s)
	}
	d.rod(-118, 270, 118, 270, 13, s)
	d.lathe(body(0, "126,10 134,20 130,44"), s, 0.3)
	d.flat(ellipse(0, 10, 126, 38), s, 1.18, 1.02)
	if d.one(2) == 1 {
		d.soft(ellipse(0, 0, 124, 44), d.upholstery(), 20)
	}
}

func drawOfficeChair(d *drawing) {
	s := d.upholstery()
	base := satin(charcoal)
	for _, p := range []point{{-150, 380}, {150, 380}, {-80, 420}, {90, 420}, {0, 366}} {
		d.cone(0, 340, p.x, p.y-14, 26, 16, base)
		d.ball(p.x, p.y, 17, 17, rubber(nearBlack))
	}
	d.rod(0, 200, 0, 346, 26, metal(steel))
	d.soft(shape("-110,-230 -90,-270 0,-284 90,-270 110,-230 124,-80 110,40 0,56 -110,40 -124,-80"), s, 34,
		crease(10, 0.4, -110, -120, 0, -112, 110, -120), crease(10, 0.4, -110, -30, 0, -22, 110, -30))

	for _, x := range []float32{-1, 1} {
		d.tube(curveThrough(x*130, 170, x*176, 150, x*176, 60), 16, base)
		d.soft(rounded(x*168-36, 36, 72, 26, 12), rubber(charcoal), 10)
	}
	d.soft(shape("-150,130 -130,90 0,80 130,90 150,130 156,176 120,206 0,212 -120,206 -156,176"), s, 34)
	if d.one(2) == 1 {
		d.soft(rounded(-80, -350, 160, 76, 30), s, 22)
	}
}

func drawBench(d *drawing) {
	c := newCamera(22, 20)
	s := d.made(wood)
	putLegsBelow(d, c, 460, 150, 160, 16, 22, s)
	for i := range 3 {
		d.box(c, 0, 160, float32(2-i)*52, 460, 16, 46, s)
	}
}

func drawBeanbag(d *drawing) {
	d.soft(shape("0,-190 50,-170 110,-90 190,60 210,150 150,206 0,216 -150,206 -210,150 -190,60 -110,-90 -50,-170"),
		d.upholstery(), 80,
		crease(22, 0.35, 0, -180, 10, -60, -20, 60), crease(26, 0.3, -120, 60, -20, 100, 90, 70), crease(20, 0.3,
			60, -120, 90, -20, 150, 60),
		crease(20, 0.3, -60, -120, -90, -20, -150, 80))
	d.tube(curveThrough(-20, -184, 0, -226, 24, -184), 16, d.upholstery())
}

func drawPouf(d *drawing) {
	s := d.upholstery()
	if d.material == unknownMaterial || d.one(2) == 0 {
		s = knitted(d.c)
	}
	d.soft(rounded(-190, -90, 380, 220, 90), s, 70)
	for i := range 5 {
		x := float32(i-2) * 70
		d.line(curveThrough(x*0.4, -86, x*1.12, 20, x*0.8, 124), 3, d.c.darker(0.5), 0.4)
	}
	d.soft(ellipse(0, -60, 170, 36), s, 16)
}

func drawRockingChair(d *drawing) {
	s := d.made(wood)
	back := d.made(wood)
	d.tube(curveThrough(-230, 210, -100, 262, 60, 266, 236, 200), 18, s)
	for _, p := range [][4]float32{{-120, 110, -140, 248}, {110, 90, 120, 252}} {
		d.rod(p[0], p[1], p[2], p[3], 16, s)
	}
	d.soft(shape("-128,110! -220,-210! -190,-222! -80,96!"), back, 10)
	for i := range 4 {
		d.tube([]point{{-120 + float32(i)*12, 80}, {-206 + float32(i)*10, -200}}, 8, s)
	}
	d.soft(shape("-140,92 -120,74! 130,66 150,84 140,112 -120,124"), d.upholstery(), 14)
	d.tube(curveThrough(-168, -20, -60, -30, 120, -30, 140, -16), 16, s)
	d.rod(120, -26, 120, 80, 14, s)
	d.tube(curveThrough(-236, 222, -104, 276, 60, 280, 242, 212), 18, s)
}

func putTableTop(d *drawing, c camera, w, depth, height, thick float32, s surface) {
	d.roundBox(c, 0, height, 0, w, thick, depth, 0, s)
}

func drawTable(d *drawing) {
	c := newCamera(26, 22)
	s := d.made(wood)
	w, depth, h := d.between(420, 500), d.between(220, 270), d.between(190, 220)
	legs := s
	if d.one(2) == 1 && d.material != wooden {
		legs = d.frame()
	}
	putLegsBelow(d, c, w, depth, h, 14, d.between(16, 28), legs)
	d.box(c, 24, h-34, 24, w-48, 34, depth-48, legs)
	putTableTop(d, c, w, depth, h, 16, s)
}

func drawDesk(d *drawing) {
	c := newCamera(24, 20)
	s := d.made(wood)
	w := d.between(460, 520)
	legs := d.frame()
	d.box(c, 14, 0, 190, 18, 210, 18, legs)
	d.box(c, 14, 0, 14, 18, 210, 18, legs)
	d.box(c, w-150, 30, 20, 136, 180, 180, s)

	for i := range 3 {
		y := 40 + float32(i)*56
		d.flat(c.onFront(rounded(0, 0, 124, 48, 4), w-144, y+48, 18), s, 1.08, 0.98)
		d.line([]point{c.at(w-100, y+26, 18), c.at(w-64, y+26, 18)}, 6, charcoal, 0.9)
	}
	d.box(c, w-146, 0, 24, 14, 30, 14, legs)
	d.box(c, w-34, 0, 24, 14, 30, 14, legs)
	putTableTop(d, c, w, 220, 210, 16, s)
}

func drawRoundTable(d *drawing) {
	s := d.made(wood)
	if d.one(2) == 0 {
		d.lathe(body(0, "40,70 18,90 18,220 26,240 100,262 120,270"), d.frame(), 0.22)
	} else {
		for _, x := range []float32{-60, 60} {
			d.cone(x*0.8, 60, x*1.5, 250, 20, 12, d.frame())
			d.cone(x*1.8, 60, x*2.9, 290, 22, 12, d.frame())
		}
	}
	d.lathe(turnedBody{0, []point{{240, 34}, {240, 56}}}, s, 0.28)
	d.flat(ellipse(0, 34, 240, 67), s, 1.2, 1.02)
	if d.material == glassy {
		d.flat(ellipse(0, 34, 240, 67), glossy(skyBlue.lighter(0.6)).faded(0.6), 1.2, 1)
	}
}

func drawSofa(d *drawing) {
	s := d.upholstery()
	w := d.between(270, 320)
	seats := 2 + d.one(2)
	putShortLegs(d, -w+20, w-20, 160)
	d.soft(rounded(-w, -150, 2*w, 280, 34), s, 26)
	step := (2*w - 40) / float32(seats)
	for i := range seats {
		x := -w + 20 + step*float32(i)
		d.soft(pillowRect(x+3, -128, step-6, 150), s, 34)
	}

	d.soft(rounded(-w, 84, 2*w, 86, 16), s, 20)
	for i := range seats {
		x := -w + 20 + step*float32(i)
		d.soft(rounded(x+2, 26, step-4, 74, 22), s, 26)
	}
	arm := rounded(w-26, -36, 74, 206, d.between(20, 37))
	d.soft(arm, s, 28)
	d.reflected(0, func() { d.soft(arm, s, 28) })
	d.turned(-9, -w+80, 0, func() { d.soft(pillowShape(-w+92, -18, 66, 58), cloth(d.second), 28) })
	if d.one(2) == 0 {
		d.turned(8, w-90, 0, func() { d.soft(pillowShape(w-96, -14, 62, 54), cloth(d.c.lighter(0.45)), 28) })
	}
}

func pillowRect(x, y, w, h float32) path {
	return shape(f("%g,%g %g,%g %g,%g %g,%g %g,%g %g,%g %g,%g %g,%g", x+8, y+6, x+w/2, y-5, x+w-8, y+6, x+w+2, y+h/2,
		x+w-6, y+h, x+w/2, y+h+2, x+6, y+h, x-2, y+h/2))
}

func drawCornerSofa(d *drawing) {
	s := d.upholstery()
	putShortLegs(d, -330, 330, 190)
	d.soft(rounded(-350, -150, 660, 260, 34), s, 26)
	for i := range 3 {
		d.soft(pillowRect(-330+float32(i)*208, -130, 202, 146), s, 34)
	}
	d.soft(rounded(-350, 84, 420, 86, 16), s, 20)
	for i := range 2 {
		d.soft(rounded(-334+float32(i)*206, 26, 202, 74, 22), s, 26)
	}

	d.soft(shape("80,30! 300,30! 352,150 348,190! 66,190! 70,120"), s, 24)
	d.soft(shape("74,104! 344,104! 352,206! 340,216 76,216 66,206!"), s, 16)
	arm := rounded(-384, -36, 66, 206, 26)
	d.soft(arm, s, 26)
	d.soft(rounded(292, -100, 66, 190, 26), s, 26)
	d.turned(-9, -250, 0, func() { d.soft(pillowShape(-254, -18, 66, 58), cloth(d.second), 28) })
	d.turned(9, 200, 0, func() { d.soft(pillowShape(206, -18, 66, 58), cloth(d.c.lighter(0.4)), 28) })
}

func drawBed(d *drawing) {
	c := newCamera(32, 24)
	s := d.made(wood)
	linen := cloth(mix(white, d.second, 0.12))
	w := d.between(260, 320)
	d.box(c, -8, 0, 400, w+16, d.between(170, 230), 20, s)
	d.box(c, 0, 20, 0, w, 56, 400, s)
	d.box(c, 0, 0, 4, 20, 20, 20, s)
	d.box(c, w-20, 0, 4, 20, 20, 20, s)
	d.roundBox(c, 6, 70, 6, w-12, 46, 388, 16, cloth(white))

	for _, x := range []float32{20, w/2 + 8} {
		p := c.at(x+w*0.21, 138, 356)
		d.soft(pillowShape(p.x, p.y, w*0.2, 34), cloth(white), 22)
	}
	duvet := c.onTop(rounded(0, -4, w, 300, 18), 0, 126, 0)
	d.soft(convex(append(duvet[0], c.at(0, 74, -4), c.at(w, 74, -4), c.at(w, 80, 290))), linen, 20,
		fold{[]point{c.at(40, 126, 40), c.at(w*0.5, 126, 120)}, 16, 0.3}, fold{[]point{c.at(w*0.6, 126, 30),
			c.at(w*0.8, 126, 180)}, 16, 0.3})
	d.soft(c.onTop(rounded(-2, 244, w+4, 50, 14), 0, 130, 0), cloth(d.second), 10)
}

func drawBunkBed(d *drawing) {
	c := newCamera(28, 16)
	s := d.made(wood)
	for _, z := range []float32{180, 0} {
		for _, x := range []float32{0, 420} {
			d.box(c, x, 0, z, 20, 420, 20, s)
		}
		for _, y := range []float32{80, 280} {
			if z > 0 {
				d.box(c, 20, y, 6, 400, 30, 190, s)
				d.roundBox(c, 24, y+28, 10, 392, 40, 176, 10, cloth(white))
				d.soft(c.onTop(rounded(0, 0, 260, 186, 12), 150, y+72, 2), cloth(d.second), 10)
				p := c.at(70, y+84, 90)
				d.soft(pillowShape(p.x, p.y, 52, 26), cloth(white), 16)
			}
		}
	}

	d.box(c, 20, 370, 0, 300, 14, 10, s)
	d.box(c, 20, 336, 0, 300, 14, 10, s)
	for i := range 7 {
		d.box(c, 340, 40+float32(i)*52, -6, 80, 10, 10, s)
	}
	d.box(c, 336, 0, -6, 10, 380, 10, s)
}

func drawMattress(d *drawing) {
	c := newCamera(32, 30)
	d.roundBox(c, 0, 0, 0, 320, 76, 420, 22, cloth(d.c.lighter(0.2)))
	var folds []fold
	for i := 1; i < 6; i++ {
		folds = append(folds, fold{[]point{c.at(20, 76, float32(i)*70), c.at(300, 76, float32(i)*70)}, 9, 0.7},
			fold{[]point{c.at(float32(i)*53, 76, 20), c.at(float32(i)*53, 76, 400)}, 9, 0.7})
	}
	d.softUncast(c.onTop(rounded(0, 0, 320, 420, 20), 0, 77, 0), cloth(white), 8, folds...)
	d.line([]point{c.at(20, 40, 0), c.at(300, 40, 0)}, 8, d.second, 0.8)
}

func drawBookcase(d *drawing) {
	c := newCamera(24, 12)
	s := d.made(wood)
	w, h, depth := d.between(210, 300), d.between(420, 500), float32(110)
	d.box(c, 0, 0, depth-8, w, h, 8, s)
	d.box(c, 0, 0, 0, 12, h, depth, s)
	shelves := 4 + d.one(2)
	step := (h - 24) / float32(shelves)

	for i := range shelves + 1 {
		y := 12 + step*float32(i)
		d.box(c, 12, y-12, 0, w-24, 12, depth, s)
		if i < shelves {
			putShelfItems(d, c, 22, y, 20, w-44, step-30, i)
		}
	}
	d.box(c, w-12, 0, 0, 12, h, depth, s)
}

// putShelfItems draws some books and a vase on a shelf.
func putShelfItems(d *drawing, c camera, x, y, z, w, h float32, seed int) {
	tones := []rgb{d.second, palette["navy"], palette["terracotta"], cream, palette["green"], palette["burgundy"],
		greyTone}
	end := x + w*d.between(0.4, 0.75)
	for i := 0; x < end; i++ {
		thick := d.between(12, 24)
		height := h * d.between(0.66, 0.95)
		d.box(c, x, y, z, thick-2, height, 50, matte(tones[(i*3+seed)%len(tones)]))
		x += thick
	}
	if seed%2 == 0 {
		p := c.at(x+30, y, z+20)
		d.lathe(turnedBody{p.x, []point{{8, p.y - h*0.6}, {20, p.y - h*0.3}, {12, p.y}}}, glossy(cream), 0.3)
	}
}

func drawWallShelf(d *drawing) {
	d.hang()
	c := newCamera(20, 14)
	s := d.made(wood)
	for _, x := range []float32{60, 380} {
		d.box(c, x, -70, 0, 12, 70, 100, metal(charcoal))
	}
	d.box(c, 0, 0, 0, 460, 20, 120, s)
	putShelfItems(d, c, 40, 20, 30, 260, 130, 2)
	p := c.at(390, 20, 50)
	putPlant(d, p.x, p.y, 0.5)
}

// putPlant draws a plant in a pot that stands on a point.
func putPlant(d *drawing, x, y, scale float32) {
	d.placed(scale, x, y, func() {
		for i := range 9 {
			angle := float32(i-4) * 19
			c := mix(leaf, leafDark, float32(i%3)/2)
			d.turned(angle, 0, -100, func() {
				d.soft(shape("0,-90 18,-150 12,-230 0,-268! -12,-230 -18,-150"), satin(c), 8, crease(4, 0.5, 0,
					-100, 0, -260))
			})
		}
		d.lathe(turnedBody{0, []point{{66, -110}, {70, -96}, {64, -94}, {46, 0}}}, matte(palette["terracotta"]), 0.2)
		d.flat(ellipse(0, -110, 60, 11), matte(soil), 1, 1.1)
	})
}

func putDoors(d *drawing, c camera, w, h float32, n int, s surface) {
	step := (w - 12) / float32(n)
	for i := range n {
		x := 6 + step*float32(i)
		d.flat(c.onFront(rounded(0, 0, step-4, h-16, 4), x+2, h-6, -3), s, 1.08, 0.96)
		if d.one(2) == 0 {
			d.flat(c.onFront(rounded(22, 22, step-48, h-60, 4).without(rounded(26, 26, step-56, h-68, 3)), x+2, h-6,
				-4), matte(s.colour.darker(0.25)).faded(0.6), 1, 1)
		}
		knob := x + step - 20
		if i%2 == 1 {
			knob = x + 18
		}
		d.line([]point{c.at(knob, h*0.56, -8), c.at(knob, h*0.46, -8)}, 7, brass, 1)
	}
}

func drawCabinet(d *drawing) {
	c := newCamera(26, 12)
	s := d.made(satin)
	w, h := d.between(280, 360), d.between(430, 480)
	d.box(c, 0, 16, 0, w, h, 150, s)
	d.placed(1, 0, -16, func() { putDoors(d, c, w, h, 2+d.one(2), s) })
	for _, x := range []float32{6, w - 26} {
		d.box(c, x, 0, 6, 20, 16, 20, s)
	}
	if d.one(4) == 3 {
		d.placed(1, 0, -16, func() {
			d.flat(c.onFront(rounded(24, 30, w/2-56, h-80, 4), 0, h, -4), glossy(skyBlue.lighter(0.4)), 1.25, 0.9)
		})
	}
}

func drawDresser(d *drawing) {
	c := newCamera(26, 16)
	s := d.made(wood)
	w, h := d.between(340, 420), d.between(260, 300)
	putLegsBelow(d, c, w, 160, 60, 16, 18, d.frame())
	d.box(c, 0, 50, 0, w, h, 160, s)
	rows := 3 + d.one(2)
	step := (h - 12) / float32(rows)

	for i := range rows {
		y := 50 + 6 + step*float32(i+1)
		d.flat(c.onFront(rounded(0, 0, w-16, step-6, 4), 8, y-2, -3), s, 1.1, 0.98)
		for _, x := range []float32{w * 0.26, w * 0.74} {
			p := c.at(x, y-step/2, -6)
			d.ball(p.x, p.y, 8, 8, metal(brass))
		}
	}
	p := c.at(w*0.8, 50+h, 70)
	d.lathe(turnedBody{p.x, []point{{10, p.y - 90}, {14, p.y - 76}, {34, p.y - 36}, {22, p.y}}}, glossy(d.second), 0.24)
}

func drawCoatRack(d *drawing) {
	s := d.made(wood)
	d.lathe(body(0, "20,420 90,440 100,450"), s, 0.2)
	d.rod(0, -20, 0, 430, 22, s)
	for i, side := range []float32{-1, 1, -1, 1} {
		y := float32(i/2)*80 + 10
		d.tube(curveThrough(0, y+40, side*50, y+34, side*84, y-6, side*88, y-40), 13, s)
		d.ball(side*88, y-44, 11, 11, s)
	}
	d.ball(0, -30, 18, 18, s)
}

func drawCot(d *drawing) {
	c := newCamera(26, 18)
	s := d.made(wood)
	rails := func(z float32) {
		d.box(c, 0, 250, z, 420, 18, 16, s)
		for i := range 14 {
			d.box(c, 12+float32(i)*30, 90, z+4, 10, 160, 8, s)
		}
		d.box(c, 0, 76, z, 420, 18, 16, s)
	}

	rails(200)
	d.roundBox(c, 14, 96, 16, 392, 36, 180, 10, cloth(white))
	d.soft(c.onTop(rounded(0, 0, 250, 170, 14), 150, 134, 20), cloth(d.second), 10)
	for _, p := range [][2]float32{{0, 200}, {404, 200}, {0, 0}, {404, 0}} {
		d.box(c, p[0], 0, p[1], 18, 268, 18, s)
	}
	rails(0)
}

func drawMirror(d *drawing) {
	d.hang()
	frame := d.made(metal)
	var outer, inner path
	switch d.one(4) {
	case 0:
		outer, inner = ellipse(0, 0, 200, 200), ellipse(0, 0, 184, 184)
	case 1:
		outer, inner = rounded(-140, -230, 280, 460, 140), rounded(-126, -216, 252, 432, 126)
	case 2:
		outer, inner = rounded(-160, -220, 320, 440, 12), rounded(-140, -200, 280, 400, 6)
	default:
		outer, inner = rounded(-170, -210, 340, 420, 60), rounded(-156, -196, 312, 392, 48)
	}

	d.soft(outer, frame, 8)
	d.flat(inner, glossy(rgb{206, 216, 222}), 1.35, 0.85)
	d.fillEven(inner.each(func(p point) point { return point{p.x*0.3 - 60 + p.y*-0.28, p.y * 0.84} }),
		matte(rgb{255, 255, 255}).faded(0.25), 1)
	d.fillEven(inner.each(func(p point) point { return point{p.x*0.1 + 40 + p.y*-0.28, p.y * 0.84} }),
		matte(rgb{255, 255, 255}).faded(0.25), 1)
}

func drawVase(d *drawing) {
	outline := []string{
		"34,-110 30,-96 24,-60 60,0 104,70 108,130 70,200 52,206", "44,-120 40,-110 36,0 52,60 84,140 80,190 60,206",
		"26,-150 22,-140 20,-60 76,-20 96,50 90,140 60,204", "80,-110 84,-100 70,-20 92,60 104,120 80,190 64,206",
	}[d.one(4)]
	b := body(0, outline)
	s := d.made(glossy)
	r := b.outline[0].x
	c := []rgb{leaf, {168, 176, 120}, {196, 170, 110}, leafDark}[d.one(4)]

	for i := range 5 {
		lean := float32(i-2) * 46
		stem := curveThrough(lean*0.1, b.top()+10, lean*0.5, b.top()-90, lean*1.3, b.top()-190-float32(i%3)*26)
		d.line(stem, 4, c.darker(0.3), 1)
		for k := 4; k < len(stem); k += 4 {
			p := stem[k]
			for _, side := range []float32{-38, 38} {
				d.turned(side+lean*0.3, p.x, p.y, func() {
					d.soft(shape(f("%g,%g %g,%g %g,%g! %g,%g", p.x, p.y, p.x+9, p.y-20, p.x, p.y-42, p.x-9,
						p.y-20)), satin(c), 5)
				})
			}
		}
	}

	if d.material == glassy {
		d.glass(b, mix(d.c, skyBlue.lighter(0.5), 0.4), 0.2)
		return
	}
	d.opening(0, b.top(), r, 0.2, s, d.c.darker(0.6))
	putLatheOpen(d, b, s)
	if d.one(2) == 1 {
		d.latheOn(b.part(110, 122, 0.2), b, matte(d.second))
		d.latheOn(b.part(130, 136, 0.2), b, matte(d.second))
	}
}

// putLatheOpen draws a body of revolution whose upper end is open: its edge is curved downwards.
func putLatheOpen(d *drawing, b turnedBody, s surface) {
	d.latheOn(b.part(b.top(), b.bottom(), 0.2), b, s)
}

func drawPlantPot(d *drawing) {
	s := d.made(matte)
	putPlant(d, 0, -20, 1)
	d.lathe(body(0, "88,-140 92,-112 84,-110 62,0"), s, 0.2)
	d.opening(0, -140, 88, 0.2, s, soil)
	for i := range 7 {
		d.turned(float32(i-3)*24, 0, -130, func() {
			d.soft(shape("0,-118 22,-180 14,-256 0,-296! -14,-256 -22,-180"), satin(mix(leaf, leafDark,
				float32(i%3)/2)), 9, crease(4, 0.5, 0, -130, 0, -290))
		})
	}
}

func drawTrough(d *drawing) {
	c := newCamera(22, 20)
	s := d.made(matte)
	for i := range 9 {
		p := c.at(30+float32(i)*46, 104, 60)
		putFlowerHead(d, p.x, p.y-40-float32(i%3)*24, 24, []rgb{palette["pink"], sunny, white, signalRed}[i%4])
	}
	d.box(c, 0, 0, 0, 440, 110, 110, s)
	d.fillEven(c.onTop(rect(12, 12, 416, 86), 0, 110, 0), matte(soil), 1)
	for i := range 9 {
		p := c.at(30+float32(i)*46, 116, 40)
		putFlowerHead(d, p.x, p.y-30-float32(i%3)*30, 26, []rgb{palette["pink"], sunny, white,
			signalRed}[(i+d.Style)%4])
	}
}

// putFlowerHead draws a flower with a stem and leaves below it.
func putFlowerHead(d *drawing, x, y, r float32, c rgb) {
	d.line(curveThrough(x, y, x+4, y+r, x, y+r*2.4), 5, leafDark, 1)
	for _, side := range []float32{-50, 50} {
		d.turned(side, x, y+r*1.6, func() {
			d.soft(shape(f("%g,%g %g,%g %g,%g! %g,%g", x, y+r*1.6, x+r*0.36, y+r*0.8, x, y+r*0.2, x-r*0.36,
				y+r*0.8)), satin(leaf), 5)
		})
	}
	for i := range 6 {
		sin, cos := sincos(float32(i) * 60)
		d.soft(ellipse(x+cos*r*0.6, y+sin*r*0.6, r*0.46, r*0.46), satin(c), r*0.3)
	}
	d.ball(x, y, r*0.34, r*0.34, satin(amber))
}

func drawHangingBasket(d *drawing) {
	d.hang()
	for _, x := range []float32{-150, 0, 150} {
		d.line([]point{{x, 0}, {0, -260}}, 5, walnut, 1)
	}
	for i := range 16 {
		putFlowerHead(d, -140+float32(i%6)*56, -20-float32(i/6)*34+float32(i%2)*10, 26, []rgb{palette["pink"],
			white, palette["turquoise"].darker(0.1), sunny}[(i+d.Style)%4])
	}
	d.lathe(body(0, "160,0 166,14 150,60 96,130 40,160"), wicker(mix(d.c, kraft, 0.5)), 0.14)
}

func drawWallClock(d *drawing) {
	d.hang()
	s := d.made(satin)
	d.ball(0, 0, 210, 210, s)
	face := rgb{250, 248, 243}
	if d.one(2) == 1 {
		face = d.c.lighter(0.08)
	}
	d.flat(ellipse(0, 0, 186, 186), matte(face), 0.94, 1.05)
	putClockFace(d, 0, 0, 186, face.contrast())
}

// putClockFace draws the marks and the hands of a clock at ten past ten.
func putClockFace(d *drawing, x, y, r float32, c rgb) {
	for i := range 12 {
		sin, cos := sincos(float32(i) * 30)
		long := float32(0.12)
		if i%3 == 0 {
			long = 0.2
		}
		d.line([]point{{x + cos*r*0.88, y + sin*r*0.88}, {x + cos*r*(0.88-long), y + sin*r*(0.88-long)}}, r*0.04, c,
			0.9)
	}

	for _, h := range [][3]float32{{-150, 0.5, 0.06}, {-30, 0.72, 0.045}, {96, 0.78, 0.02}} {
		sin, cos := sincos(h[0])
		tone := c
		if h[2] < 0.03 {
			tone = signalRed
		}
		line := []point{{x - cos*r*0.1, y - sin*r*0.1}, {x + cos*r*h[1], y + sin*r*h[1]}}
		d.cast(stroke(line, r*h[2]))
		d.line(line, r*h[2], tone, 1)
	}
	d.ball(x, y, r*0.06, r*0.06, metal(brass))
}

func drawAlarmClock(d *drawing) {
	s := d.made(glossy)
	for _, x := range []float32{-100, 100} {
		d.cone(x, 130, x*1.3, 216, 24, 14, metal(steel))
		d.turned(x*0.34, x, -160, func() { d.ball(x, -160, 66, 48, metal(brass)) })
	}
	d.tube(curveThrough(-70, -190, 0, -240, 70, -190), 12, metal(steel))
	d.rod(0, -230, 0, -150, 14, metal(steel))
	d.ball(0, 0, 180, 180, s)
	d.flat(ellipse(0, 0, 148, 148), matte(rgb{250, 248, 240}), 0.92, 1.05)
	putClockFace(d, 0, 0, 148, charcoal)
}

func drawPicture(d *drawing) {
	d.hang()
	frame := d.made(wood)
	d.soft(rect(-180, -230, 360, 460), frame, 7)
	d.flat(rect(-160, -210, 320, 420), matte(paperTone), 0.96, 1.04)
	if d.one(2) == 0 {
		putScreen(d, rect(-110, -150, 220, 300))
		return
	}
	tones := []rgb{palette["terracotta"], palette["green"], sunny, palette["navy"]}
	d.fillEven(ellipse(-20, -50, 76, 76), matte(tones[d.one(4)]), 1)
	d.fillEven(shape("-100,140! -90,20 -40,-20 10,40 20,140!"), matte(tones[(d.Style+1)%4]).faded(0.9), 1)
	d.fillEven(shape("-10,140! 10,40 50,0 100,60 104,140!"), matte(tones[(d.Style+2)%4]).faded(0.9), 1)
}

func drawCurtain(d *drawing) {
	d.hang()
	s := cloth(d.c)
	d.rod(-250, -240, 250, -240, 16, metal(brass))
	d.ball(-256, -240, 17, 17, metal(brass))
	d.ball(256, -240, 17, 17, metal(brass))
	d.flat(rect(-110, -228, 220, 470), matte(rgb{236, 242, 246}), 1.05, 0.95)
	d.line([]point{{0, -226}, {0, 240}}, 8, white, 1)
	d.line([]point{{-110, 0}, {110, 0}}, 8, white, 1)
	panel := func() {
		var folds []fold
		for i := range 6 {
			x := -226 + float32(i)*26
			folds = append(folds, crease(15, 0.8, x, -220, x+3, 0, x-2, 244))
		}
		d.soft(shape("-240,-232! -70,-232! -74,0 -62,248! -160,254 -246,248! -238,0"), s, 14, folds...)
	}

	panel()
	d.reflected(0, panel)
	if d.one(2) == 0 {
		for _, x := range []float32{-156, 156} {
			d.soft(rounded(x-84, 40, 168, 20, 8), cloth(d.second), 6)
		}
	}
}

func drawBlind(d *drawing) {
	d.hang()
	s := d.made(cloth)
	d.flat(rect(-200, -210, 400, 440), matte(rgb{236, 242, 246}), 1.08, 0.92)
	d.line([]point{{0, -200}, {0, 230}}, 8, white, 1)
	if d.one(2) == 0 {
		d.plate(rect(-206, -200, 412, 300), s)
		d.rod(-206, 102, 206, 102, 14, satin(white))
	} else {
		for y := float32(-190); y < 130; y += 24 {
			d.plate(rounded(-206, y, 412, 20, 4), s)
		}
	}
	d.soft(rounded(-216, -236, 432, 44, 14), satin(white), 12)
	d.line([]point{{180, -190}, {182, 170}}, 4, greyTone, 0.9)
}

// putPattern draws an ornament on a flat cloth.
func putPattern(d *drawing, x, y, w, h float32) {
	c := d.second
	switch d.one(4) {
	case 0:
		for i := range 3 {
			k := float32(i) * 22
			d.fillEven(rect(x+k+14, y+k+14, w-2*k-28, h-2*k-28).without(rect(x+k+20, y+k+20, w-2*k-40, h-2*k-40)),
				cloth(c), 1)
		}

		d.fillEven(poly(x+w/2, y+h*0.24, x+w*0.74, y+h/2, x+w/2, y+h*0.76, x+w*0.26, y+h/2), cloth(c), 1)
		d.fillEven(poly(x+w/2, y+h*0.34, x+w*0.64, y+h/2, x+w/2, y+h*0.66, x+w*0.36, y+h/2), cloth(d.c), 1.05)
	case 1:
		for i := range 7 {
			d.fillEven(rect(x, y+h*(float32(i)+0.3)/7, w, h*0.055), cloth(c), 1)
		}
	case 2:

		for i := range 5 {
			for k := range 4 {
				cx, cy := x+w*(float32(k)+0.5)/4, y+h*(float32(i)+0.5)/5
				d.fillEven(poly(cx, cy-h*0.08, cx+w*0.1, cy, cx, cy+h*0.08, cx-w*0.1, cy), cloth(c), 1)
			}
		}
	default:
		d.fillEven(ellipse(x+w*0.36, y+h*0.34, w*0.26, h*0.2), cloth(c), 1)
		d.fillEven(ellipse(x+w*0.66, y+h*0.66, w*0.2, h*0.22), cloth(d.c.lighter(0.35)), 1)
	}
}

func putFringe(d *drawing, x, y, w float32) {
	for i := float32(0); i < w; i += 8 {
		d.line(curveThrough(x+i, y, x+i+2, y+12, x+i, y+22), 3, cream, 1)
	}
}

func drawRug(d *drawing) {
	d.lay()
	d.turned(-7, 0, 0, func() {
		putFringe(d, -170, 238, 340)
		putFringe(d, -170, -260, 340)
		d.soft(rounded(-172, -240, 344, 480, 8), plush(d.c), 6)
		putPattern(d, -172, -240, 344, 480)
	})
}

func drawRunner(d *drawing) {
	d.lay()
	d.turned(-16, 0, 0, func() {
		d.soft(rounded(-84, -270, 168, 540, 6), plush(d.c), 6)
		putPattern(d, -84, -270, 168, 540)
	})
}

func drawDoormat(d *drawing) {
	d.lay()
	d.turned(-6, 0, 0, func() {
		d.soft(rounded(-250, -150, 500, 300, 8), plush(d.c), 6)
		d.fillEven(rounded(-232, -132, 464, 264, 4).without(rounded(-224, -124, 448, 248, 3)),
			plush(d.c.darker(0.5)), 1)
		d.words("HELLO", 0, 0, 300, d.c.darker(0.6))
	})
}

func drawBedLinen(d *drawing) {
	s := cloth(d.c)
	for i := range 3 {
		y := 150 - float32(i)*62
		c := []surface{cloth(d.c.lighter(0.5)), s, cloth(white)}[i]
		d.soft(rounded(-220+float32(i)*6, y, 440-float32(i)*12, 68, 30), c, 24, crease(8, 0.5, -200, y+34, 0, y+38,
			200, y+34))
	}
	d.soft(pillowShape(0, -80, 200, 110), s, 54, crease(14, 0.3, -120, -150, -60, -110), crease(14, 0.3, 120, -20,
		70, -50))
	for i := range 6 {
		d.fillEven(ellipse(-120+float32(i%3)*120, -110+float32(i/3)*64, 9, 9), matte(d.second).faded(0.7), 1)
	}
	d.soft(rounded(-36, 14, 72, 206, 8), satin(d.second), 6)
}

func drawPillow(d *drawing) {
	s := cloth(d.c)
	d.soft(pillowShape(20, 60, 240, 140), cloth(d.c.darker(0.06)), 70)
	d.soft(pillowShape(-10, -40, 240, 146), s, 76, crease(20, 0.3, -200, -140, -130, -90), crease(20, 0.3, 190, 60,
		120, 20),
		crease(20, 0.3, 180, -140, 120, -100))
	d.line(curveThrough(-246, -182, -10, -166, 226, -182), 4, d.second, 0.7)
}

func drawCushion(d *drawing) {
	d.turned(-8, 0, 0, func() {
		d.soft(pillowShape(0, 0, 200, 200), d.upholstery(), 84, crease(18, 0.3, -170, -150, -110, -90), crease(18,
			0.3, 160, 150, 100, 90))
		if d.one(2) == 1 {
			d.stitches(dense([]point{{-130, -130}, {130, -130}, {130, 130}, {-130, 130}, {-130, -130}}, 6), 10,
				d.second)
		} else {
			d.ball(0, 0, 12, 12, d.upholstery())
		}
	})
}

func drawBlanket(d *drawing) {
	s := knitted(d.c)
	if d.one(2) == 1 {
		s = plush(d.c)
	}
	for i := range 4 {
		y := 130 - float32(i)*66
		d.soft(rounded(-230+float32(i)*4, y, 460-float32(i)*8, 74, 34), s, 28, crease(9, 0.6, -150, y+38, 230, y+38))
	}
	d.soft(shape("-214,-74! 200,-74! 214,-40 -60,-30 -70,120 -90,176! -190,176! -206,60"), s, 22,
		crease(16, 0.3, -140, -40, -140, 170))
	putFringe(d, -190, 172, 104)
}

func drawTowel(d *drawing) {
	tones := []rgb{d.c, d.c.lighter(0.4), d.second}
	for i := range 3 + d.one(2) {
		y := 150 - float32(i)*62
		t := plush(tones[i%3])
		d.soft(rounded(-200+float32(i)*5, y, 400-float32(i)*10, 66, 31), t, 24, crease(8, 0.7, -120, y+34, 200, y+34))
		d.line([]point{{-150 + float32(i)*5, y + 14}, {-150 + float32(i)*5, y + 54}}, 9, tones[i%3].lighter(0.5), 0.6)
	}
}

func drawTablecloth(d *drawing) {
	s := cloth(d.c)
	for _, x := range []float32{-190, 190} {
		d.rod(x, 100, x, 250, 16, wood(beech))
	}
	var folds []fold
	for i := range 9 {
		x := -216 + float32(i)*54
		folds = append(folds, crease(14, 0.7, x, -20, x*1.05, 100, x*1.1, 180))
	}
	d.soft(shape("-230,-60! 230,-60! 262,150 250,190! 130,170 40,190 -60,172 -150,190 -252,186! -260,150"), s, 16,
		folds...)
	d.flat(ellipse(0, -60, 236, 40), s, 1.12, 1.02)
}

func drawCandle(d *drawing) {
	if d.one(2) == 0 {
		b := body(0, "104,-60 108,-50 108,140 96,160")
		d.flat(ellipse(0, -60, 104, 22), glossy(mix(d.c, white, 0.4)), 1.2, 1)
		putLatheOpen(d, b, satin(mix(d.c, cream, 0.2)))
		d.latheOn(b.part(10, 96, 0.2), b, matte(paperTone))
		d.words(d.Label, 0, 62, 120, charcoal)
	} else {
		d.lathe(body(0, "72,-130 76,-124 76,160"), satin(d.c), 0.2)
		d.flat(ellipse(0, -130, 72, 14), satin(d.c), 1.2, 1.05)
	}

	upper := float32(-62)
	if d.one(2) == 1 {
		upper = -130
	}
	d.line([]point{{0, upper + 6}, {1, upper - 18}}, 5, charcoal, 1)
	d.fillEven(ellipse(0, upper-46, 46, 62), matte(rgb{255, 220, 140}).faded(0.16), 1.2)
	d.fillEven(shape(f("0,%g! 15,%g 0,%g -15,%g", upper-86, upper-38, upper-14, upper-38)), matte(rgb{255, 190,
		80}), 1.2)
	d.fillEven(shape(f("0,%g! 7,%g 0,%g -7,%g", upper-58, upper-32, upper-18, upper-32)), matte(rgb{255, 244, 200}),
		1.2)
}

func drawDiffuser(d *drawing) {
	for i := range 6 {
		lean := float32(i-3)*26 + 13
		d.rod(lean*0.1, -40, lean*1.3, -260+float32(i%2)*20, 7, wood(kraft))
	}
	d.lathe(body(0, "26,-70 30,-64 30,-34"), satin(white), 0.24)
	b := body(0, "30,-40 60,-20 96,30 100,130 88,150")
	d.glass(b, rgb{230, 190, 130}, 0.2)
	d.latheOn(b.part(40, 140, 0.2), b, glossy(rgb{226, 176, 104}).faded(0.55))
	d.flat(rounded(-48, 44, 96, 70, 4), matte(paperTone), 1.05, 0.97)
	d.words(d.Label, 0, 80, 76, charcoal)
}

func drawLounger(d *drawing) {
	s := d.frame()
	d.tube([]point{{-60, 60}, {-110, 190}}, 16, s)
	d.tube([]point{{-40, 60}, {230, 190}}, 16, s)
	d.tube([]point{{-130, 190}, {150, 50}}, 16, s)
	d.soft(shape("-260,-200! -226,-212! -90,30 20,56 190,40! 200,66! 20,90 -110,70 -150,30"), cloth(d.c), 16,
		crease(10, 0.4, -200, -120, -170, -134), crease(10, 0.4, -150, -20, -112, -36), crease(10, 0.4, 60, 56, 62, 86))
	d.tube(curveThrough(-200, -30, -90, -46, 90, -40, 110, 40), 16, wood(beech))
	d.soft(rounded(-258, -206, 60, 80, 20).turn(-28, -230, -170), cloth(d.c.lighter(0.3)), 16)
}

func drawSwing(d *drawing) {
	frame := d.frame()
	for _, x := range []float32{-260, 260} {
		d.rod(x*0.9, -220, x*1.12, 240, 16, frame)
	}
	d.soft(shape("-270,-236! 270,-236! 292,-190 0,-180 -292,-190"), cloth(d.c), 16)
	for _, x := range []float32{-190, 190} {
		d.line([]point{{x, -190}, {x, 80}}, 5, steel, 1)
	}
	d.soft(rounded(-210, -20, 420, 120, 26), cloth(d.c.lighter(0.12)), 26, crease(9, 0.5, -70, -16, -70, 96),
		crease(9, 0.5, 70, -16, 70, 96))
	d.soft(rounded(-216, 76, 432, 60, 22), cloth(d.c), 22)
	d.turned(-8, -120, 20, func() { d.soft(pillowShape(-130, 30, 50, 46), cloth(d.second), 22) })
}

func drawFoldingBed(d *drawing) {
	c := newCamera(24, 24)
	for _, x := range []float32{30, 220, 400} {
		d.tube([]point{c.at(x, 100, 10), c.at(x+20, 0, 10), c.at(x+20, 0, 150), c.at(x, 100, 150)}, 11, metal(steel))
	}
	d.roundBox(c, 0, 92, 0, 460, 20, 170, 8, cloth(d.c))
	p := c.at(400, 124, 84)
	d.soft(pillowShape(p.x, p.y, 56, 40), cloth(white), 22)
}
