package drawing

func playKinds() map[string]design {
	return map[string]design{
		"bricks": plain(drawBricks, signalRed), "train": plain(drawTrain, signalRed), "plane": plain(drawPlane,
			skyBlue),
		"ship": plain(drawShip, palette["navy"]), "helicopter": plain(drawHelicopter, signalRed),
		"doll": plain(drawDoll, palette["pink"]), "doll's house": plain(drawDollsHouse, palette["pink"]),
		"pram": plain(drawPram, palette["navy"]), "car seat": plain(drawCarSeat, charcoal),
		"high chair": plain(drawHighChair, white), "bear": plain(drawBear, rgb{176, 124, 80}),
		"rabbit": plain(drawRabbit, rgb{214, 200, 186}), "elephant": plain(drawElephant, rgb{150, 164, 178}),
		"owl": plain(drawOwl, palette["brown"]), "cat toy": plain(drawCatToy, greyTone),
		"unicorn": plain(drawUnicorn, white),
		"rattle":  plain(drawRattle, palette["yellow"]), "stacker": plain(drawStacker, signalRed),
		"play mat": plain(drawPlayMat, skyBlue), "tumbler": plain(drawTumblerDoll, signalRed),
		"board game": plain(drawBoardGame, palette["navy"]), "puzzle": plain(drawPuzzle, palette["blue"]),

		"cards": plain(drawCards, palette["red"]), "chess": plain(drawChess, walnut),
		"dominoes": plain(drawDominoes, cream),
		"toy car":  plain(drawToyCar, signalRed), "fire engine": plain(drawFireEngine, signalRed),
		"tractor": plain(drawTractor, leaf), "kite": plain(drawKite, palette["red"]),
		"sand set": plain(drawSandSet, palette["yellow"]), "bubbles": plain(drawBubbles, skyBlue),
		"scooter": plain(drawScooter, palette["blue"]), "tricycle": plain(drawTricycle, signalRed),
		"sledge": plain(drawSledge, beech), "roller skates": plain(drawRollerSkates, palette["blue"]),
		"tubing ring": plain(drawTubingRing, palette["blue"]), "paint set": plain(drawPaintSet, white),
		"clay": plain(drawClay, signalRed), "easel": plain(drawEasel, beech),
		"bicycle": plain(drawBicycle, palette["green"]), "helmet": plain(drawHelmet, white),
		"saddle": plain(drawSaddle, charcoal), "pedals": plain(drawPedals, charcoal),
		"bike light": plain(drawBikeLight, charcoal),
		"bike lock":  plain(drawBikeLock, charcoal), "yoga mat": plain(drawYogaMat, palette["blue"]),
		"dumbbell": plain(drawDumbbell, charcoal), "kettlebell": plain(drawKettlebell, charcoal),
		"weight disc": plain(drawWeightDisc, charcoal), "exercise bike": plain(drawExerciseBike, charcoal),

		"rowing machine": plain(drawRower, charcoal), "treadmill": plain(drawTreadmill, charcoal),
		"tent": plain(drawTent, palette["green"]), "sleeping bag": plain(drawSleepingBag, palette["blue"]),
		"football": plain(drawFootball, white), "basketball": plain(drawBasketball, palette["orange"]),
		"volleyball": plain(drawVolleyball, palette["blue"]), "racket": plain(drawRacket, palette["blue"]),
		"table tennis bat": plain(drawBat, signalRed), "swim goggles": plain(drawGoggles, palette["blue"]),
		"swim cap": plain(drawSwimCap, palette["blue"]), "pet bowl": plain(drawPetBowl, palette["red"]),
		"bone": plain(drawBone, cream), "lead": plain(drawLead, palette["red"]), "collar": plain(drawCollarBand,
			palette["red"]),
		"pet bed": plain(drawPetBed, greyTone), "litter tray": plain(drawLitterTray, greyTone),
		"cat tree": plain(drawCatTree, palette["beige"]), "aquarium": plain(drawAquarium, charcoal),
		"filter pump": plain(drawFilterPump, charcoal), "bird cage": plain(drawBirdCage, steel),
		"hutch": plain(drawHutch, oak), "hay": plain(drawHay, rgb{206, 190, 110}),
		"running wheel": plain(drawRunningWheel, palette["blue"]),
	}
}

func drawBricks(d *drawing) {
	c := newCamera(30, 26)
	tones := []rgb{d.c, sunny, palette["blue"], leaf, white}
	brick := func(x, y, z float32, nx, nz, tone int) {
		s := glossy(tones[(tone+d.Style)%5])
		d.box(c, x, y, z, float32(nx)*50-2, 58, float32(nz)*50-2, s)
		for k := nz - 1; k >= 0; k-- {
			for i := range nx {
				p := c.at(x+25+float32(i)*50, y+58, z+25+float32(k)*50)
				d.lathe(turnedBody{p.x, []point{{15, p.y - 11}, {15, p.y}}}, s, 0.45)
				d.flat(ellipse(p.x, p.y-11, 15, 6.6), s, 1.2, 1.05)
			}
		}
	}

	brick(0, 0, 100, 4, 2, 1)
	brick(200, 0, 100, 2, 2, 2)
	brick(50, 58, 100, 4, 2, 0)
	brick(100, 116, 100, 2, 2, 3)
	brick(-60, 0, -70, 2, 2, 3)
	brick(170, 0, -90, 4, 2, 0)
}

func putToyWheel(d *drawing, x, y, r float32, c rgb) {
	d.ball(x, y, r, r, satin(c))
	d.ball(x, y, r*0.5, r*0.5, satin(c.lighter(0.5)))
}

func drawTrain(d *drawing) {
	s := glossy(d.c)
	d.flat(rounded(-320, 190, 640, 14, 6), wood(oak), 1.1, 0.8)
	d.soft(rounded(-300, -10, 220, 150, 12), glossy(d.second), 12)
	for i := range 3 {
		d.soft(rounded(-286+float32(i)*66, 10, 54, 50, 8), glossy(skyBlue.lighter(0.4)), 6)
	}
	d.rod(-90, 120, -20, 120, 12, satin(charcoal))
	d.lathe(body(230, "34,-150 40,-140 24,-110 24,-30"), glossy(charcoal), 0.24)

	d.turned(90, 150, 40, func() { d.lathe(body(150, "70,-110 76,-100 76,150"), s, 0.3) })
	d.soft(rounded(-30, -110, 140, 240, 12), s, 12)
	d.soft(rounded(-50, -136, 180, 34, 14), glossy(palette["navy"]), 12)
	d.soft(rounded(-4, -80, 88, 80, 8), glossy(skyBlue.lighter(0.5)), 6)
	d.flat(rounded(-40, 110, 330, 34, 8), satin(charcoal), 1.2, 0.8)
	for _, w := range [][2]float32{{-250, 36}, {-130, 36}, {10, 46}, {120, 46}, {230, 46}} {
		putToyWheel(d, w[0], 192-w[1], w[1], sunny)
	}
}

func drawPlane(d *drawing) {
	s := glossy(d.c)
	d.turned(-10, 0, 0, func() {
		d.soft(shape("-60,-30! -10,-150 40,-250! 90,-250 80,-150 60,-20!"), satin(d.c.darker(0.12)), 14)
		d.soft(shape("200,-30! 250,-160! 290,-160! 270,-10!"), satin(d.second), 10)
		d.soft(shape("-300,10 -270,-40 -180,-56 100,-50 280,-30 300,0 200,40 -60,64 -230,56"), s, 40)
		for i := range 6 {
			d.fillEven(ellipse(-110+float32(i)*46, -14, 13, 13), glossy(charcoal.lighter(0.2)), 1.1)
		}
		d.soft(shape("-262,-40 -200,-54 -196,-20 -270,-12"), glossy(skyBlue.darker(0.3)), 8)
		d.soft(shape("-80,30! 60,24! 130,220! 70,226! -40,90"), satin(d.second), 16)
		d.soft(rounded(-20, 96, 90, 44, 20), satin(white), 18)
	})
}

func drawShip(d *drawing) {
	d.rod(-10, -330, -10, 60, 12, wood(beech))
	d.rod(150, -220, 150, 60, 10, wood(beech))
	d.soft(shape("-24,-310! -24,-60! -240,-40! -140,-160"), cloth(white), 26)
	d.soft(shape("6,-300! 20,-60! 130,-60! 110,-180"), cloth(cream), 22)
	d.soft(shape("164,-200! 170,-40! 270,-30! 230,-120"), cloth(white), 16)
	d.soft(shape("-14,-330! 70,-318 60,-296 -14,-290!"), cloth(signalRed), 6)
	d.soft(shape("-310,20! -200,40 200,40 320,-10! 270,150 200,190! -200,190! -270,140"), wood(mix(d.c, walnut,
		0.4)), 36)
	d.line(curveThrough(-290, 70, -180, 84, 200, 84, 300, 50), 10, d.second, 0.9)
	for i := range 5 {
		d.ball(-170+float32(i)*84, 126, 14, 14, metal(brass))
	}
}

func drawHelicopter(d *drawing) {
	s := glossy(d.c)
	d.soft(shape("60,-30! 290,-70! 300,-130! 326,-130! 326,-20! 90,40!"), s, 16)
	d.ball(316, -76, 40, 40, matte(greyTone).faded(0.4))
	d.tube(curveThrough(-200, 150, -150, 176, 100, 176, 150, 150), 14, metal(steel))
	d.rod(-80, 110, -90, 174, 10, metal(steel))
	d.rod(60, 110, 70, 174, 10, metal(steel))
	d.soft(shape("-230,50 -190,-60 -90,-110 60,-90 130,-20 110,90 0,124 -160,116"), s, 60)
	d.soft(shape("-214,30 -178,-54 -96,-90 -60,-80 -60,40 -160,56"), glossy(rgb{60, 80, 110}), 24)
	d.rod(-20, -160, -20, -96, 16, metal(charcoal))
	d.soft(shape("-330,-170 -20,-182 290,-170 300,-160 -20,-158 -330,-158"), satin(charcoal), 6)
}

func drawDoll(d *drawing) {
	hair := []rgb{walnut, brass, {150, 70, 40}, nearBlack}[d.one(4)]
	d.soft(shape("0,-290 90,-260 120,-170 110,-60 130,40! 60,10 -60,10 -130,40! -110,-60 -120,-170 -90,-260"),
		satin(hair), 40,
		crease(10, 0.4, -90, -200, -100, 0), crease(10, 0.4, 90, -200, 100, 0))
	for _, x := range []float32{-1, 1} {
		d.tube([]point{{x * 36, 200}, {x * 40, 330}}, 40, matte(skin))
		d.soft(ellipse(x*46, 342, 40, 22), leather(d.second), 16)
		d.tube(curveThrough(x*70, 30, x*130, 100, x*140, 180), 34, matte(skin))
	}

	d.soft(shape("-60,10! 60,10! 90,60 80,110 150,250! 90,270 0,262 -90,270 -150,250! -80,110 -90,60"), cloth(d.c), 36,
		crease(14, 0.4, -40, 120, -80, 250), crease(14, 0.4, 40, 120, 80, 250), crease(12, 0.4, 0, 120, 0, 250))
	d.line(curveThrough(-80, 112, 0, 124, 80, 112), 10, d.second, 0.9)
	d.ball(0, -130, 92, 100, matte(skin))
	d.soft(shape("-96,-130! -96,-220 -30,-250 50,-246 100,-200 98,-130! 70,-200 0,-176 -60,-196"), satin(hair), 16)
	for _, x := range []float32{-34, 34} {
		d.ball(x, -116, 13, 16, glossy(rgb{50, 70, 110}))
		d.fillEven(ellipse(x-4, -122, 4, 5), matte(white), 1)
		d.fillEven(ellipse(x*1.5, -84, 17, 11), matte(palette["pink"]).faded(0.5), 1)
	}
	d.line(arc(0, -84, 20, 12, 20, 160), 5, rgb{190, 70, 80}, 1)
}

func drawDollsHouse(d *drawing) {
	c := newCamera(18, 14)
	s := satin(d.c)
	d.box(c, 0, 0, 0, 380, 320, 130, s)
	for i := range 4 {
		x, y := 14+float32(i%2)*180, 14+float32(i/2)*156
		d.fillEven(c.onFront(rect(0, 0, 172, 140), x, y+140, -1), matte([]rgb{cream, skyBlue.lighter(0.3), rgb{236,
			210, 200}, rgb{210, 226, 206}}[i]), 1)
		d.fillEven(c.onFront(rect(0, 116, 172, 24), x, y+140, -1), wood(oak), 0.9)
	}

	d.placed(0.2, 70, -70, func() { drawBed(d) })
	d.placed(0.18, 270, -36, func() { drawArmchair(d) })
	d.placed(0.2, 70, -220, func() { drawTable(d) })
	d.placed(0.16, 320, -220, func() { drawTableLamp(d) })
	d.flat(path{{c.at(-20, 320, -6), c.at(400, 320, -6), c.at(190, 450, -6)}}, satin(d.second), 1.1, 0.9)
	d.flat(path{{c.at(400, 320, -6), c.at(190, 450, -6), c.at(190, 450, 140), c.at(400, 320, 140)}},
		satin(d.second), 0.8, 0.7)
	p := c.at(190, 370, -8)
	d.ball(p.x, p.y, 30, 30, glossy(skyBlue.lighter(0.4)))
}

func drawPram(d *drawing) {
	s := cloth(d.c)
	frame := metal(charcoal.lighter(0.1))
	d.tube(curveThrough(160, 40, 240, -110, 300, -190, 270, -216), 18, frame)
	d.rod(-160, 240, 120, 20, 14, frame)
	d.rod(150, 240, -60, 40, 14, frame)
	d.soft(shape("-220,0! 180,0! 170,70 110,110 -100,116 -190,80"), s, 40)
	d.soft(shape("10,4! -30,-160 -120,-196 -220,-120 -236,0!"), cloth(d.c.darker(0.12)), 40, crease(10, 0.5, 0, 0,
		-100, -180), crease(10, 0.5, 0, 0, -190, -130))
	d.soft(shape("0,-6! 60,-40 150,-30 186,6! 180,24 0,24"), cloth(d.second), 18)
	for _, x := range []float32{-150, 140} {
		d.ball(x, 240, 66, 66, rubber(nearBlack))
		d.flat(ellipse(x, 240, 48, 48), metal(steel), 1.1, 0.9)
		d.ball(x, 240, 16, 16, satin(charcoal))
	}
}

func drawCarSeat(d *drawing) {
	s := cloth(d.c)
	d.soft(shape("-150,220! -160,-100 -120,-230 0,-250 120,-230 160,-100 150,220!"), satin(charcoal), 40)
	d.soft(shape("-110,180 -120,-90 -90,-200 0,-220 90,-200 120,-90 110,180"), s, 40)
	for _, x := range []float32{-1, 1} {
		d.soft(shape(f("%g,-210 %g,-190 %g,-90 %g,-70", x*86, x*150, x*150, x*90)), s, 26)
		d.soft(shape(f("%g,0 %g,10 %g,190 %g,200", x*104, x*166, x*176, x*110)), s, 26)
		d.soft(stroke(curveThrough(x*50, -130, x*40, 20, x*8, 110), 24), cloth(charcoal), 7)
	}
	d.soft(rounded(-130, 150, 260, 90, 36), cloth(d.c.lighter(0.1)), 34)
	d.soft(rounded(-26, 96, 52, 54, 10), satin(signalRed), 10)
	d.soft(rounded(-60, -200, 120, 66, 26), cloth(d.second), 22)
}

func drawHighChair(d *drawing) {
	for _, p := range [][2]float32{{-90, -170}, {90, 170}, {-60, -110}, {60, 110}} {
		d.cone(p[0], 60, p[1], 330, 24, 15, wood(beech))
	}
	d.soft(shape("-90,-220 0,-240 90,-220 116,-60 110,60 -110,60 -116,-60"), satin(mix(d.c, white, 0.3)), 34)
	d.soft(shape("-66,-190 0,-206 66,-190 84,-60 70,40 -70,40 -84,-60"), cloth(d.second), 26)
	d.soft(rounded(-150, 10, 300, 64, 28), satin(white), 20)
	d.flat(ellipse(0, 18, 140, 26), satin(white), 1.15, 1)
	d.flat(rounded(-70, 250, 140, 18, 8), wood(beech), 1.1, 0.9)
}

// putToyFace draws the eyes and the nose of a soft toy.
func putToyFace(d *drawing, x, y, gap float32) {
	for _, side := range []float32{-gap, gap} {
		d.ball(x+side, y, 11, 12, glossy(nearBlack))
		d.fillEven(ellipse(x+side-4, y-5, 3.5, 3.5), matte(white), 1)
	}
}

// putToyBody draws a sitting soft toy: the legs, the body, the arms and the head.
func putToyBody(d *drawing, s surface, belly rgb) {
	for _, x := range []float32{-1, 1} {
		d.soft(ellipse(x*96, 190, 74, 66), s, 50)
		d.soft(ellipse(x*104, 196, 40, 38), plush(belly), 24)
	}
	d.soft(ellipse(0, 110, 122, 128), s, 90)
	d.soft(ellipse(0, 124, 74, 84), plush(belly), 50)
	for _, x := range []float32{-1, 1} {
		d.soft(stroke(curveThrough(x*84, 40, x*136, 80, x*132, 136), 66), s, 40)
	}
}

func drawBear(d *drawing) {
	s := plush(d.c)
	pale := d.c.lighter(0.45)
	for _, x := range []float32{-92, 92} {
		d.soft(ellipse(x, -168, 48, 46), s, 30)
		d.soft(ellipse(x, -164, 26, 24), plush(pale), 14)
	}
	putToyBody(d, s, pale)
	d.soft(ellipse(0, -86, 126, 112), s, 84)
	d.soft(ellipse(0, -50, 58, 46), plush(pale), 34)
	d.soft(ellipse(0, -70, 20, 14), satin(nearBlack), 8)
	d.line(curveThrough(0, -56, 0, -40, -18, -30), 5, nearBlack, 0.8)
	d.line(curveThrough(0, -40, 18, -30), 5, nearBlack, 0.8)
	putToyFace(d, 0, -104, 46)
	putBow(d, 0, 24, d.second)
}

// putBow draws a bow tie.
func putBow(d *drawing, x, y float32, c rgb) {
	for _, side := range []float32{-1, 1} {
		d.soft(shape(f("%g,%g! %g,%g %g,%g %g,%g", x, y, x+side*40, y-30, x+side*70, y, x+side*40, y+30)), satin(c), 14)
	}
	d.ball(x, y, 16, 16, satin(c))
}

func drawRabbit(d *drawing) {
	s := plush(d.c)
	pink := rgb{232, 176, 180}
	for _, x := range []float32{-52, 52} {
		d.turned(x*0.24, x, -160, func() {
			d.soft(ellipse(x, -260, 38, 116), s, 28)
			d.soft(ellipse(x, -250, 19, 84), plush(pink), 12)
		})
	}

	putToyBody(d, s, d.c.lighter(0.5))
	d.soft(ellipse(0, -86, 112, 104), s, 80)
	d.soft(ellipse(-24, -52, 34, 28), plush(white), 20)
	d.soft(ellipse(24, -52, 34, 28), plush(white), 20)
	d.ball(0, -70, 14, 10, satin(pink.darker(0.15)))
	putToyFace(d, 0, -106, 44)
	putBow(d, 0, 22, d.second)
}

func drawElephant(d *drawing) {
	s := plush(d.c)
	for _, x := range []float32{-1, 1} {
		d.soft(shape(f("%g,-150 %g,-210 %g,-130 %g,-20 %g,-10", x*80, x*190, x*240, x*200, x*96)), s, 40)
		d.soft(shape(f("%g,-130 %g,-176 %g,-120 %g,-40 %g,-40", x*100, x*180, x*212, x*180, x*110)), plush(rgb{230,
			186, 186}), 24)
	}
	putToyBody(d, s, d.c.lighter(0.4))
	d.soft(ellipse(0, -90, 120, 112), s, 84)
	d.soft(taper(curveThrough(0, -60, -4, 20, 10, 80, 60, 100, 96, 66), 74, 40), s, 28, crease(8, 0.4, -30, 20, 30,
		16), crease(8, 0.4, -24, 50, 36, 44))
	putToyFace(d, 0, -110, 54)
}

func drawOwl(d *drawing) {
	s := plush(d.c)
	d.soft(shape("0,-150 60,-170 112,-230! 130,-120 150,40 110,190 0,220 -110,190 -150,40 -130,-120 -112,-230! "+
		"-60,-170"), s, 90)
	d.soft(ellipse(0, 90, 84, 104), plush(d.c.lighter(0.5)), 50)
	for i := range 9 {
		x, y := -44+float32(i%3)*44, 40+float32(i/3)*44
		d.line(arc(x, y, 15, 13, 20, 160), 5, d.c, 0.8)
	}

	for _, x := range []float32{-1, 1} {
		d.soft(shape(f("%g,-20 %g,40 %g,150 %g,100", x*110, x*170, x*120, x*96)), plush(d.c.darker(0.2)), 30)
		d.soft(ellipse(x*56, -76, 58, 58), plush(white), 16)
		d.ball(x*50, -74, 28, 30, glossy(nearBlack))
		d.fillEven(ellipse(x*50-8, -84, 8, 8), matte(white), 1)
		d.soft(ellipse(x*40, 214, 34, 18), satin(amber), 14)
	}
	d.soft(shape("-18,-56! 18,-56! 0,-14!"), satin(amber), 10)
}

func drawCatToy(d *drawing) {
	s := plush(d.c)
	d.soft(stroke(curveThrough(100, 180, 210, 150, 200, 40, 236, 0), 40), s, 24)
	for _, x := range []float32{-1, 1} {
		d.soft(shape(f("%g,-120! %g,-230! %g,-170!", x*112, x*100, x*36)), s, 16)
	}
	putToyBody(d, s, d.c.lighter(0.5))
	d.soft(ellipse(0, -86, 122, 100), s, 80)

	d.soft(ellipse(0, -54, 46, 32), plush(white), 24)
	d.ball(0, -68, 12, 9, satin(palette["pink"]))
	for _, x := range []float32{-1, 1} {
		for i := range 3 {
			d.line([]point{{x * 30, -54 + float32(i)*8}, {x * 110, -66 + float32(i)*18}}, 3, charcoal, 0.6)
		}
	}
	putToyFace(d, 0, -104, 50)
}

func drawUnicorn(d *drawing) {
	s := plush(d.c)
	mane := []rgb{palette["pink"], palette["turquoise"], sunny, {160, 130, 200}}
	putToyBody(d, s, d.c.darker(0.06))
	for i := range 6 {
		d.soft(ellipse(70+float32(i)*14, -170+float32(i)*40, 40, 40), plush(mane[i%4]), 24)
	}
	for _, x := range []float32{-60, 70} {
		d.soft(shape(f("%g,-150! %g,-226! %g,-160!", x-24, x, x+26)), s, 14)
	}

	d.soft(shape("-22,-180! 4,-300! 28,-180!"), metal(brass), 10)
	d.soft(ellipse(0, -90, 114, 104), s, 80)
	d.soft(ellipse(0, -40, 70, 50), plush(rgb{240, 206, 206}), 34)
	d.fillEven(ellipse(-20, -40, 7, 5).with(ellipse(20, -40, 7, 5)), matte(palette["pink"].darker(0.4)), 1)
	for i := range 3 {
		d.soft(ellipse(-30+float32(i)*34, -178, 34, 30), plush(mane[(i+1)%4]), 20)
	}
	putToyFace(d, 0, -106, 56)
}

func drawRattle(d *drawing) {
	d.lay()
	d.turned(34, 0, 0, func() {
		d.soft(ellipse(0, 210, 64, 64).without(ellipse(0, 210, 36, 36)), satin(d.second), 13)
		d.lathe(body(0, "22,-60 18,0 22,150"), d.made(satin), 0.2)
		d.ball(0, -150, 110, 110, d.made(satin))
		for i := range 6 {
			sin, cos := sincos(float32(i) * 60)
			d.fillEven(ellipse(cos*60, -150+sin*60, 15, 15), matte([]rgb{signalRed, leaf, palette["blue"]}[i%3]), 1)
		}
		d.ball(0, 0, 34, 20, satin(signalRed))
	})
}

func drawStacker(d *drawing) {
	s := []func(rgb) surface{satin, wood}[d.one(2)]
	tones := []rgb{signalRed, amber, sunny, leaf, palette["blue"], {130, 90, 160}}
	d.lathe(turnedBody{0, []point{{150, 190}, {156, 200}, {156, 220}}}, wood(beech), 0.24)
	for i := range 6 {
		r := 140 - float32(i)*16
		y := 160 - float32(i)*52
		t := tones[i]
		if s(t).texture != nil {
			t = mix(t, oak, 0.15)
		}
		d.soft(shape(f("%g,%g %g,%g %g,%g %g,%g %g,%g %g,%g", -r, y, -r+14, y-26, r-14, y-26, r, y, r-14, y+28,
			-r+14, y+28)), satin(t), 28)
	}
	d.ball(0, -156, 40, 40, satin(d.c))
}

func drawPlayMat(d *drawing) {
	d.lay()
	d.turned(-6, 0, 0, func() {
		d.soft(rounded(-240, -200, 480, 400, 40), cloth(d.c.lighter(0.3)), 12)
		for i := range 12 {
			x, y := -180+float32(i%4)*120, -140+float32(i/4)*140
			t := []rgb{signalRed, sunny, leaf, palette["blue"]}[(i*3)%4]
			d.soft(rounded(x-52, y-60, 104, 120, 14), cloth(t.lighter(0.45)), 7)
			if i%2 == 0 {
				d.soft(ellipse(x, y, 30, 30), plush(t), 18)
			} else {
				d.fillEven(star(x, y, 34), matte(t), 1)
			}
		}
	})
}

func drawTumblerDoll(d *drawing) {
	d.ball(0, 90, 150, 146, glossy(d.c))
	d.ball(0, -100, 96, 94, glossy(d.c))
	d.ball(0, -94, 70, 68, matte(skin))
	putToyFace(d, 0, -100, 26)
	d.line(arc(0, -84, 18, 14, 20, 160), 5, signalRed.darker(0.3), 1)
	for i := range 3 {
		d.ball(0, 30+float32(i)*46, 13, 13, satin(sunny))
	}
}

// flatBox draws a box that stands a little open to the viewer, with a picture on its lid.
func putGameBox(d *drawing, draw func(x, y, w, h float32)) {
	c := newCamera(22, 16)
	d.box(c, 0, 0, 0, 400, 300, 70, cardboard(d.c))
	p := c.at(0, 300, 0)
	slope := (c.at(400, 300, 0).y - p.y) / 400 / c.cosYaw
	d.within(matrix{c.cosYaw, 0, p.x, slope * c.cosYaw, c.cosPitch, p.y}, func() { draw(0, 0, 400, 300) })
}

func drawBoardGame(d *drawing) {
	putGameBox(d, func(x, y, w, h float32) {
		d.fillEven(rect(12, 12, 376, 276), matte(d.c.lighter(0.2)), 1)
		putScreen(d, rect(12, 90, 376, 198))
		d.words(d.Label, 200, 52, 300, d.c.contrast())
		d.ball(120, 216, 34, 34, glossy(signalRed))
		d.soft(shape("200,250! 230,250! 222,190 230,160 215,140 200,160 208,190"), glossy(sunny), 10)
		d.soft(rounded(260, 180, 70, 70, 12), glossy(white), 10)
		for _, q := range []point{{280, 200}, {310, 230}, {295, 215}} {
			d.fillEven(ellipse(q.x, q.y, 7, 7), matte(charcoal), 1)
		}
	})
}

func drawPuzzle(d *drawing) {
	putGameBox(d, func(x, y, w, h float32) {
		putScreen(d, rect(12, 12, 376, 276))
		for i := range 7 {
			for k := range 5 {
				px, py := 12+float32(i)*54, 12+float32(k)*55
				d.line([]point{{px, 12}, {px, 288}}, 2, charcoal, 0.12)
				d.line([]point{{12, py}, {388, py}}, 2, charcoal, 0.2)
				if (i+k)%2 == 0 {
					d.fillEven(ellipse(px+54, py+27, 9, 9), matte(charcoal).faded(0.16), 1)
				}
			}
		}
		d.words(d.Label, 200, 52, 220, white)
	})

	for _, p := range [][3]float32{{250, 40, 20}, {330, 20, -30}} {
		d.turned(p[2], p[0], p[1], func() {
			d.soft(shape(f("%g,%g! %g,%g %g,%g! %g,%g! %g,%g %g,%g! %g,%g!", p[0]-30, p[1]-20, p[0], p[1]-36,
				p[0]+30, p[1]-20, p[0]+30, p[1]+24, p[0], p[1]+12, p[0]-30, p[1]+24, p[0]-30, p[1]+4)),
				cardboard(d.second), 5)
		})
	}
}

func drawCards(d *drawing) {
	d.lay()
	for i := range 5 {
		d.turned(float32(i-2)*16, 0, 260, func() {
			d.soft(rounded(-90, -190, 180, 270, 14), matte(white), 4)
			if i == 4 {
				putEmblem(d, 0, -60, 60, signalRed)
				d.words("A", -62, -160, 40, signalRed)
			} else {
				d.fillEven(rounded(-76, -176, 152, 242, 8), matte(d.c), 1)
				d.fillEven(rounded(-66, -166, 132, 222, 6).without(rounded(-60, -160, 120, 210, 5)), matte(white), 1)
			}
		})
	}
}

func drawChess(d *drawing) {
	c := newCamera(28, 34)
	d.box(c, 0, 0, 0, 420, 26, 420, wood(walnut))
	for i := range 64 {
		x, z := float32(i%8)*48+18, float32(i/8)*48+18
		tone := cream
		if (i+i/8)%2 == 0 {
			tone = walnut.darker(0.2)
		}
		d.fillEven(c.onTop(rect(0, 0, 48, 48), x, 27, z), wood(tone), 1.05)
	}

	for i := range 24 {
		row := 7 - i/8
		if i >= 8 {
			row = 2 - i/8
		}
		p := c.at(float32(i%8)*48+42, 27, float32(row)*48+42)
		tone := wood(walnut)
		if row < 3 {
			tone = wood(beech.lighter(0.2))
		}
		h := float32(44)
		if row == 0 || row == 7 {
			h = 72
		}
		d.lathe(turnedBody{p.x, curve(f("9,%g 5,%g 13,%g 17,%g", p.y-h+14, p.y-h*0.5, p.y-8, p.y))}, tone, 0.3)
		d.ball(p.x, p.y-h+6, 12, 12, tone)
	}
}

func drawDominoes(d *drawing) {
	d.lay()
	for i := range 5 {
		x, y := -170+float32(i%3)*150, -110+float32(i/3)*220
		d.turned(float32(i*37%50)-25, x, y, func() {
			d.soft(rounded(x-50, y-100, 100, 200, 14), d.made(satin), 9)
			d.line([]point{{x - 40, y}, {x + 40, y}}, 4, charcoal, 0.8)
			for k := range 2 + i%3 {
				d.fillEven(ellipse(x-24+float32(k%2)*48, y-66+float32(k/2)*36, 10, 10), matte(charcoal), 1)
				d.fillEven(ellipse(x+24-float32(k%2)*48, y+66-float32(k/2)*36, 10, 10), matte(charcoal), 1)
			}
		})
	}
}

func drawToyCar(d *drawing) {
	s := d.made(glossy)
	if d.one(2) == 0 {
		d.soft(shape("-130,-20! -90,-110 -20,-130 70,-130 130,-30!"), s, 24)
		d.soft(shape("-104,-26! -74,-96 -16,-110 -10,-26!"), glossy(rgb{70, 90, 110}), 10)
		d.soft(shape("10,-26! 10,-110 64,-110 104,-28!"), glossy(rgb{70, 90, 110}), 10)
	} else {
		d.soft(shape("-60,-20! -30,-80 40,-90 110,-20!"), glossy(rgb{70, 90, 110}), 16)
		d.soft(shape("180,-30! 250,-80! 260,-30!"), s, 8)
	}

	d.soft(shape("-270,60 -250,0 -150,-34 130,-36 250,-10 276,40 260,84 -250,90"), s, 34)
	d.line(curveThrough(-260, 30, 0, 20, 266, 26), 6, d.second, 0.8)
	d.ball(-256, 34, 16, 18, glossy(sunny.lighter(0.4)))
	for _, x := range []float32{-150, 160} {
		putWheel(d, x, 90, 60)
	}
}

func drawFireEngine(d *drawing) {
	s := glossy(d.c)
	d.soft(rounded(-300, -110, 170, 200, 20), s, 22)
	d.soft(rounded(-284, -90, 100, 80, 10), glossy(rgb{80, 110, 140}), 12)
	d.soft(rounded(-130, -70, 420, 160, 14), s, 18)
	d.flat(rounded(-110, 0, 380, 20, 4), satin(white), 1, 1)
	for i := range 4 {
		d.soft(rounded(-110+float32(i)*96, -54, 84, 44, 6), metal(steel), 6)
	}

	d.turned(-7, 0, -100, func() {
		for _, y := range []float32{-130, -96} {
			d.rod(-180, y, 280, y, 10, metal(steel))
		}
		for i := range 11 {
			d.rod(-170+float32(i)*44, -130, -170+float32(i)*44, -96, 7, metal(steel))
		}
	})
	d.soft(rounded(-240, -136, 60, 28, 10), glossy(palette["blue"]), 12)
	for _, x := range []float32{-210, 60, 200} {
		putWheel(d, x, 96, 54)
	}
}

func drawTractor(d *drawing) {
	s := glossy(d.c)
	d.rod(-160, -150, -160, -30, 16, metal(charcoal))
	d.soft(rounded(-10, -200, 190, 24, 10), s, 10)
	for _, x := range []float32{4, 160} {
		d.rod(x, -180, x, 0, 13, satin(charcoal))
	}
	d.soft(shape("-240,-30 -220,-70 -20,-80 10,0! 200,0! 210,70 -240,80"), s, 30)
	d.soft(rounded(70, -60, 80, 70, 16), rubber(charcoal), 16)
	d.soft(rounded(-244, -40, 16, 90, 6), metal(steel), 6)
	putWheel(d, -170, 120, 64)
	putWheel(d, 120, 70, 116)
}

func drawKite(d *drawing) {
	d.hang()
	d.line(curveThrough(0, 130, 30, 220, -20, 300, 40, 380), 4, charcoal, 0.8)
	for i := range 4 {
		putBow(d, []float32{20, 16, -14, 20}[i], 190+float32(i)*56, []rgb{sunny, leaf, palette["blue"], signalRed}[i])
	}
	d.turned(14, 0, 0, func() {
		d.soft(poly(0, -240, 150, -60, 0, 160, -150, -60), cloth(d.c), 16)
		d.fillEven(poly(0, -240, 150, -60, 0, -60), cloth(d.second), 1.05)
		d.fillEven(poly(0, 160, -150, -60, 0, -60), cloth(d.second), 0.95)
		d.line([]point{{0, -240}, {0, 160}}, 6, walnut, 0.8)
		d.line([]point{{-150, -60}, {150, -60}}, 6, walnut, 0.8)
	})
}

func drawSandSet(d *drawing) {
	d.turned(24, 170, 60, func() {
		d.rod(190, -200, 190, 30, 22, satin(palette["blue"]))
		d.soft(shape("150,20! 230,20! 226,120 190,160 154,120"), satin(palette["blue"]), 20)
	})
	d.placed(0.86, -40, 20, func() { drawBucket(d) })
	d.soft(star(190, 190, 76), satin(signalRed), 16)
	d.ball(-230, 176, 50, 44, satin(leaf))
}

func drawBubbles(d *drawing) {
	b := body(0, "60,-40 84,-20 84,180 74,196")
	d.lathe(b, glossy(d.c), 0.16)
	putWrapLabel(d, b, 30, 140, sunny)
	d.lathe(body(0, "54,-90 62,-84 62,-36"), satin(signalRed), 0.2)
	d.rod(0, -180, 0, -90, 11, satin(leaf))
	d.soft(ellipse(0, -220, 44, 44).without(ellipse(0, -220, 32, 32)), satin(leaf), 6)
	for _, p := range [][3]float32{{110, -240, 56}, {200, -160, 34}, {-120, -250, 40}, {170, -310, 26}, {-190, -170,
		24}, {240, -260, 20}} {
		d.ball(p[0], p[1], p[2], p[2], glossy(rgb{206, 230, 246}).faded(0.42))
		d.fillEven(ellipse(p[0]-p[2]*0.35, p[1]-p[2]*0.4, p[2]*0.2, p[2]*0.12), matte(white).faded(0.9), 1)
	}
}

func drawScooter(d *drawing) {
	s := glossy(d.c)
	d.tube(curveThrough(-210, 150, -190, 40, -150, -240), 24, s)
	d.tube([]point{{-230, -250}, {-70, -238}}, 20, metal(steel))
	for _, x := range []float32{-240, -76} {
		d.soft(rounded(x-34, -264, 68, 28, 14), rubber(d.second), 12)
	}
	d.soft(shape("-200,110! -170,100 -120,150 210,150! 250,120 270,140 230,180 -140,180"), s, 14)
	d.flat(rounded(-110, 142, 300, 12, 4), rubber(charcoal), 1, 1)
	d.soft(shape("190,130 230,80 290,110 270,130 230,116"), satin(charcoal), 8)
	putWheel(d, -208, 186, 56)
	putWheel(d, 240, 190, 50)
}

func drawTricycle(d *drawing) {
	s := glossy(d.c)
	putWheel(d, 200, 170, 60)
	d.tube(curveThrough(-190, 130, -150, 0, -120, -120), 20, s)
	d.tube(curveThrough(-150, 0, 0, 60, 140, 120, 200, 160), 24, s)
	d.tube(curveThrough(-190, -130, -120, -120, -50, -134), 18, metal(steel))
	d.soft(rounded(-60, -150, 60, 28, 14), rubber(charcoal), 12)
	d.soft(rounded(-226, -146, 60, 28, 14), rubber(charcoal), 12)
	d.soft(shape("20,10 60,-20 170,-20 190,14 110,44"), rubber(charcoal), 22)
	putWheel(d, 140, 186, 60)
	putWheel(d, -200, 140, 104)
	d.flat(rounded(-236, 186, 70, 20, 6), satin(sunny), 1.1, 0.9)
}

func drawSledge(d *drawing) {
	s := d.made(wood)
	for _, dy := range []float32{-50, 40} {
		d.tube(curveThrough(-280, 60+dy, -240, 130+dy, -180, 140+dy, 270, 140+dy), 20, metal(steel))
		for _, x := range []float32{-120, 40, 200} {
			d.rod(x, 40+dy, x, 136+dy, 14, s)
		}
	}
	for i := range 4 {
		y := -22 + float32(i)*28
		d.soft(shape(f("-260,%g! 260,%g! 264,%g! -256,%g!", y-30, y-30, y-10, y-10)), s, 5)
	}
	d.tube(curveThrough(-280, 20, -350, 60, -330, 130, -380, 150), 8, cloth(signalRed))
}

func drawRollerSkates(d *drawing) {
	s := satin(d.c)
	putPair(d, 50, -40, func() {
		d.flat(rounded(-170, 190, 350, 34, 10), metal(charcoal.lighter(0.15)), 1.1, 0.9)
		for i := range 4 {
			x := -150 + float32(i)*96
			d.ball(x, 244, 42, 42, rubber(d.second))
			d.ball(x, 244, 16, 16, metal(steel))
		}

		d.soft(shape("-170,-100! -60,-110! -40,0 40,90 150,120 190,190! 40,200 -180,196! -184,50"), s, 40)
		d.soft(rounded(-176, -124, 124, 44, 20), rubber(charcoal), 16)
		for i := range 3 {
			d.soft(stroke(curveThrough(-130+float32(i)*50, -20+float32(i)*60, -60+float32(i)*50, -34+float32(i)*60),
				26), satin(charcoal), 8)
		}
	})
}

func drawTubingRing(d *drawing) {
	d.lay()
	d.soft(ellipse(0, 0, 240, 220).without(ellipse(0, 0, 84, 76)), satin(d.c), 66)
	for i := range 4 {
		sin, cos := sincos(float32(i)*90 + 45)
		d.soft(rounded(cos*160-40, sin*146-20, 80, 40, 16), satin(d.second), 12)
	}
}

func drawPaintSet(d *drawing) {
	d.lay()
	d.turned(-8, 0, 0, func() {
		d.soft(rounded(-250, -150, 500, 280, 26), satin(white), 12)
		tones := []rgb{signalRed, amber, sunny, leaf, palette["turquoise"], palette["blue"], {120, 80, 160},
			palette["pink"], walnut, nearBlack, white, leafDark}
		for i, t := range tones {
			x, y := -196+float32(i%6)*78, -84+float32(i/6)*100
			d.flat(ellipse(x, y, 34, 34), matte(rgb{222, 222, 222}), 0.8, 1.1)
			d.soft(ellipse(x, y, 29, 29), satin(t), 10)
		}
	})

	d.turned(68, 0, 190, func() {
		d.lathe(body(0, "5,60 8,200 12,420"), wood(signalRed), 0.2)
		d.lathe(body(0, "11,10 10,64"), metal(brass), 0.2)
		d.soft(shape("-11,14! 11,14! 9,-30 0,-56! -9,-30"), matte(walnut), 8)
	})
}

func drawClay(d *drawing) {
	tones := []rgb{d.c, sunny, leaf, palette["blue"], palette["pink"], white}
	for i := range 6 {
		x := -230 + float32(i)*92
		d.soft(rounded(x-42, -60+float32(i%2)*10, 84, 200, 20), satin(tones[i]), 20, crease(7, 0.4, x-30, -40, x-30,
			120), crease(7, 0.4, x+20, -40, x+20, 120))
	}
	d.ball(-120, 160, 46, 42, satin(d.c))
	d.soft(shape("0,150 40,120 130,130 170,170 100,200 20,190"), satin(leaf), 24)
}

func drawEasel(d *drawing) {
	s := wood(beech)
	d.cone(60, -200, 100, 300, 18, 14, wood(beech.darker(0.2)))
	d.cone(-60, -260, -170, 330, 22, 18, s)
	d.cone(60, -260, 170, 330, 22, 18, s)
	d.flat(rect(-150, -190, 300, 330), matte(white), 1.04, 0.96)
	d.fillEven(rect(-150, -190, 300, 330).without(rect(-138, -178, 276, 306)), wood(beech), 1)
	putScreen(d, rect(-110, -150, 220, 220))
	d.soft(rounded(-170, 140, 340, 30, 6), s, 8)
}

func putSpokedWheel(d *drawing, x, y, r float32) {
	for i := range 16 {
		sin, cos := sincos(float32(i)*22.5 + 7)
		d.line([]point{{x, y}, {x + cos*r*0.9, y + sin*r*0.9}}, 2.4, greyTone, 0.8)
	}
	d.soft(ellipse(x, y, r, r).without(ellipse(x, y, r*0.88, r*0.88)), rubber(nearBlack), 5)
	d.fillEven(ellipse(x, y, r*0.88, r*0.88).without(ellipse(x, y, r*0.84, r*0.84)), metal(steel), 1.1)
	d.ball(x, y, r*0.09, r*0.09, metal(steel))
}

func drawBicycle(d *drawing) {
	s := glossy(d.c)
	r := d.between(118, 130)
	putSpokedWheel(d, -210, 120, r)
	putSpokedWheel(d, 210, 120, r)
	bar := func(x1, y1, x2, y2, w float32) { d.rod(x1, y1, x2, y2, w, s) }
	bar(-210, 120, -96, -60, 11)
	bar(-210, 120, -50, 124, 11)
	drop := d.between(-84, -40)
	bar(-110, -90, -50, 124, 16)
	bar(-104, drop+4, 140, -96, 16)

	bar(-50, 124, 144, -80, 17)
	bar(130, -130, 160, -20, 17)
	d.tube(curveThrough(160, -20, 180, 60, 210, 120), 13, s)
	d.rod(-110, -88, -118, -128, 11, metal(steel))
	d.soft(shape("-176,-146 -120,-150 -70,-140 -70,-128 -130,-122 -176,-126"), leather(walnut), 10)
	if d.one(2) == 0 {
		d.tube(curveThrough(128, -136, 120, -186, 70, -196, 40, -180), 13, metal(steel))
		d.soft(rounded(20, -192, 60, 22, 10), leather(walnut), 9)
	} else {
		d.tube(curveThrough(128, -136, 150, -170, 210, -166, 216, -120, 180, -110), 14, rubber(charcoal))
	}

	d.ball(-50, 124, 34, 34, metal(charcoal.lighter(0.2)))
	d.rod(-50, 124, -20, 186, 9, metal(steel))
	d.flat(rounded(-44, 182, 50, 12, 4), rubber(charcoal), 1, 0.8)
	d.line([]point{{-50, 158}, {-208, 134}}, 4, charcoal, 0.9)
	d.line([]point{{-50, 92}, {-208, 108}}, 4, charcoal, 0.9)
	if d.one(4) == 2 {
		d.soft(shape("180,-96! 300,-96! 286,-10! 194,-10!"), wicker(kraft), 16)
	}
}

func drawHelmet(d *drawing) {
	d.tube(curveThrough(-130, 80, -60, 190, 20, 220, 100, 190, 130, 90), 14, cloth(charcoal))
	d.soft(shape("-250,80 -240,-40 -150,-160 0,-200 150,-160 240,-50 256,70! 160,110 -140,116"), glossy(d.c), 80)
	for i := -2; i <= 2; i++ {
		x := float32(i)
		d.flat(shape(f("%g,%g! %g,-60 %g,%g! %g,-60", x*52, -170+x*x*16, x*76+20, x*88, 56-x*x*8, x*76-18)),
			matte(nearBlack), 0.9, 1.4)
	}
	d.soft(shape("-236,70 0,90 246,66 200,110 0,130 -180,116"), rubber(charcoal), 12)
}

func drawSaddle(d *drawing) {
	d.tube(curveThrough(-160, 10, -60, 110, 80, 110, 160, 40), 12, metal(steel))
	d.rod(20, 100, 20, 220, 34, metal(charcoal))
	d.soft(shape("-260,-30 -200,-60 -60,-60 100,-110 230,-100 256,-30 200,40 80,30 -60,0 -240,0"), leather(d.c), 44,
		crease(16, 0.4, -180, -34, 0, -40, 200, -40))
}

func drawPedals(d *drawing) {
	d.lay()
	for i, x := range []float32{-130, 130} {
		d.turned(float32(i)*20-10, x, 0, func() {
			d.soft(rounded(x-110, -90, 220, 180, 26).without(rounded(x-80, -60, 66, 120, 14), rounded(x+14, -60, 66,
				120, 14)), d.made(satin), 14)
			d.rod(x, -90, x, 90, 30, metal(steel))
			d.rod(x, -150, x, -90, 18, metal(steel))
			d.flat(rounded(x-60, 72, 120, 14, 4), glossy(amber), 1.2, 0.9)
		})
	}
}

func drawBikeLight(d *drawing) {
	for i, x := range []float32{-110, 120} {
		lens := rgb{255, 250, 226}
		if i == 1 {
			lens = rgb{240, 60, 50}
		}
		d.fillEven(ellipse(x, 0, 130, 130), matte(lens).faded(0.12), 1.2)
		d.soft(rounded(x-84, -104, 168, 216, 40), satin(d.c), 24)
		d.ball(x, -20, 62, 62, metal(steel))
		d.ball(x, -20, 50, 50, glossy(lens))
		d.soft(rounded(x-30, 66, 60, 22, 10), rubber(d.second), 8)
		d.soft(rounded(x-24, 108, 48, 60, 12), rubber(nearBlack), 14)
	}
}

func drawBikeLock(d *drawing) {
	d.lay()
	d.tube(curveThrough(-60, 160, -190, 60, -180, -130, 0, -200, 180, -130, 190, 60, 60, 160), 34, rubber(d.c))
	d.soft(rounded(-110, 120, 220, 110, 30), satin(charcoal), 26)
	for i := range 4 {
		d.soft(rounded(-84+float32(i)*44, 140, 36, 70, 8), metal(steel), 10)
		d.words(string(rune('1'+i*2)), -66+float32(i)*44, 176, 20, charcoal)
	}
}

func drawYogaMat(d *drawing) {
	s := surface{colour: d.c, shine: 0.2, texture: speckle(), relief: 0.1}
	d.flat(poly(-250, 110, 120, 110, 210, 230, -210, 230), s, 1.1, 0.95)
	d.soft(rounded(-260, -60, 400, 190, 92), s, 80)
	d.ball(140, 36, 50, 94, s)
	for _, r := range []float32{0.78, 0.56, 0.34} {
		d.fillEven(ellipse(140, 36, 50*r, 94*r).without(ellipse(140, 36, 50*r-5, 94*r-8)),
			matte(d.c.darker(0.45)).faded(0.6), 1)
	}
	d.soft(rounded(-190, -66, 30, 200, 10), cloth(d.second), 8)
	d.soft(rounded(20, -66, 30, 200, 10), cloth(d.second), 8)
}

func drawDumbbell(d *drawing) {
	s := rubber(d.c)
	one := func(dx, dy float32) {
		d.rod(-110+dx, dy, 110+dx, dy, 34, metal(steel))
		for _, x := range []float32{-150, 150} {
			d.soft(poly(x-60+dx, -60+dy, x-30+dx, -100+dy, x+30+dx, -100+dy, x+60+dx, -60+dy, x+60+dx, 60+dy,
				x+30+dx, 100+dy, x-30+dx, 100+dy, x-60+dx, 60+dy), s, 22)
			d.words("6", x+dx, dy, 44, d.c.contrast())
		}
	}
	d.turned(-10, 0, 0, func() { one(70, -120) })
	d.turned(8, 0, 0, func() { one(-30, 70) })
}

func drawKettlebell(d *drawing) {
	s := d.made(satin)
	d.tube(curveThrough(-90, 0, -124, -150, -70, -214, 70, -214, 124, -150, 90, 0), 46, s)
	d.ball(0, 90, 170, 160, s)
	d.soft(ellipse(0, 100, 76, 72), matte(d.second), 6)
	d.words("16", 0, 104, 86, d.second.contrast())
	d.flat(rounded(-90, 232, 180, 18, 8), s, 0.8, 0.6)
}

func drawWeightDisc(d *drawing) {
	for i, x := range []float32{70, -50} {
		y := float32(i) * 30
		d.ball(x, y, 190, 190, rubber(d.c))
		d.flat(ellipse(x, y, 160, 160), rubber(d.c.lighter(0.08)), 1.15, 0.85)
		d.flat(ellipse(x, y, 104, 104), rubber(d.c), 0.8, 1.2)
		d.ball(x, y, 36, 36, metal(steel))
		d.fillEven(ellipse(x, y, 22, 22), matte(rgb{70, 70, 74}), 1)
		d.words("10", x, y-128, 60, d.c.contrast())
	}
}

func drawExerciseBike(d *drawing) {
	s := satin(d.c)
	for _, x := range []float32{-200, 180} {
		d.soft(rounded(x-90, 250, 180, 30, 14), s, 12)
	}
	d.rod(-200, 250, -60, 100, 30, s)
	d.rod(180, 254, 60, 120, 30, s)
	d.ball(100, 120, 128, 128, metal(charcoal.lighter(0.2)))
	d.ball(100, 120, 100, 100, satin(d.c))

	d.fillEven(ellipse(100, 120, 60, 60).without(ellipse(100, 120, 52, 52)), matte(d.second), 1)
	d.rod(-60, 120, -110, -110, 28, s)
	d.soft(shape("-200,-150 -130,-166 -40,-150 -40,-130 -110,-116 -200,-124"), rubber(nearBlack), 16)
	d.rod(110, 40, 190, -180, 28, s)
	d.soft(rounded(130, -270, 130, 90, 14).turn(14, 190, -220), satin(nearBlack), 10)
	d.tube(curveThrough(180, -170, 90, -190, 70, -240), 22, rubber(nearBlack))
	d.rod(-10, 140, 40, 210, 14, metal(steel))
	d.flat(rounded(10, 206, 70, 18, 5), rubber(nearBlack), 1, 0.8)
}

func drawRower(d *drawing) {
	s := satin(d.c)
	d.rod(-300, 150, 300, 110, 30, metal(steel))
	for _, x := range []float32{-290, 290} {
		d.soft(rounded(x-70, 170, 140, 26, 12), s, 10)
		d.rod(x, 130, x, 176, 20, s)
	}
	d.ball(-190, 30, 120, 120, s)
	d.ball(-190, 30, 60, 60, satin(d.second))
	d.rod(-220, -60, -190, -220, 18, s)
	d.soft(rounded(-250, -280, 120, 80, 12), satin(nearBlack), 10)
	d.rod(-90, -10, 30, -10, 8, metal(steel))
	d.rod(40, -80, 40, 60, 20, rubber(nearBlack))
	d.soft(rounded(90, 66, 150, 46, 22), rubber(nearBlack), 20)
	d.soft(poly(-80, 60, -30, 50, 0, 140, -50, 150), rubber(nearBlack), 10)
}

func drawTreadmill(d *drawing) {
	s := satin(d.c)
	d.flat(poly(-310, 170, 190, 120, 230, 170, -290, 230), rubber(nearBlack), 1.2, 0.9)
	d.soft(poly(-330, 176, -300, 160, -270, 230, -300, 244), s, 8)
	d.soft(shape("-290,230! 232,168! 240,200! -286,262!"), s, 8)
	d.soft(rounded(170, 80, 120, 120, 20), s, 20)
	d.rod(200, 110, 260, -200, 26, s)
	d.rod(270, 130, 310, -190, 24, s)
	d.soft(shape("170,-250 330,-230 340,-170 190,-170"), satin(nearBlack), 14)
	putScreen(d, rounded(204, -232, 100, 44, 4))
	d.tube(curveThrough(210, -150, 120, -120, 90, -60), 22, rubber(charcoal))
}

func drawTent(d *drawing) {
	s := satin(d.c)
	d.soft(shape("-300,180! -240,20 -90,-140 30,-170! 190,-130 290,20 330,170! 20,210!"), s, 50,
		crease(12, 0.6, 30, -170, -60, 0, -120, 200), crease(12, 0.6, 30, -170, 200, 0, 240, 180), crease(10, 0.4,
			-200, 60, -100, 40))
	d.flat(shape("20,-110! 90,40 130,190! -50,204! -20,40"), matte(d.c.darker(0.6)), 1.2, 0.7)
	d.soft(shape("20,-114! 100,30 136,188! 100,192! 60,60"), cloth(d.second), 12)
	d.line(curveThrough(-300, 180, -200, -60, 30, -170, 220, -70, 330, 170), 6, greyTone, 0.9)
	for _, x := range []float32{-370, 380} {
		d.line([]point{{x, 200}, {x * 0.72, 60}}, 4, sunny, 1)
	}
}

func drawSleepingBag(d *drawing) {
	d.lay()
	d.turned(30, 0, 0, func() {
		var folds []fold
		for i := range 7 {
			y := -160 + float32(i)*68
			folds = append(folds, crease(11, 0.7, -140, y, 140, y+6))
		}
		d.soft(shape("-60,-300 60,-300 140,-240 156,-80 120,200 80,320 0,334 -80,320 -120,200 -156,-80 -140,-240"),
			satin(d.c), 44, folds...)
		d.soft(shape("-50,-276 50,-276 100,-220 80,-150 0,-130 -80,-150 -100,-220"), cloth(d.second), 26)
		putZip(d, 96, -130, 180)
	})
}

func drawFootball(d *drawing) {
	d.ball(0, 0, 200, 200, leather(d.c))
	tone := d.c.contrast()
	penta := func(cx, cy, r, turn, squash, angle float32) {
		var c []point
		for i := range 5 {
			sin, cos := sincos(float32(i)*72 + turn)
			c = append(c, point{cx + cos*r*squash, cy + sin*r})
		}
		d.ballOn(path{c}.turn(angle, cx, cy), 0, 0, 200, 200, leather(tone))
	}

	penta(0, 0, 62, -90, 1, 0)
	for i := range 5 {
		a := float32(i)*72 - 90
		sin, cos := sincos(a)
		penta(cos*158, sin*158, 46, a+180, 0.6, a)
		d.line([]point{{cos * 62, sin * 62}, {cos * 116, sin * 116}}, 5, tone, 0.7)
		s2, c2 := sincos(a + 36)
		d.line([]point{{cos * 116, sin * 116}, {c2 * 140, s2 * 140}}, 4, tone, 0.6)
		s3, c3 := sincos(a - 36)
		d.line([]point{{cos * 116, sin * 116}, {c3 * 140, s3 * 140}}, 4, tone, 0.6)
	}
}

func drawBasketball(d *drawing) {
	d.ball(0, 0, 200, 200, surface{colour: d.c, shine: 0.35, texture: leatherGrain(), relief: 0.22})
	for _, l := range [][]point{curveThrough(-198, 20, 0, 50, 198, -20), curveThrough(-30, -197, 14, 0, 30, 197),
		curveThrough(-130, -150, -70, 0, -96, 174), curveThrough(110, -166, 80, 10, 136, 146)} {
		d.line(l, 7, nearBlack, 0.85)
	}
}

func drawVolleyball(d *drawing) {
	d.ball(0, 0, 200, 200, leather(d.c.lighter(0.1)))
	for i := range 3 {
		d.turned(float32(i)*120, 0, 0, func() {
			d.ballOn(shape("0,0! -30,-100 -10,-198! 60,-190! 40,-100"), 0, 0, 200, 200, leather([]rgb{sunny, white,
				d.second}[i]))
			d.line(curveThrough(0, 0, -30, -100, -10, -198), 4, charcoal, 0.5)
			d.line(curveThrough(34, -40, 60, -110, 76, -184), 4, charcoal, 0.4)
			d.line(curveThrough(70, -40, 120, -90, 146, -136), 4, charcoal, 0.4)
		})
	}
}

func drawRacket(d *drawing) {
	d.lay()
	d.turned(32, 0, 0, func() {
		for i := -6; i <= 6; i++ {
			x := float32(i) * 17
			h := 150 * sqrt(1-x*x/(118*118))
			d.line([]point{{x, -130 - h}, {x, -130 + h}}, 2.5, white, 1)
			y := float32(i) * 21
			w := 116 * sqrt(max(0, 1-y*y/(150*150)))
			d.line([]point{{-w, -130 + y}, {w, -130 + y}}, 2.5, white, 1)
		}
		d.soft(ellipse(0, -130, 130, 164).without(ellipse(0, -130, 112, 146)), glossy(d.c), 8)
		d.tube(curveThrough(-70, 6, -20, 70, 0, 110), 15, glossy(d.c))
		d.tube(curveThrough(70, 6, 20, 70, 0, 110), 15, glossy(d.c))
		d.lathe(body(0, "15,90 17,300 20,312"), leather(charcoal), 0.2)
	})

	if d.one(2) == 0 {
		d.ball(170, 190, 54, 54, plush(rgb{206, 222, 80}))
		d.line(curveThrough(130, 160, 160, 190, 160, 240), 6, white, 0.9)
	} else {
		d.soft(shape("150,120! 210,150 230,220! 170,236! 140,180"), matte(white), 10)
		d.ball(170, 226, 26, 20, satin(cream))
	}
}

func drawBat(d *drawing) {
	d.lay()
	for i, tone := range []rgb{nearBlack, d.c} {
		d.turned(44-float32(i)*70, 0, 60, func() {
			d.lathe(body(0, "22,70 18,120 24,210 22,224"), wood(beech), 0.2)
			d.soft(ellipse(0, -60, 140, 150), wood(beech), 6)
			d.soft(shape("0,-206 130,-140 138,-30 70,74 -70,74 -138,-30 -130,-140"), rubber(tone), 6)
		})
	}
	d.ball(150, 170, 34, 34, matte(rgb{246, 160, 70}))
}

func drawGoggles(d *drawing) {
	d.lay()
	d.soft(ellipse(0, -40, 230, 130).without(ellipse(0, -36, 214, 114)), rubber(charcoal), 6)
	for _, x := range []float32{-1, 1} {
		d.soft(shape(f("%g,20 %g,-30 %g,-40 %g,10 %g,80 %g,90", x*24, x*60, x*170, x*216, x*170, x*60)),
			rubber(d.c), 18)
		d.soft(shape(f("%g,22 %g,-14 %g,-22 %g,14 %g,60 %g,68", x*46, x*76, x*156, x*190, x*154, x*74)),
			glossy(rgb{70, 150, 200}), 10)
		d.fillEven(shape(f("%g,0 %g,-12 %g,-6 %g,20", x*80-10, x*110, x*120, x*86)), matte(white).faded(0.5), 1)
	}
	d.tube(curveThrough(-28, 20, 0, 4, 28, 20), 13, rubber(d.c))
}

func drawSwimCap(d *drawing) {
	d.soft(shape("-220,120! -226,-20 -150,-160 0,-200 150,-160 226,-20 220,120! 0,150"), satin(d.c), 90,
		crease(10, 0.3, -150, -40, -60, -90), crease(10, 0.3, 150, 20, 60, 60))
	d.words(d.Label, 0, 40, 220, d.c.contrast())
}

func drawPetBowl(d *drawing) {
	b := body(0, "150,-50 200,80 206,96")
	d.lathe(b, d.made(glossy), 0.2)
	d.opening(0, -50, 150, 0.26, d.made(glossy), walnut)
	for i := range 26 {
		sin, cos := sincos(float32(i) * 137.5)
		r := 23 * sqrt(float32(26-i))
		d.ball(cos*r, -56+sin*r*0.22-float32(i)*0.9, 21, 17, matte(mix(walnut, kraft, float32(i%4)*0.2)))
	}
	d.placed(0.34, 0, 40, func() { putFillBone(d, d.c.contrast()) })
}

func bonePath() path {
	return shape("-120,-40 -170,-96 -220,-80 -226,-30 -200,0 -226,30 -220,80 -170,96 -120,40 120,40 170,96 220,80 " +
		"226,30 200,0 226,-30 220,-80 170,-96 120,-40")
}

func putFillBone(d *drawing, c rgb) { d.fillEven(bonePath(), matte(c), 1) }

func drawBone(d *drawing) {
	d.lay()
	d.turned(-24, 0, -60, func() { d.soft(bonePath().move(0, -70), matte(d.c), 44) })
	d.turned(14, 0, 110, func() {
		d.soft(bonePath().move(10, 120).scale(0.8, 0.8, 0, 120), matte(mix(d.c, kraft,
			0.5)), 36)
	})
}

func drawLead(d *drawing) {
	d.lay()
	s := d.made(leather)
	for _, r := range []float32{160, 128} {
		d.tube(arc(0, 0, r, r*0.9, 30+r, 370+r), 22, s)
	}
	d.tube(curveThrough(150, -50, 230, -130, 290, -60, 220, -10, 150, -30), 22, s)
	d.tube(curveThrough(-110, 90, -190, 170, -240, 200), 22, s)
	d.soft(ellipse(-258, 214, 26, 26).without(ellipse(-258, 214, 14, 14)), metal(brass), 6)
	d.soft(ellipse(-296, 240, 34, 24).without(ellipse(-296, 240, 20, 12)), metal(brass), 6)
}

func drawCollarBand(d *drawing) {
	d.lay()
	s := d.made(leather)
	d.soft(ellipse(0, 0, 210, 170).without(ellipse(0, -6, 170, 128)), s, 12)
	for i := range 12 {
		sin, cos := sincos(float32(i) * 30)
		d.ball(cos*190, sin*150, 8, 8, metal(brass))
	}
	d.plate(rounded(-36, 126, 72, 56, 8).without(rounded(-22, 138, 44, 32, 5)), metal(steel))
	d.soft(ellipse(60, 206, 17, 17).without(ellipse(60, 206, 9, 9)), metal(steel), 4)
	d.placed(0.24, 66, 250, func() { d.soft(bonePath(), metal(brass), 26) })
}

func drawPetBed(d *drawing) {
	s := plush(d.c)
	d.soft(ellipse(0, 20, 270, 170), s, 80)
	d.flat(ellipse(0, 10, 196, 104), plush(d.c.darker(0.25)), 0.8, 1.1)
	d.soft(ellipse(0, 34, 186, 88), plush(d.c.lighter(0.5)), 50)
	d.soft(shape("-262,20 -180,110 0,140 180,110 262,20 266,80 190,170 0,200 -190,170 -266,80"), s, 50)
	d.placed(0.2, 0, 120, func() { putFillBone(d, d.second) })
}

func drawLitterTray(d *drawing) {
	c := newCamera(26, 24)
	d.roundBox(c, 0, 0, 0, 400, 90, 280, 20, satin(d.c))
	d.fillEven(c.onTop(rounded(16, 16, 368, 248, 20), 0, 91, 0), surface{colour: rgb{206, 200, 190}, shine: 0.2,
		texture: fur(), relief: 0.5}, 1)
	p := c.at(300, 120, 150)
	d.turned(30, p.x, p.y, func() {
		d.rod(p.x, p.y-120, p.x, p.y, 18, satin(d.second))
		d.soft(rounded(p.x-40, p.y-10, 80, 90, 14), satin(d.second), 10)
	})
}

func drawCatTree(d *drawing) {
	s := plush(d.c)
	rope := surface{colour: kraft, shine: 0.2, texture: weave(), relief: 0.4}
	d.soft(rounded(-220, 280, 440, 50, 12), s, 14)
	post := func(x, y, h float32) {
		b := turnedBody{x, []point{{26, y}, {26, y + h}}}
		d.lathe(b, rope, 0.2)
	}

	post(120, -160, 440)
	post(-120, 60, 220)
	d.soft(rounded(-200, 30, 180, 40, 14), s, 16)
	d.soft(rounded(-190, 120, 150, 164, 20), s, 20)
	d.flat(ellipse(-115, 214, 46, 50), matte(d.c.darker(0.65)), 0.8, 1.2)
	d.soft(rounded(20, -60, 190, 36, 14), s, 14)
	d.soft(shape("30,-190 50,-230 190,-230 212,-190 190,-150 50,-150"), s, 26)
	d.flat(ellipse(120, -206, 70, 14), plush(d.c.darker(0.3)), 0.8, 1)
	d.line([]point{{60, -24}, {60, 50}}, 4, charcoal, 0.8)
	d.ball(60, 66, 18, 18, plush(d.second))
}

func drawAquarium(d *drawing) {
	c := newCamera(18, 12)
	d.box(c, -6, 0, -6, 472, 26, 192, satin(d.c))
	d.flat(c.onFront(rect(0, 0, 460, 280), 0, 306, 0), glossy(rgb{120, 190, 214}), 1.25, 0.85)
	d.flat(c.onRight(rect(0, 0, 180, 280), 460, 306, 0), glossy(rgb{90, 160, 190}), 1, 0.75)
	d.fillEven(c.onFront(shape("0,250! 80,240 200,252 330,238 460,250! 460,280! 0,280!"), 0, 306, 0),
		surface{colour: rgb{222, 200, 160}, shine: 0.2, texture: fur(), relief: 0.5}, 1)
	for i := range 6 {
		p := c.at(40+float32(i)*80, 60, 0)
		for k := range 3 {
			d.line(curveThrough(p.x, p.y, p.x+float32(k-1)*18, p.y-60, p.x+float32(k-1)*30,
				p.y-110-float32(i%3)*26), 9, mix(leaf, leafDark, float32(k)/2), 1)
		}
	}

	for i, q := range []point{{120, 200}, {270, 150}, {340, 220}, {200, 250}} {
		p := c.at(q.x, q.y, 0)
		t := []rgb{amber, signalRed, sunny, palette["blue"]}[i]
		d.soft(shape(f("%g,%g %g,%g %g,%g %g,%g! %g,%g! %g,%g", p.x-34, p.y, p.x, p.y-20, p.x+26, p.y-4, p.x+52,
			p.y-18, p.x+52, p.y+18, p.x, p.y+20)), satin(t), 12)
		d.fillEven(ellipse(p.x-18, p.y-4, 4, 4), matte(nearBlack), 1)
	}
	d.fillEven(c.onFront(poly(20, 10, 90, 10, 30, 220, 20, 220), 0, 306, 0), matte(white).faded(0.25), 1)
	d.box(c, -6, 300, -6, 472, 40, 192, satin(d.c))
}

func drawFilterPump(d *drawing) {
	s := satin(d.c)
	d.tube(curveThrough(60, -160, 140, -210, 190, -120, 184, 160), 26, glossy(leaf))
	d.soft(rounded(-110, -160, 220, 370, 26), s, 26)
	for i := range 8 {
		d.fillEven(rounded(-76, 20+float32(i)*20, 152, 9, 4), matte(nearBlack), 1)
	}
	d.soft(rounded(-60, -130, 120, 90, 16), satin(d.second), 10)
	d.words(d.Label, 0, -86, 96, d.second.contrast())
}

func drawBirdCage(d *drawing) {
	s := metal(mix(d.c, steel, 0.5))
	d.tube(arc(0, -270, 26, 26, 180, 360), 8, s)
	d.rod(-110, 60, 110, 60, 12, wood(oak))
	d.soft(shape("-20,0 10,-40 40,-30 60,0 50,46 110,80! 60,84 20,60"), satin(sunny), 20)
	d.ball(36, -16, 5, 5, matte(nearBlack))
	for i := -5; i <= 5; i++ {
		x := float32(i) * 30
		d.line(curveThrough(0, -250, x*0.8, -200, x, -120, x, 180), 4, s.colour.darker(0.1), 1)
	}
	for _, y := range []float32{-110, 40} {
		d.tube(arc(0, y, 152, 22, 0, 180), 7, s)
	}
	d.lathe(body(0, "156,170 160,180 150,220"), satin(d.second), 0.18)
}

func drawHutch(d *drawing) {
	c := newCamera(24, 14)
	s := wood(mix(d.c, oak, 0.5))
	putLegsBelow(d, c, 420, 180, 90, 6, 20, s)
	d.box(c, 0, 80, 0, 420, 200, 180, s)
	d.fillEven(c.onFront(rect(16, 16, 250, 168), 0, 280, 0), matte(charcoal), 1)
	p := c.at(140, 120, 0)
	d.placed(0.3, p.x, p.y-40, func() { drawRabbit(d) })

	for i := range 14 {
		d.line([]point{c.at(16+float32(i)*19, 264, 0), c.at(16+float32(i)*19, 96, 0)}, 2, steel, 0.9)
	}
	for i := range 9 {
		d.line([]point{c.at(16, 264-float32(i)*20, 0), c.at(266, 264-float32(i)*20, 0)}, 2, steel, 0.9)
	}
	d.flat(c.onFront(rect(280, 16, 124, 168), 0, 280, -2), s, 1.1, 0.95)
	d.box(c, -20, 280, -20, 460, 22, 220, matte(leafDark))
}

func drawHay(d *drawing) {
	d.soft(shape("-220,100 -200,-40 -100,-120 40,-130 180,-60 230,70 200,150 0,170 -190,150"), surface{colour: d.c,
		shine: 0.2, texture: fur(), relief: 0.5}, 70)
	for range 120 {
		x, y := d.between(-220, 220), d.between(-110, 150)
		if x*x/(230*230)+(y-20)*(y-20)/(150*150) > 1 {
			continue
		}
		a := d.between(-50, 50)
		d.line(curveThrough(x, y, x+26, y-a*0.4, x+56, y-a), 3, mix(d.c, leaf, d.between(0,
			0.5)).lighter(d.between(0, 0.3)), 0.9)
	}
}

func drawRunningWheel(d *drawing) {
	s := satin(d.c)
	d.cone(0, 0, -110, 220, 18, 14, metal(steel))
	d.cone(0, 0, 110, 220, 18, 14, metal(steel))
	d.soft(rounded(-150, 214, 300, 24, 10), s, 10)
	d.soft(ellipse(0, 0, 200, 200).without(ellipse(0, 0, 170, 170)), s, 14)
	for i := range 36 {
		sin, cos := sincos(float32(i) * 10)
		d.line([]point{{cos * 168, sin * 168}, {cos * 186, sin * 186}}, 4, d.c.darker(0.5), 0.6)
	}
	for i := range 3 {
		sin, cos := sincos(float32(i)*60 + 20)
		d.rod(-cos*176, -sin*176, cos*176, sin*176, 10, s)
	}
	d.ball(0, 0, 26, 26, metal(steel))
}
