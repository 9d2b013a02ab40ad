package drawing

func techKinds() map[string]design {
	return map[string]design{
		"phone": plain(drawPhone, charcoal), "feature phone": plain(drawFeaturePhone, charcoal),
		"tablet": plain(drawTablet, greyTone), "e-reader": plain(drawEReader, charcoal),
		"phone case": plain(drawPhoneCase, palette["blue"]), "flip case": plain(drawFlipCase, palette["brown"]),
		"screen glass": plain(drawScreenGlass, skyBlue), "charger": plain(drawCharger, white),
		"power bank": plain(drawPowerBank, charcoal), "cable": plain(drawCable, white),
		"phone holder": plain(drawPhoneHolder, charcoal), "laptop": plain(drawLaptop, steel),
		"monitor": plain(drawMonitor, charcoal), "keyboard": plain(drawKeyboard, charcoal),
		"mouse": plain(drawMouse, charcoal), "gamepad": plain(drawGamepad, white), "drive": plain(drawDrive, charcoal),
		"memory stick": plain(drawMemoryStick, palette["red"]), "memory card": plain(drawMemoryCard, charcoal),

		"printer": plain(drawPrinter, white), "scanner": plain(drawScanner, charcoal),
		"cartridge": plain(drawCartridge, charcoal), "router": plain(drawRouter, white),
		"television": plain(drawTelevision, charcoal), "headphones": plain(drawHeadphones, charcoal),
		"earbuds": plain(drawEarbuds, white), "speaker": plain(drawSpeaker, charcoal),
		"soundbar": plain(drawSoundbar, charcoal), "radio": plain(drawRadio, palette["red"]),
		"microphone": plain(drawMicrophone, charcoal), "camera": plain(drawCamera, charcoal),
		"action camera": plain(drawActionCamera, charcoal), "security camera": plain(drawSecurityCamera, white),
		"lens": plain(drawLens, charcoal), "tripod": plain(drawTripod, charcoal), "watch": plain(drawWatch, charcoal),
		"fitness band": plain(drawFitnessBand, charcoal), "watch strap": plain(drawWatchStrap, palette["brown"]),
		"car radio": plain(drawCarRadio, charcoal), "mouse mat": plain(drawMouseMat, charcoal),
	}
}

// putScreen draws a lit display with a picture.
func putScreen(d *drawing, p path) {
	b := noBounds()
	b.add(p)
	w, h := b.width(), b.height()
	skies := [][2]rgb{{{36, 62, 120}, {232, 136, 110}}, {{24, 90, 110}, {150, 210, 190}}, {{70, 40, 110}, {230, 120,
		150}},
		{{20, 40, 80}, {90, 150, 220}}}[d.one(4)]
	d.flat(p, matte(mix(skies[0], skies[1], 0.4)), 0.8, 1.3)

	d.flat(ellipse(b.x0+w*0.66, b.y0+h*0.34, min(w, h)*0.13, min(w, h)*0.13), matte(rgb{255, 236, 200}).faded(0.9),
		1.1, 1)
	hill := func(base, rise float32, c rgb) {
		var upper []point
		for i := range 25 {
			t := float32(i) / 24
			upper = append(upper, point{b.x0 + w*t, b.y0 + h*(base-rise*fastSin(t*5+base*9))})
		}
		upper = append(upper, point{b.x1, b.y1}, point{b.x0, b.y1})
		d.fillEven(path{upper}, matte(c), 1)
	}

	hill(0.62, 0.09, mix(skies[0], skies[1], 0.3).darker(0.2))
	hill(0.76, 0.07, skies[0].darker(0.25))
	hill(0.9, 0.05, skies[0].darker(0.5))
	// A reflection of the window.
	d.fillEven(poly(b.x0, b.y0, b.x0+w*0.42, b.y0, b.x0+w*0.16, b.y1, b.x0, b.y1), matte(rgb{255, 255,
		255}).faded(0.07), 1)
}

func drawPhone(d *drawing) {
	// The back with the cameras, and the front before it.
	d.turned(8, 90, 0, func() {
		d.soft(rounded(10, -220, 214, 440, 36), satin(d.c), 8)
		d.soft(rounded(26, -204, 86, 120, 26), satin(d.c.lighter(0.08)), 6)
		for i := range 2 + d.one(2) {
			x, y := float32(50+i%2*38), -172+float32(i)*28
			d.ball(x, y, 19, 19, metal(steel))
			d.ball(x, y, 14, 14, glossy(nearBlack))
			d.ball(x-3, y-4, 5, 5, glossy(rgb{70, 90, 130}))
		}
	})

	d.turned(-7, -80, 0, func() {
		d.soft(rounded(-196, -220, 214, 440, 36), metal(mix(d.c, steel, 0.35)), 6)
		d.fillEven(rounded(-190, -214, 202, 428, 32), matte(nearBlack), 1)
		putScreen(d, rounded(-183, -207, 188, 414, 26))
		d.fillEven(rounded(-116, -198, 54, 14, 7), matte(nearBlack), 1)
		d.line([]point{{-120, 196}, {-58, 196}}, 5, white, 0.8)
	})
}

func drawFeaturePhone(d *drawing) {
	s := satin(d.c)
	d.turned(6, 0, 0, func() {
		d.soft(rounded(-96, -220, 192, 440, 44), s, 22)
		d.fillEven(rounded(-74, -188, 148, 150, 12), matte(nearBlack), 1)
		putScreen(d, rounded(-66, -180, 132, 134, 6))
		d.soft(ellipse(0, 6, 34, 30), metal(steel), 8)
		for i := range 12 {
			d.soft(rounded(-76+float32(i%3)*54, 52+float32(i/3)*38, 46, 28, 10), satin(d.c.lighter(0.25)), 6)
		}
	})
}

func drawTablet(d *drawing) {
	d.turned(-6, 0, 0, func() {
		d.soft(rounded(-190, -250, 380, 500, 26), metal(mix(d.c, steel, 0.3)), 6)
		d.fillEven(rounded(-184, -244, 368, 488, 22), matte(nearBlack), 1)
		putScreen(d, rounded(-168, -226, 336, 452, 8))
	})
	if d.one(2) == 1 {
		d.turned(-12, 230, 0, func() {
			d.lathe(body(236, "9,-180 9,170"), satin(white), 0.2)
			d.cone(236, 170, 236, 200, 18, 3, satin(white))
		})
	}
}

func drawEReader(d *drawing) {
	d.turned(5, 0, 0, func() {
		d.soft(rounded(-160, -220, 320, 440, 20), satin(d.c), 8)
		d.fillEven(rounded(-134, -196, 268, 356, 4), matte(rgb{226, 224, 214}), 1)
		for i := range 15 {
			w := 220 - float32(i*37%60)
			d.line([]point{{-110, -164 + float32(i)*21}, {-110 + w, -164 + float32(i)*21}}, 4, charcoal, 0.55)
		}
		d.ball(0, 190, 13, 13, satin(d.c.lighter(0.2)))
	})
}

func drawPhoneCase(d *drawing) {
	d.lay()
	s := d.made(satin)
	if d.material == plastic || d.material == unknownMaterial {
		s = satin(d.c)
	}

	d.turned(9, 0, 0, func() {
		d.soft(rounded(-118, -236, 236, 472, 44), s, 13)
		d.soft(rounded(-96, -214, 96, 128, 30), matte(nearBlack), 4)
		for i := range 3 {
			d.ball(-70+float32(i%2)*42, -180+float32(i)*28, 17, 17, metal(steel))
			d.ball(-70+float32(i%2)*42, -180+float32(i)*28, 12, 12, glossy(nearBlack))
		}
		switch d.one(4) {
		case 1:
			for i := range 6 {
				d.line(curveThrough(-100, 20+float32(i)*32, -30, float32(i)*32, 40, 40+float32(i)*30, 110,
					10+float32(i)*32), 5, d.second, 0.7)
			}
		case 2:
			d.soft(ellipse(0, 60, 64, 64).without(ellipse(0, 60, 50, 50)), satin(d.c.lighter(0.3)), 3)
		}
	})
}

func drawFlipCase(d *drawing) {
	d.turned(4, 0, 0, func() {
		d.soft(rounded(-10, -220, 220, 440, 30), leather(d.c.darker(0.2)), 8)
		d.fillEven(rounded(6, -204, 190, 408, 24), matte(nearBlack), 1)
		putScreen(d, rounded(14, -196, 174, 392, 18))
		d.soft(poly(-8, -222, 8, -218, 8, 218, -8, 222), leather(d.c.darker(0.35)), 6)
		d.soft(shape("-8,-222! -180,-250! -196,-236 -200,236 -184,252! -8,222!"), leather(d.c), 8)
		d.stitches(dense([]point{{-22, -208}, {-182, -232}, {-184, 234}, {-22, 208}}, 5), 8, d.c.lighter(0.4))
	})
}

func drawScreenGlass(d *drawing) {
	d.turned(7, 0, 0, func() {
		d.soft(rounded(-150, -190, 210, 430, 34), satin(charcoal), 8)
		putScreen(d, rounded(-140, -180, 190, 410, 26))
	})
	d.turned(-6, 0, 0, func() {
		d.flat(rounded(-80, -240, 210, 430, 34), glossy(skyBlue.lighter(0.5)).faded(0.42), 1.2, 1)
		d.fillEven(rounded(-80, -240, 210, 430, 34).without(rounded(-75, -235, 200, 420, 30)),
			matte(white).faded(0.9), 1)
		d.fillEven(poly(-60, -180, 60, -234, 100, -234, -70, 40), matte(rgb{255, 255, 255}).faded(0.4), 1)
		d.fillEven(rounded(0, -222, 50, 12, 6), matte(charcoal).faded(0.4), 1)
	})
}

func drawCharger(d *drawing) {
	c := newCamera(30, 22)
	s := satin(d.c)
	putCableLoop(d, palette["white"], 120, 20)
	for _, y := range []float32{60, 130} {
		p, q := c.at(-60, y, 80), c.at(0, y, 80)
		d.rod(p.x, p.y, q.x, q.y, 18, metal(steel))
	}
	d.roundBox(c, 0, 0, 0, 170, 190, 150, 28, s)
	d.fillEven(c.onRight(rounded(40, 76, 70, 30, 15), 170, 190, 0), matte(nearBlack), 1)
	d.fillEven(c.onFront(rounded(66, 150, 40, 6, 3), 0, 190, 0), matte(leaf), 1)
}

// putCableLoop draws a cable that lies in loops to the right.
func putCableLoop(d *drawing, c rgb, x, y float32) {
	d.tube(curveThrough(x, y-60, x+110, y-120, x+210, y-60, x+200, y+20, x+110, y+30, x+90, y-30, x+170, y-70,
		x+260, y-20, x+290, y+40), 12, rubber(c))
}

func drawPowerBank(d *drawing) {
	d.turned(-14, 0, 0, func() {
		d.soft(rounded(-110, -210, 220, 420, 34), satin(d.c), 20)
		d.fillEven(rounded(-50, -212, 42, 14, 6), matte(nearBlack), 1)
		d.fillEven(rounded(12, -212, 34, 14, 6), matte(nearBlack), 1)
		for i := range 4 {
			d.ball(-36+float32(i)*24, 160, 6, 6, glossy(skyBlue.lighter(0.5)))
		}
		d.words(d.Label, 0, 10, 130, d.c.contrast())
	})
}

func drawCable(d *drawing) {
	d.lay()
	s := rubber(d.c)
	for _, r := range []float32{150, 126, 102} {
		d.tube(arc(0, 0, r, r*0.92, float32(r), float32(r)+330), 16, s)
	}
	d.tube(curveThrough(60, 120, 130, 170, 210, 130, 240, 70), 16, s)
	d.tube(curveThrough(-90, 100, -150, 170, -220, 150, -250, 100), 16, s)
	for _, e := range [][3]float32{{240, 70, -64}, {-250, 100, 208}} {
		d.turned(e[2]+90, e[0], e[1], func() {
			d.soft(rounded(e[0]-16, e[1]-70, 32, 70, 8), satin(d.c), 8)
			d.flat(rounded(e[0]-11, e[1]-98, 22, 30, 5), metal(steel), 1.1, 0.9)
		})
	}
	d.soft(rounded(-14, -172, 28, 92, 10), rubber(charcoal), 8)
}

func drawPhoneHolder(d *drawing) {
	s := satin(d.c)
	d.lathe(body(0, "90,230 96,240 100,262"), s, 0.24)
	d.cone(0, 236, 0, 70, 40, 26, s)
	d.ball(0, 64, 26, 26, metal(steel))
	d.turned(-10, 0, 0, func() {
		d.soft(rounded(-70, -190, 140, 262, 20), s, 10)
		d.soft(rounded(-62, -230, 124, 270, 20), satin(nearBlack), 5)
		putScreen(d, rounded(-55, -223, 110, 256, 14))
		d.soft(rounded(-84, 30, 168, 44, 14), s, 10)
	})
}

func drawLaptop(d *drawing) {
	s := metal(mix(d.c, steel, 0.25))
	d.soft(shape("-226,-260! 226,-260! 240,-246 240,40! -240,40! -240,-246"), s, 5)
	d.fillEven(rounded(-232, -252, 464, 288, 10), matte(nearBlack), 1)
	putScreen(d, rect(-218, -238, 436, 258))
	base := poly(-240, 40, 240, 40, 306, 170, -306, 170)
	d.cast(base)
	d.flat(base, s, 1.12, 1.0)
	keys := poly(-206, 52, 206, 52, 240, 118, -240, 118)
	d.fillEven(keys, matte(s.colour.darker(0.35)), 0.95)

	for row := range 4 {
		t := (float32(row) + 0.12) / 4
		u := (float32(row) + 0.86) / 4
		for i := range 13 {
			a, b := float32(i)/13+0.008, float32(i+1)/13-0.008
			at := func(k, t float32) point {
				half := 206 + 34*t
				return point{-half + 2*half*k, 52 + 66*t}
			}
			d.flat(path{{at(a, t), at(b, t), at(b, u), at(a, u)}}, satin(nearBlack), 1.15, 0.95)
		}
	}
	d.flat(poly(-72, 126, 72, 126, 78, 162, -78, 162), s, 1.0, 1.08)
	d.flat(shape("-306,170! 306,170! 304,182 292,188 -292,188 -304,182"), s, 0.85, 0.6)
}

func drawMonitor(d *drawing) {
	s := satin(d.c)
	d.lathe(body(0, "110,236 124,240 128,250"), s, 0.16)
	d.flat(poly(-36, 60, 36, 60, 44, 240, -44, 240), metal(mix(d.c, steel, 0.4)), 0.95, 0.75)
	d.soft(rounded(-290, -190, 580, 340, 12), s, 5)
	putScreen(d, rect(-280, -180, 560, 312))
	d.ball(262, 141, 3, 3, glossy(leaf))
}

func drawTelevision(d *drawing) {
	s := satin(d.c)
	for _, x := range []float32{-190, 190} {
		d.soft(shape(f("%g,190! %g,190! %g,232 %g,236 %g,236 %g,232", x-10, x+10, x+56, x+50, x-50, x-56)), s, 5)
	}
	d.soft(rounded(-340, -200, 680, 396, 6), s, 4)
	putScreen(d, rect(-332, -192, 664, 376))
}

func drawKeyboard(d *drawing) {
	d.lay()
	s := satin(d.c)
	d.turned(-8, 0, 0, func() {
		d.soft(rounded(-330, -110, 660, 220, 16), s, 8)
		key := satin(d.c.lighter(0.14))

		for row := range 5 {
			y := -94 + float32(row)*38
			for i := range 16 {
				x := -316 + float32(i)*39.5
				if row == 4 && i > 3 && i < 10 {
					if i == 4 {
						d.soft(rounded(x, y, 232, 33, 6), key, 5)
					}
					continue
				}
				k := key
				if row == 0 && i == 0 || row == 2 && i == 12 {
					k = satin(d.second)
				}
				d.soft(rounded(x, y, 34, 33, 6), k, 5)
			}
		}
	})
}

func drawMouse(d *drawing) {
	s := satin(d.c)
	d.turned(18, 0, 0, func() {
		d.soft(shape("0,-200 92,-176 122,-60 124,60 96,170 0,206 -96,170 -124,60 -122,-60 -92,-176"), s, 66)
		d.line(curveThrough(-121, -40, 0, -20, 121, -40), 4, d.c.darker(0.6), 0.7)
		d.line([]point{{0, -198}, {0, -24}}, 4, d.c.darker(0.6), 0.7)
		d.soft(rounded(-15, -140, 30, 78, 14), rubber(charcoal), 10)
		for y := float32(-128); y < -70; y += 11 {
			d.line([]point{{-12, y}, {12, y}}, 3, greyTone, 0.5)
		}
	})
}

func drawGamepad(d *drawing) {
	d.lay()
	s := satin(d.c)
	d.soft(shape("-120,-110 0,-96 120,-110 200,-90 250,60 240,160 190,170 120,70 0,60 -120,70 -190,170 -240,160 "+
		"-250,60 -200,-90"), s, 46)
	for _, p := range []point{{-62, 22}, {62, 22}} {
		d.ball(p.x, p.y, 38, 38, rubber(charcoal))
		d.ball(p.x, p.y-4, 28, 28, rubber(greyTone.darker(0.4)))
	}
	d.soft(rounded(-166, -52, 74, 24, 6).with(rounded(-141, -77, 24, 74, 6)), rubber(charcoal), 6)
	for i, c := range []rgb{amber, signalRed, leaf, skyBlue.darker(0.3)} {
		sin, cos := sincos(float32(i) * 90)
		d.ball(134+cos*32, -40+sin*32, 15, 15, glossy(c))
	}
	d.soft(rounded(-28, -70, 56, 20, 10), rubber(charcoal), 6)
}

func drawDrive(d *drawing) {
	d.turned(-9, 0, 0, func() {
		d.soft(rounded(-130, -190, 260, 380, 26), satin(d.c), 10)
		d.soft(rounded(-114, -174, 228, 348, 16), satin(d.c.lighter(0.06)), 4)
		d.words(d.Label, 0, -20, 150, d.c.contrast())
		d.ball(96, 160, 5, 5, glossy(skyBlue))
	})
	d.tube(curveThrough(20, 186, 30, 250, 120, 262, 180, 210), 14, rubber(charcoal))
}

func drawMemoryStick(d *drawing) {
	d.lay()
	d.turned(34, 0, 0, func() {
		d.flat(rect(-44, -220, 88, 110), metal(steel), 1.15, 0.9)
		for _, x := range []float32{-26, 10} {
			d.fillEven(rect(x, -196, 18, 22), matte(charcoal), 1)
		}
		d.soft(rounded(-62, -116, 124, 300, 24), d.made(satin), 14)
		d.fillEven(ellipse(0, 150, 14, 14), matte(rgb{225, 223, 220}), 0.8)
		d.words(d.Label, 0, 20, 92, d.c.contrast())
	})
}

func drawMemoryCard(d *drawing) {
	d.lay()
	d.turned(-8, 0, 0, func() {
		d.soft(shape("-150,-190! 90,-190! 150,-130! 150,190! -150,190!"), satin(d.c), 8)
		d.plate(poly(-128, -90, 128, -90, 128, 168, -128, 168), matte(d.second))
		d.words(d.Label, 0, 20, 200, d.second.contrast())
		for i := range 7 {
			d.fillEven(rect(-120+float32(i)*30, -176, 20, 58), metal(brass), 1)
		}
	})
}

func drawPrinter(d *drawing) {
	c := newCamera(26, 22)
	s := satin(d.c)
	d.fillEven(c.onFront(rect(70, -120, 260, 150), 0, 200, 150), matte(white), 1.02)
	d.roundBox(c, 0, 0, 0, 400, 190, 260, 22, s)
	d.fillEven(c.onFront(rounded(60, 110, 280, 44, 6), 0, 190, 0), matte(nearBlack), 1)
	d.flat(path{{c.at(80, 60, -4), c.at(320, 60, -4), c.at(320, 40, -110), c.at(80, 40, -110)}}, matte(white), 1.02,
		0.95)
	for i := range 4 {
		d.line([]point{c.at(110, 58-float32(i)*4, -16-float32(i)*20), c.at(290, 58-float32(i)*4,
			-16-float32(i)*20)}, 3, greyTone, 0.6)
	}
	d.fillEven(c.onTop(rounded(40, 30, 120, 50, 6), 0, 190, 0), matte(nearBlack), 1.2)
}

func drawScanner(d *drawing) {
	c := newCamera(24, 26)
	d.roundBox(c, 0, 0, 0, 360, 50, 460, 14, satin(d.c))
	d.fillEven(c.onTop(rect(26, 30, 308, 390), 0, 50, 0), matte(d.c.lighter(0.1)), 1.25)
	d.fillEven(c.onTop(rect(60, 400, 240, 16), 0, 50, 0), matte(greyTone), 1)
}

func drawCartridge(d *drawing) {
	c := newCamera(30, 20)
	d.box(c, 0, 0, 0, 300, 120, 120, satin(charcoal))
	d.box(c, 40, 120, 20, 220, 26, 80, satin(charcoal.lighter(0.1)))
	d.fillEven(c.onFront(rect(24, 30, 252, 60), 0, 120, 0), matte(d.c.lighter(0.3)), 1)
	for i, k := range []rgb{{0, 150, 190}, {200, 40, 120}, {236, 200, 40}} {
		d.fillEven(c.onFront(rect(40+float32(i)*40, 44, 30, 32), 0, 120, 0), matte(k), 1)
	}
}

func drawRouter(d *drawing) {
	s := satin(d.c)
	for _, x := range []float32{-170, -60, 60, 170} {
		d.cone(x, 90, x*1.22, -170, 22, 15, s)
	}
	d.soft(shape("-240,70 -220,56! 220,56! 240,70 250,150! -250,150!"), s, 16)
	d.flat(rounded(-252, 136, 504, 34, 12), satin(d.c.darker(0.15)), 1, 0.7)
	for i := range 6 {
		d.ball(-60+float32(i)*24, 152, 4, 4, glossy(rgb{120, 230, 150}))
	}
}

func drawHeadphones(d *drawing) {
	s := satin(d.c)
	d.tube(arc(0, 0, 170, 190, 196, 344), 34, s)
	d.tube(arc(0, 6, 152, 168, 210, 330), 20, leather(d.c.darker(0.25)))
	for _, side := range []float32{-1, 1} {
		d.tube(curveThrough(side*163, -56, side*174, 0, side*168, 50), 12, metal(steel))
		d.soft(ellipse(side*140, 90, 46, 88), leather(charcoal), 22)
		d.soft(ellipse(side*166, 90, 48, 92), s, 26)
		d.soft(ellipse(side*172, 90, 26, 60), satin(d.c.lighter(0.1)), 12)
	}
}

func drawEarbuds(d *drawing) {
	s := glossy(d.c)
	d.soft(shape("-150,60 -130,20! 130,20! 150,60 150,150 120,200 0,210 -120,200 -150,150"), s, 36)
	d.soft(shape("-146,18 -120,-60 0,-84 120,-60 146,18! 0,26"), glossy(d.c.darker(0.12)), 22)
	d.fillEven(ellipse(0, 18, 132, 20), matte(d.c.darker(0.3)), 0.9)
	for _, side := range []float32{-1, 1} {
		d.soft(stroke(curveThrough(side*60, -70, side*66, 30), 32), s, 14)
		d.ball(side*52, -96, 44, 38, s)
		d.soft(ellipse(side*24, -104, 18, 24), rubber(d.c.darker(0.2)), 10)
		d.fillEven(ellipse(side*70, -90, 5, 12), matte(charcoal), 1)
	}
	d.ball(0, 120, 5, 5, glossy(leaf.lighter(0.3)))
}

// putGrille draws the cloth of a loudspeaker.
func putGrille(d *drawing, p path) {
	d.soft(p, surface{colour: charcoal.lighter(0.06), shine: 0.2, texture: weave(), relief: 0.3}, 10)
}

func drawSpeaker(d *drawing) {
	s := d.made(satin)
	switch d.one(4) {
	case 0:
		b := body(0, "120,-190 134,-170 138,0 134,170 120,190")
		d.lathe(b, surface{colour: d.c, shine: 0.2, texture: weave(), relief: 0.28}, 0.2)
		d.opening(0, -190, 120, 0.2, s, d.c.darker(0.35))
		d.ball(0, 176, 6, 6, glossy(skyBlue))
	case 1:

		d.soft(rounded(-270, -100, 540, 200, 98), surface{colour: d.c, shine: 0.2, texture: weave(), relief: 0.28}, 60)
		d.soft(ellipse(-252, 0, 30, 84), rubber(charcoal), 12)
		d.soft(ellipse(252, 0, 30, 84), rubber(charcoal), 12)
		d.words(d.Label, 0, 0, 130, d.c.contrast())
	default:
		c := newCamera(24, 16)
		d.roundBox(c, 0, 0, 0, 220, 370, 200, 12, s)

		for _, cone := range [][3]float32{{110, 110, 44}, {110, 250, 82}} {
			disc := c.onFront(ellipse(cone[0], cone[1], cone[2], cone[2]), 0, 370, 0)
			inner := c.onFront(ellipse(cone[0], cone[1], cone[2]*0.84, cone[2]*0.84), 0, 370, 0)
			d.flat(disc, metal(steel), 1.1, 0.8)
			d.flat(inner, matte(charcoal), 0.6, 1.5)
			p := c.onFront(ellipse(cone[0], cone[1], 1, 1), 0, 370, 0)[0][0]
			d.ball(p.x, p.y, cone[2]*0.34, cone[2]*0.34, satin(charcoal))
		}
	}
}

func drawSoundbar(d *drawing) {
	c := newCamera(14, 20)
	d.roundBox(c, 0, 0, 0, 640, 70, 90, 14, satin(d.c))
	putGrille(d, c.onFront(rounded(10, 10, 620, 50, 8), 0, 70, 0))
	d.fillEven(c.onFront(rect(590, 30, 20, 4), 0, 70, 0), matte(rgb{120, 220, 240}), 1)
	d.roundBox(c, 250, -100, -120, 70, 22, 150, 4, satin(charcoal))
}

func drawRadio(d *drawing) {
	c := newCamera(22, 16)
	s := d.made(satin)
	d.tube(curveThrough(60, -236, 90, -300, 330, -330, 400, -282), 16, leather(walnut))
	d.rod(420, -250, 470, -420, 7, metal(steel))
	d.roundBox(c, 0, 0, 0, 420, 240, 130, 34, s)
	putGrille(d, c.onFront(rounded(24, 30, 220, 180, 20), 0, 240, 0))
	d.flat(c.onFront(rounded(262, 34, 134, 70, 8), 0, 240, 0), matte(rgb{250, 236, 200}), 1.05, 0.95)
	d.line([]point{c.at(320, 200, 0), c.at(320, 142, 0)}, 4, signalRed, 1)
	for _, x := range []float32{296, 364} {
		p := c.at(x, 72, 0)
		d.ball(p.x, p.y, 28, 28, metal(brass))
	}
}

func drawMicrophone(d *drawing) {
	s := satin(d.c)
	d.lathe(body(0, "96,250 104,258 106,274"), s, 0.22)
	d.rod(0, 100, 0, 256, 18, metal(steel))
	d.tube(curveThrough(-84, -60, -86, 60, 0, 112, 86, 60, 84, -60), 14, metal(steel))
	d.lathe(body(0, "62,-20 62,60 54,86 20,94"), s, 0.16)
	d.soft(rounded(-64, -190, 128, 176, 60), surface{colour: steel.darker(0.25), shine: 0.6, texture: weave(),
		relief: 0.5}, 44)
	d.soft(rounded(-68, -34, 136, 20, 6), metal(brass), 6)
}

func drawCamera(d *drawing) {
	s := satin(d.c)
	d.soft(shape("-70,-130! -46,-168! 46,-168! 70,-130!"), s, 10)
	d.soft(rounded(-230, -132, 460, 280, 30), s, 16)
	d.soft(rounded(-222, -84, 444, 190, 12), leather(charcoal.lighter(0.03)), 8)
	if d.one(2) == 1 {
		d.flat(rounded(-228, -130, 456, 44, 18), metal(steel), 1.1, 0.9)
	}
	d.lathe(body(-160, "34,-160 36,-154 36,-132"), metal(steel), 0.3)
	d.lathe(body(164, "28,-156 30,-150 30,-132"), metal(charcoal), 0.3)
	d.flat(rounded(-24, -156, 48, 14, 4), metal(steel), 1, 0.8)
	putLensFront(d, 20, 20, 118)
	d.ball(-180, -56, 10, 10, glossy(signalRed))
}

// putLensFront draws a lens from its front.
func putLensFront(d *drawing, x, y, r float32) {
	d.ball(x, y, r, r, satin(charcoal))
	d.flat(ellipse(x, y, r*0.92, r*0.92), metal(charcoal.lighter(0.1)), 1.1, 0.8)
	d.flat(ellipse(x, y, r*0.78, r*0.78), matte(nearBlack), 0.7, 1.6)
	d.flat(ellipse(x, y, r*0.62, r*0.62), glossy(rgb{30, 34, 56}), 0.7, 1.5)
	d.ball(x, y, r*0.5, r*0.5, glossy(rgb{40, 36, 74}))
	d.flat(ellipse(x-r*0.16, y-r*0.2, r*0.2, r*0.14).turn(-30, x-r*0.16, y-r*0.2), matte(rgb{190, 200,
		250}).faded(0.55), 1.2, 0.9)
	d.flat(ellipse(x+r*0.18, y+r*0.22, r*0.1, r*0.07), matte(rgb{210, 160, 220}).faded(0.4), 1, 1)
}

func drawActionCamera(d *drawing) {
	s := satin(d.c)
	d.soft(rounded(-170, -130, 340, 260, 34), s, 20)
	d.soft(rounded(20, -116, 136, 136, 24), satin(nearBlack), 8)
	putLensFront(d, 88, -48, 54)
	d.fillEven(rounded(-146, -90, 136, 120, 10), matte(nearBlack), 1)
	putScreen(d, rounded(-138, -82, 120, 104, 6))
	d.flat(rounded(-60, -146, 70, 18, 6), satin(signalRed), 1, 0.8)
	d.words(d.Label, -60, 84, 130, d.c.contrast())
}

func drawSecurityCamera(d *drawing) {
	d.hang()
	s := satin(d.c)
	d.soft(ellipse(190, -110, 40, 70), s, 12)
	d.tube(curveThrough(190, -110, 120, -120, 60, -60), 26, s)
	d.turned(68, 0, 0, func() {
		d.lathe(body(0, "58,-170 76,-150 78,120 74,150"), s, 0.2)
		d.flat(ellipse(0, 150, 72, 16), matte(nearBlack), 1.2, 0.8)
	})
	d.turned(-22, 0, 0, func() { putLensFront(d, -146, 2, 34) })
	d.soft(shape("-190,-70! 100,-150! 130,-120! -170,-20!").move(0, -6), s, 10)
}

func drawLens(d *drawing) {
	b := body(0, "104,-190 112,-180 112,-120 118,-112 118,40 112,50 112,120 96,134 96,180")
	d.lathe(b, satin(charcoal), 0.22)
	for y := float32(-106); y < 30; y += 12 {
		d.latheOn(b.part(y, y+6, 0.22), b, rubber(nearBlack))
	}
	d.latheOn(b.part(62, 72, 0.22), b, satin(mix(d.c, signalRed, 0.5)))
	d.latheOn(b.part(140, 180, 0.22), b, metal(steel))
	d.flat(ellipse(0, -190, 104, 23), satin(charcoal), 1.4, 0.9)
	d.flat(ellipse(0, -188, 88, 18), glossy(rgb{44, 40, 84}), 0.7, 1.9)
	d.flat(ellipse(-30, -192, 30, 5), matte(rgb{190, 200, 255}).faded(0.6), 1.1, 1)
}

func drawTripod(d *drawing) {
	s := satin(d.c)
	d.cone(0, -60, 26, 330, 22, 12, metal(charcoal))
	d.cone(-14, -60, -150, 360, 24, 13, s)
	d.cone(14, -60, 160, 356, 24, 13, s)
	d.rod(-70, 120, 76, 120, 8, metal(steel))
	d.lathe(body(0, "40,-80 44,-70 34,-40"), s, 0.2)
	d.rod(0, -170, 0, -70, 24, metal(steel))
	d.soft(rounded(-44, -210, 88, 44, 10), s, 10)
	d.rod(30, -186, 150, -120, 10, s)
}

func drawWatch(d *drawing) {
	strap := rubber(d.c)
	d.soft(shape("-66,-110! -58,-250 -40,-300 40,-300 58,-250 66,-110!"), strap, 16)
	d.soft(shape("-66,110! -58,250 -40,310 40,310 58,250 66,110!"), strap, 16)
	for i := range 4 {
		d.fillEven(ellipse(0, 190+float32(i)*26, 8, 6), matte(d.c.darker(0.6)), 1)
	}

	round := d.one(2) == 1
	if round {
		d.ball(0, 0, 132, 132, metal(mix(d.c, steel, 0.6)))
		d.fillEven(ellipse(0, 0, 116, 116), matte(nearBlack), 1)
		d.flat(ellipse(0, 0, 106, 106), satin(d.c.lighter(0.08)), 1.2, 0.7)
		for i := range 12 {
			sin, cos := sincos(float32(i) * 30)
			d.line([]point{{cos * 84, sin * 84}, {cos * 98, sin * 98}}, 5, white, 0.85)
		}
	} else {
		d.soft(rounded(-112, -132, 224, 264, 62), metal(mix(d.c, steel, 0.5)), 14)
		d.fillEven(rounded(-100, -120, 200, 240, 52), matte(nearBlack), 1)
		putScreen(d, rounded(-90, -110, 180, 220, 44))
	}
	d.soft(rounded(112, -34, 20, 50, 8), metal(steel), 6)
	d.words("10:09", 0, -20, 130, white)
}

func drawFitnessBand(d *drawing) {
	strap := rubber(d.c)
	d.soft(arcBand(0, 0, 170, 220, 60), strap, 14)
	d.soft(rounded(-52, -252, 104, 150, 40).turn(8, 0, -180), satin(nearBlack), 16)
	d.turned(8, 0, -180, func() {
		putScreen(d, rounded(-40, -238, 80, 122, 30))
		d.words("8462", 0, -184, 62, white)
	})
}

// arcBand returns a ring that looks like a band seen from the side.
func arcBand(cx, cy, rx, ry, width float32) path {
	return ellipse(cx, cy, rx, ry).without(ellipse(cx, cy-width*0.2, rx-width*0.62, ry-width*0.9))
}

func drawWatchStrap(d *drawing) {
	d.lay()
	s := leather(d.c)
	for i, x := range []float32{-70, 70} {
		d.turned(float32(i)*8-4, x, 0, func() {
			length := 200 + float32(i)*60
			d.soft(shape(f("%g,-200! %g,-200! %g,0 %g,%g %g,%g %g,0", x-42, x+42, x+36, x+28, length, x-28, length,
				x-36)), s, 14)
			d.stitches(dense(curveThrough(x-34, -180, x-29, 0, x-22, length-16), 5), 8, d.c.lighter(0.5))
			d.stitches(dense(curveThrough(x+34, -180, x+29, 0, x+22, length-16), 5), 8, d.c.lighter(0.5))
		})
	}

	d.plate(rounded(-120, -236, 100, 52, 10).without(rounded(-108, -226, 76, 30, 6)), metal(steel))
	for i := range 5 {
		d.fillEven(ellipse(72, 80+float32(i)*30, 6, 8), matte(d.c.darker(0.7)), 1)
	}
}

func drawCarRadio(d *drawing) {
	c := newCamera(16, 14)
	d.box(c, 14, -10, 20, 440, 150, 200, metal(steel))
	d.roundBox(c, 0, -20, 0, 470, 172, 20, 10, satin(charcoal))
	putScreen(d, c.onFront(rounded(110, 26, 250, 100, 6), 0, 152, 0))
	p := c.at(56, 66, 0)
	d.ball(p.x, p.y, 40, 40, metal(charcoal.lighter(0.1)))
	for i := range 6 {
		d.fillEven(c.onFront(rounded(112+float32(i)*42, 136, 34, 18, 4), 0, 152, 0), matte(greyTone), 0.8)
	}
	d.fillEven(c.onFront(rounded(384, 36, 60, 80, 6), 0, 152, 0), matte(nearBlack), 1.2)
}

func drawMouseMat(d *drawing) {
	d.lay()
	d.turned(-6, 0, 0, func() {
		d.soft(rounded(-290, -210, 580, 420, 26), cloth(d.c), 5)
		d.stitches(dense([]point{{-270, -190}, {270, -190}, {270, 190}, {-270, 190}, {-270, -190}}, 5), 8, d.second)
		d.placed(0.42, 130, 40, func() { drawMouse(d) })
	})
}
