package drawing

import "strings"

func gardenKinds() map[string]design {
	return map[string]design{
		"seed packet": plain(drawSeedPacket, leaf), "flower bulbs": plain(drawFlowerBulbs, palette["red"]),
		"soil sack": plain(drawSack, palette["green"]), "spade": plain(drawSpade, charcoal), "rake": plain(drawRake,
			charcoal),
		"trowel": plain(drawTrowel, steel), "secateurs": plain(drawSecateurs, signalRed),
		"lawn mower": plain(drawLawnMower, signalRed), "trimmer": plain(drawTrimmer, amber),
		"hose": plain(drawHose, leaf), "watering can": plain(drawWateringCan, leaf),
		"sprinkler": plain(drawSprinkler, leaf),
		"grill":     plain(drawGrill, charcoal), "smoker": plain(drawSmoker, charcoal), "parasol": plain(drawParasol,
			cream),
		"greenhouse": plain(drawGreenhouse, leafDark), "drill": plain(drawDrill, palette["blue"]),
		"circular saw": plain(drawCircularSaw, palette["blue"]), "jigsaw": plain(drawJigsaw, palette["green"]),
		"chainsaw": plain(drawChainsaw, palette["orange"]), "hand saw": plain(drawHandSaw, beech),

		"sander": plain(drawSander, palette["blue"]), "grinder": plain(drawGrinder, palette["green"]),
		"bench grinder": plain(drawBenchGrinder, palette["green"]), "screwdriver": plain(drawScrewdriver, signalRed),
		"bit set": plain(drawBitSet, charcoal), "hex keys": plain(drawHexKeys, steel), "hammer": plain(drawHammer,
			steel),
		"mallet": plain(drawMallet, charcoal), "crowbar": plain(drawCrowbar, signalRed), "axe": plain(drawAxe,
			signalRed),
		"chisel": plain(drawChisel, beech), "pliers": plain(drawPliers, signalRed), "wrench": plain(drawWrench, steel),
		"spanners": plain(drawSpanners, steel), "tape measure": plain(drawTapeMeasure, sunny),
		"spirit level": plain(drawSpiritLevel, sunny), "laser level": plain(drawLaserLevel, signalRed),
		"calliper": plain(drawCalliper, steel), "multimeter": plain(drawMultimeter, sunny),
		"screws": plain(drawScrews, brass),
		"nails":  plain(drawNails, steel), "wall plugs": plain(drawWallPlugs, greyTone), "glue": plain(drawGlue, sunny),

		"sealant": plain(drawSealant, white), "adhesive tape": plain(drawAdhesiveTape, greyTone),
		"paint": plain(drawPaint, white), "foam can": plain(drawFoamCan, amber), "ladder": plain(drawLadder, steel),
		"toolbox": plain(drawToolbox, signalRed), "workbench": plain(drawWorkbench, oak),
		"trolley": plain(drawTrolley, palette["blue"]),
		"welder":  plain(drawWelder, signalRed), "compressor": plain(drawCompressor, signalRed),
		"pressure washer": plain(drawPressureWasher, sunny), "welding mask": plain(drawWeldingMask, charcoal),
		"tap": plain(drawTap, chrome), "shower head": plain(drawShowerHead, chrome), "basin": plain(drawBasin, white),
		"siphon": plain(drawSiphon, white), "socket": plain(drawSocket, white), "switch": plain(drawSwitch, white),
		"extension lead": plain(drawExtensionLead, white), "breaker": plain(drawBreaker, white),
		"wallpaper": plain(drawWallpaper, palette["beige"]), "tiles": plain(drawTiles, palette["beige"]),
		"laminate": plain(drawLaminate, oak), "angle bracket": plain(drawAngleBracket, steel),
		"work gloves": plain(drawWorkGloves, greyTone),
	}
}

func drawSeedPacket(d *drawing) {
	for i, angle := range []float32{9, -5} {
		d.turned(angle, 0, 200, func() {
			x := 40 - float32(i)*60
			d.soft(rect(x-130, -210, 260, 420), matte(paperTone), 5)
			d.flat(rect(x-118, -88, 236, 286), matte(rgb{170, 204, 160}), 1.1, 0.9)
			d.fillEven(rect(x-130, -210, 260, 114), matte(mix(d.c, leafDark, 0.4)), 1)
			d.words(d.Label, x, -153, 150, white)
			if i == 1 {
				putHarvest(d, x, 60)
			}
		})
	}
}

// What grows from seeds.
const (
	tomatoes = iota
	carrots
	lettuce
	flowers
)

// harvestOf returns what the words on a packet of seeds say, or something for each style.
func harvestOf(d *drawing) int {
	label := strings.ToLower(d.Label)
	for i, names := range [][]string{tomatoes: {"tomato", "томат", "помидор"}, carrots: {"carrot", "морков"},
		lettuce: {"lettuce", "basil", "салат", "укроп"}, flowers: {"flower", "цвет"}} {
		for _, name := range names {
			if strings.Contains(label, name) {
				return i
			}
		}
	}
	return d.one(4)
}

// putHarvest draws what grows from the seeds.
func putHarvest(d *drawing, x, y float32) {
	switch harvestOf(d) {
	case tomatoes:
		for _, p := range []point{{-44, 30}, {46, 40}, {0, -30}} {
			d.ball(x+p.x, y+p.y, 52, 48, glossy(rgb{206, 54, 42}))
			d.fillEven(star(x+p.x, y+p.y-40, 22), matte(leafDark), 1)
		}

	case carrots:
		for i := range 3 {
			d.turned(float32(i-1)*22, x, y+90, func() {
				d.soft(shape(f("%g,%g %g,%g %g,%g %g,%g", x-26, y-60, x+26, y-60, x, y+110, x, y+110)),
					satin(amber.darker(0.05)), 20)
				for k := range 3 {
					d.line(curveThrough(x, y-60, x+float32(k-1)*20, y-100, x+float32(k-1)*34, y-130), 9, leaf, 1)
				}
			})
		}

	case lettuce:
		for i := range 9 {
			d.turned(float32(i)*40, x, y, func() {
				d.soft(shape(f("%g,%g %g,%g %g,%g! %g,%g", x, y, x+26, y-50, x, y-104, x-26, y-50)), satin(mix(leaf,
					leafDark, float32(i%2))), 10)
			})
		}

	default:
		for i := range 4 {
			putFlowerHead(d, x-66+float32(i%2)*120, y-60+float32(i/2)*76, 40, []rgb{palette["pink"], sunny,
				signalRed, white}[i])
		}
	}
}

func drawFlowerBulbs(d *drawing) {
	for i, x := range []float32{-70, 70, 0} {
		h := -210 - float32(i%2)*40
		d.tube(curveThrough(x, 60, x*1.1, -80, x*1.2, h), 12, satin(leaf))
		d.soft(shape(f("%g,40! %g,-60 %g,-170! %g,-40", x, x+50, x+66, x+14)), satin(leafDark), 10)
		d.soft(shape(f("%g,%g %g,%g %g,%g! %g,%g! %g,%g! %g,%g", x*1.2, h+40, x*1.2+46, h, x*1.2+36, h-70, x*1.2,
			h-40, x*1.2-36, h-70, x*1.2-46, h)), satin(d.c), 24,
			crease(6, 0.5, x*1.2, h-40, x*1.2, h+30))
	}
	for _, x := range []float32{-110, 104, 0} {
		d.soft(shape(f("%g,30! %g,80 %g,150 %g,180 %g,150 %g,80", x, x+60, x+50, x, x-50, x-60)), satin(rgb{170,
			116, 72}), 40,
			crease(4, 0.5, x, 40, x+20, 100, x+10, 176), crease(4, 0.5, x, 40, x-24, 100, x-10, 176))
	}
}

// putLongHandled draws a tool with a long wooden handle; head draws its lower end around 0, 200.
func putLongHandled(d *drawing, angle float32, head func()) {
	d.turned(angle, 0, 0, func() {
		d.rod(0, -380, 0, 190, 18, wood(beech))
		d.tube(curveThrough(-40, -400, 0, -386, 40, -400), 16, satin(d.c))
		head()
	})
}

func drawSpade(d *drawing) {
	d.lay()
	putLongHandled(d, 26, func() {
		d.soft(shape("-86,190! -20,186 -14,120! 14,120! 20,186 86,190! 90,330 60,390 0,420 -60,390 -90,330"),
			metal(mix(d.c, steel, 0.4)), 20, crease(14, -0.4, 0, 190, 0, 330))
	})
}

func drawRake(d *drawing) {
	d.lay()
	putLongHandled(d, 26, func() {
		d.tube(curveThrough(-150, 220, 0, 196, 150, 220), 16, satin(d.c))
		for i := range 13 {
			x := -150 + float32(i)*25
			d.tube(curveThrough(x, 214, x*1.08, 270, x*1.06, 300), 8, metal(steel))
		}
	})
}

func drawTrowel(d *drawing) {
	d.lay()
	d.turned(38, 0, 0, func() {
		d.lathe(body(0, "18,-250 26,-236 22,-120 16,-90"), d.made(wood), 0.2)
		d.rod(0, -96, 0, -10, 14, metal(steel))
		d.soft(shape("-56,-20! 56,-20! 66,90 40,190 0,240 -40,190 -66,90"), metal(steel), 24, crease(20, 0.5, 0, 0,
			0, 200))
	})
}

func drawSecateurs(d *drawing) {
	d.lay()
	d.turned(30, 0, 0, func() {
		d.soft(shape("-10,20! 24,10! 60,120 70,260 40,290 20,250 6,120"), rubber(d.c), 16)
		d.soft(shape("10,20! -24,10! -60,120 -70,260 -40,290 -20,250 -6,120"), rubber(d.c), 16)
		d.soft(shape("-30,30! -50,-80 -20,-180 30,-220! 20,-80 20,20!"), metal(steel), 8)
		d.soft(shape("30,34! 60,-60 50,-130 34,-160! 14,-60 0,20!"), metal(charcoal.lighter(0.2)), 8)
		d.ball(0, 10, 18, 18, metal(brass))
	})
}

func putWheel(d *drawing, x, y, r float32) {
	d.ball(x, y, r, r, rubber(nearBlack))
	d.flat(ellipse(x, y, r*0.62, r*0.62), satin(greyTone), 1.1, 0.8)
	d.ball(x, y, r*0.18, r*0.18, satin(charcoal))
}

func drawLawnMower(d *drawing) {
	s := glossy(d.c)
	d.tube(curveThrough(60, 60, 220, -120, 330, -250, 300, -276, 250, -276), 16, satin(charcoal))
	d.tube([]point{{190, -86}, {100, -60}}, 12, satin(charcoal))
	d.soft(shape("40,60! 180,30! 260,60 250,130! 120,140!"), cloth(charcoal), 30)
	putWheel(d, 120, 150, 50)
	d.soft(shape("-250,110 -230,20 -140,-10 100,-6 150,50 150,130 -240,140"), s, 30)
	d.soft(shape("-150,0 -130,-90 -20,-110 60,-80 70,0"), satin(charcoal), 30)
	d.soft(rounded(-110, -130, 120, 34, 14), s, 14)
	putWheel(d, -190, 150, 48)
	putWheel(d, 104, 160, 52)
}

func drawTrimmer(d *drawing) {
	d.rod(-150, 220, 150, -200, 20, metal(steel))
	d.soft(shape("120,-240 190,-280 240,-230 190,-160 140,-170"), glossy(d.c), 26)
	d.tube(curveThrough(20, -30, 90, 10, 60, -70), 16, rubber(charcoal))
	d.soft(shape("-260,250 -220,190 -120,190 -90,230 -140,262"), glossy(d.c), 18)
	d.lathe(body(-166, "34,230 38,240 30,280"), satin(charcoal), 0.2)
	d.line([]point{{-200, 272}, {-290, 286}}, 4, signalRed, 1)
}

func drawHose(d *drawing) {
	d.lay()
	s := glossy(d.c)
	for _, r := range []float32{210, 176, 142} {
		d.soft(ellipse(0, 0, r, r).without(ellipse(0, 0, r-32, r-32)), s, 14)
		d.fillEven(ellipse(0, 0, r-14, r-14).without(ellipse(0, 0, r-19, r-19)), matte(sunny).faded(0.8), 1)
	}
	d.tube(curveThrough(200, 40, 240, 130, 170, 220, 240, 290), 32, s)
	d.turned(-40, 256, 310, func() { d.lathe(body(256, "18,280 22,300 22,350 30,380"), metal(brass), 0.2) })
}

func drawWateringCan(d *drawing) {
	s := d.made(glossy)
	d.tube(curveThrough(90, -110, 190, -180, 230, -60, 130, 110), 20, s)
	d.tube(curveThrough(-60, -120, 0, -220, 90, -120), 18, s)
	d.cone(-110, 90, -260, -130, 56, 26, s)
	d.turned(-52, -268, -142, func() { d.lathe(body(-268, "56,-190 58,-180 16,-140"), s, 0.24) })
	b := body(0, "110,-110 118,-100 130,140 124,154")
	d.lathe(b, s, 0.2)
	d.opening(0, -110, 110, 0.22, s, s.colour.darker(0.5))
}

func drawSprinkler(d *drawing) {
	s := satin(d.c)
	for i := -3; i <= 3; i++ {
		x := float32(i)
		d.line(curveThrough(x*26, -40, x*50, -160, x*90, -190, x*110, -140), 5, rgb{190, 220, 240}, 0.8)
	}
	d.tube(curveThrough(-220, 90, -120, 130, 120, 130, 220, 90), 26, s)
	d.tube([]point{{-160, -24}, {160, -24}}, 24, metal(steel))
	for _, x := range []float32{-180, 180} {
		d.soft(rounded(x-30, -50, 60, 150, 18), s, 16)
	}
}

func drawGrill(d *drawing) {
	s := glossy(d.c)
	for _, x := range []float32{-1, 1} {
		d.cone(x*60, 60, x*150, 300, 16, 11, metal(steel))
	}
	d.rod(-110, 200, 110, 200, 8, metal(steel))
	putWheel(d, 150, 296, 34)
	d.lathe(body(0, "206,-10 200,30 150,90 60,120"), s, 0.14)
	d.lathe(body(0, "24,-160 130,-130 200,-60 212,-16"), s, 0.12)
	d.tube(curveThrough(-40, -170, 0, -206, 40, -170), 16, wood(beech))
	d.flat(ellipse(60, -104, 22, 13), metal(steel), 1.2, 0.9)
	d.flat(rounded(210, -30, 120, 16, 5), wood(beech), 1.1, 0.9)
}

func drawSmoker(d *drawing) {
	s := satin(d.c)
	for _, x := range []float32{-180, 160} {
		d.rod(x, 80, x*1.1, 290, 16, metal(charcoal))
	}
	putWheel(d, 176, 276, 44)
	d.rod(140, -210, 140, -90, 40, s)
	d.turned(90, 0, 0, func() { d.lathe(body(0, "90,-230 110,-220 110,220 90,230"), s, 0.3) })
	d.line([]point{{-226, 0}, {222, 0}}, 6, d.c.lighter(0.3), 0.8)
	d.tube(curveThrough(-60, 14, 0, 40, 60, 14), 12, metal(steel))
	d.ball(0, -60, 24, 24, metal(steel))
	d.flat(rounded(-210, 112, 420, 16, 5), wood(beech), 1.1, 0.9)
}

func drawParasol(d *drawing) {
	d.lathe(body(0, "30,310 90,330 96,348"), stone(greyTone), 0.24)
	d.rod(0, -160, 0, 320, 18, wood(beech))
	var folds []fold
	for i := -2; i <= 2; i++ {
		x := float32(i)
		folds = append(folds, crease(10, 0.6, x*14, -190, x*70, -110, x*112, -20))
	}
	d.soft(shape("0,-220! 110,-170 220,-80 280,10! 220,-4 168,22! 110,-4 56,24! 0,0 -56,24! -110,-4 -168,22! -220,-4 "+
		"-280,10! -220,-80 -110,-170"), cloth(d.c), 40, folds...)
	d.ball(0, -226, 13, 13, wood(beech))
}

func drawGreenhouse(d *drawing) {
	c := newCamera(30, 16)
	frame := d.c.darker(0.15)
	w, h, depth, roof := float32(300), float32(200), float32(380), float32(90)
	pane := glossy(rgb{196, 224, 226}).faded(0.55)
	d.flat(path{{c.at(0, 0, depth), c.at(w, 0, depth), c.at(w, h, depth), c.at(w/2, h+roof, depth), c.at(0, h,
		depth)}}, pane, 1, 0.9)
	for i := range 5 {
		p := c.at(60+float32(i%2)*150, 0, 40+float32(i)*70)
		putPlant(d, p.x, p.y, 0.42)
	}

	d.flat(path{{c.at(w, 0, 0), c.at(w, 0, depth), c.at(w, h, depth), c.at(w, h, 0)}}, pane, 0.95, 0.85)
	d.flat(path{{c.at(w, h, 0), c.at(w, h, depth), c.at(w/2, h+roof, depth), c.at(w/2, h+roof, 0)}}, pane, 1.15, 1)
	d.flat(path{{c.at(0, 0, 0), c.at(w, 0, 0), c.at(w, h, 0), c.at(w/2, h+roof, 0), c.at(0, h, 0)}}, pane, 1.1, 1)
	bar := func(a, b point) { d.rod(a.x, a.y, b.x, b.y, 8, satin(frame)) }
	for i := range 5 {
		z := depth * float32(i) / 4
		bar(c.at(w, 0, z), c.at(w, h, z))
		bar(c.at(w, h, z), c.at(w/2, h+roof, z))
	}

	for _, p := range [][4]float32{{0, 0, 0, h}, {0, h, w / 2, h + roof}, {w / 2, h + roof, w, h}, {w, h, w, 0}, {0,
		0, w, 0}, {0, h, w, h}, {w * 0.3, 0, w * 0.3, h}, {w * 0.7, 0, w * 0.7, h}} {
		bar(c.at(p[0], p[1], 0), c.at(p[2], p[3], 0))
	}
	bar(c.at(w, 0, 0), c.at(w, 0, depth))
	bar(c.at(w, h, 0), c.at(w, h, depth))
	bar(c.at(w/2, h+roof, 0), c.at(w/2, h+roof, depth))
}

func drawDrill(d *drawing) {
	s := satin(d.c)
	d.soft(shape("60,20! 150,10! 190,130 200,210 190,226 80,226 76,150"), s, 30)
	d.soft(shape("96,40! 140,40! 170,190! 110,196!"), rubber(charcoal), 12)
	d.soft(rounded(50, 210, 200, 84, 16), satin(charcoal), 16)
	d.soft(rounded(64, 222, 110, 20, 6), s, 6)
	d.soft(shape("-90,-86 120,-90 200,-60 214,10 190,50 -80,50 -100,-20"), s, 40)
	d.soft(shape("120,-84 204,-56 210,10 186,46 120,48"), rubber(charcoal), 20)
	d.turned(90, 0, -16, func() {
		d.lathe(body(0, "26,206 40,190 46,120 56,96 56,84"), satin(charcoal), 0.2)
		d.lathe(body(0, "5,206 5,330"), metal(steel), 0.1)
	})
	d.soft(rounded(70, 44, 24, 46, 10), rubber(nearBlack), 8)
	d.words(d.Label, 10, -20, 120, d.c.contrast())
}

func putSawBlade(d *drawing, x, y, r float32) {
	var c []point
	for i := range 48 {
		sin, cos := sincos(float32(i) * 7.5)
		k := r
		if i%2 == 1 {
			k = r * 0.93
		}
		c = append(c, point{x + cos*k, y + sin*k})
	}
	d.plate(path{c}, metal(steel))
	d.ball(x, y, r*0.16, r*0.16, metal(charcoal))
}

func drawCircularSaw(d *drawing) {
	s := satin(d.c)
	putSawBlade(d, -70, 110, 130)
	d.flat(poly(-270, 150, 260, 150, 280, 178, -260, 178), metal(steel), 1.15, 0.8)
	d.tube(curveThrough(-10, 0, 30, -130, 120, -176, 220, -130, 250, -10, 190, 90), 54, s)
	d.tube(curveThrough(62, -150, 130, -177, 206, -140, 236, -64), 40, rubber(charcoal))
	d.soft(rounded(86, -146, 30, 46, 12), satin(signalRed), 8)
	d.soft(rounded(-20, -10, 250, 128, 44), s, 34)
	for i := range 4 {
		d.line(pointsOf([]float32{130 + float32(i)*22, 20, 130 + float32(i)*22, 84}), 9, nearBlack, 0.8)
	}
	d.soft(shape("-226,128! -220,10 -156,-66 -70,-86 20,-64 82,10 88,128!"), s, 26,
		crease(8, 0.35, -180, 100, -168, 20, -70, -40, 30, 20, 44, 100))
	d.ball(-70, 70, 34, 34, metal(steel))
}

func drawJigsaw(d *drawing) {
	s := satin(d.c)
	d.flat(poly(-112, 150, -90, 150, -92, 300, -106, 286), metal(steel), 1.1, 0.9)
	for i := range 9 {
		y := 186 + float32(i)*11
		d.fillEven(poly(-112, y, -120, y+5, -110, y+10), metal(steel), 0.8)
	}
	d.flat(poly(-200, 150, 190, 150, 200, 178, -210, 178), metal(steel), 1.15, 0.8)
	d.tube(curveThrough(-96, -20, -60, -130, 40, -170, 160, -140, 214, -40, 196, 70), 58, s)
	d.tube(curveThrough(-10, -156, 60, -170, 140, -148, 192, -86), 44, rubber(charcoal))
	d.soft(rounded(6, -144, 30, 48, 12), satin(signalRed), 8)
	d.soft(shape("-166,150! -172,40 -160,-40 -110,-70 -50,-40 -20,16 90,24 200,22 236,70 220,150!"), s, 34)
	d.soft(rounded(-170, 40, 60, 70, 14), satin(charcoal), 12)
	for i := range 4 {
		d.line(pointsOf([]float32{80 + float32(i)*26, 56, 70 + float32(i)*26, 116}), 9, nearBlack, 0.8)
	}
}

func drawChainsaw(d *drawing) {
	s := glossy(d.c)
	d.soft(shape("-360,40 -340,6 0,-6! 0,80! -330,80"), metal(steel), 6)
	d.stitches(dense(curveThrough(0, -8, -330, 4, -366, 42, -330, 84, 0, 84), 5), 9, nearBlack)
	d.soft(shape("-40,-70 120,-90 220,-40 230,110 -30,120 -60,40"), s, 36)
	d.tube(curveThrough(20, 110, -10, -140, 120, -150, 150, -60), 24, rubber(charcoal))
	d.soft(shape("190,-40 280,-30 330,40 310,120 220,124 220,94 280,90 290,40 250,0 200,10"), rubber(charcoal), 16)
	d.soft(shape("-60,-40! -90,-150! -70,-156! -20,-60!"), rubber(charcoal), 8)
}

func drawHandSaw(d *drawing) {
	d.lay()
	d.turned(-24, 0, 0, func() {
		d.flat(poly(-300, 0, 110, -70, 110, 70, -296, 34), metal(steel), 1.2, 0.9)
		for i := range 50 {
			x := -294 + float32(i)*8
			y := 35 + (x+294)*0.087
			d.fillEven(poly(x, y, x+8, y, x+5, y+9), matte(steel.darker(0.2)), 1)
		}
		d.soft(shape("90,-90 150,-84 230,-40 260,60 230,130 170,100 100,110 86,70! 110,0").without(rounded(130, -30,
			70, 94, 30)), d.made(wood), 20)
	})
}

func drawSander(d *drawing) {
	s := satin(d.c)
	d.flat(rounded(-190, 130, 350, 30, 8), matte(kraft), 1.1, 0.8)
	d.soft(rounded(-190, 90, 350, 46, 12), rubber(charcoal), 12)
	d.soft(shape("-160,96! -150,0 -110,-90 40,-130 130,-60 140,96!"), s, 40)
	d.soft(shape("-100,-90 30,-132 120,-70 90,-30 -90,-40"), rubber(charcoal), 20)
	d.soft(shape("140,40! 250,50! 270,130 250,150 150,110!"), cloth(charcoal.lighter(0.15)), 26)
	d.words(d.Label, -20, 30, 150, d.c.contrast())
}

func drawGrinder(d *drawing) {
	s := satin(d.c)
	d.turned(-14, 0, 0, func() {
		d.soft(rounded(-40, -56, 330, 110, 46), s, 44)
		d.soft(rounded(120, -58, 170, 114, 46), rubber(charcoal), 40)
		d.soft(shape("-150,-60 -40,-64 -20,56 -140,60 -170,0"), metal(steel), 26)
		d.ball(-112, 66, 108, 40, metal(charcoal.lighter(0.25)))
		d.flat(ellipse(-112, 80, 116, 34), matte(charcoal), 1.1, 0.7)
		d.soft(shape("-200,30 -120,10 -20,40 -10,70 -110,56 -190,70"), satin(charcoal), 12)
		d.rod(-100, -56, -100, -190, 32, rubber(charcoal))
		d.tube(curveThrough(288, 0, 340, 10, 380, 60, 440, 50), 12, rubber(nearBlack))
	})
}

func drawBenchGrinder(d *drawing) {
	s := satin(d.c)
	d.flat(rounded(-130, 170, 260, 34, 10), satin(charcoal), 1, 0.7)
	d.soft(rounded(-70, 60, 140, 120, 14), s, 16)
	d.turned(90, 0, 0, func() { d.lathe(body(0, "60,-120 84,-100 84,100 60,120"), s, 0.3) })
	for _, x := range []float32{-190, 190} {
		d.ball(x, 0, 110, 110, stone(greyTone))
		d.ball(x, 0, 34, 34, metal(steel))
		d.soft(shape(f("%g,-124 %g,-80 %g,10 %g,10 %g,-60 %g,-100 %g,-60 %g,10 %g,10 %g,-80", x, x+110, x+124,
			x+104, x+80, x, x-80, x-104, x-124, x-110)), satin(d.c.darker(0.1)), 10)
	}
	d.ball(0, 120, 16, 16, glossy(leaf))
}

func drawScrewdriver(d *drawing) {
	d.lay()
	n := 1 + d.one(2)
	for i := range n {
		x := float32(i)*110 - float32(n-1)*55
		d.turned(38, x, 0, func() {
			d.lathe(turnedBody{x, []point{{9, -40}, {9, -262}}}.flipped(), metal(steel), 0.1)
			d.lathe(turnedBody{x, curve(f("14,%g 30,%g 38,%g 32,%g 40,%g 36,%g 20,%g", -50.0, -30.0, 20.0, 60.0,
				120.0, 190.0, 216.0))}, satin(d.c), 0.2)
			for k := -2; k <= 2; k++ {
				d.line([]point{{x + float32(k)*13, 10}, {x + float32(k)*14, 180}}, 5, charcoal, 0.75)
			}
		})
	}
}

// flipped returns the body with its outline in the other direction.
func (b turnedBody) flipped() turnedBody {
	return turnedBody{b.axis, reversed(b.outline)}
}

func drawBitSet(d *drawing) {
	d.lay()
	d.turned(-6, 0, 0, func() {
		d.soft(rounded(-240, -230, 480, 200, 18), satin(d.c), 12)
		d.flat(rounded(-220, -212, 440, 164, 10), satin(d.c.darker(0.3)), 0.9, 1.1)
		d.soft(rounded(-240, -26, 480, 260, 18), satin(d.c), 12)
		d.flat(rounded(-222, -8, 444, 222, 10), satin(d.c.darker(0.35)), 0.9, 1.1)
		for i := range 24 {
			x, y := -196+float32(i%8)*56, 20+float32(i/8)*66
			d.lathe(turnedBody{x, []point{{4, y - 16}, {9, y}, {12, y + 8}, {12, y + 36}}}, metal(steel), 0.2)
			d.fillEven(rect(x-12, y+20, 24, 6), matte([]rgb{signalRed, leaf, palette["blue"], sunny}[i%4]), 1)
		}
		d.words(d.Label, 0, -130, 260, d.c.lighter(0.6))
	})
}

func drawHexKeys(d *drawing) {
	d.lay()
	for i := range 6 {
		k := float32(i)
		x, y := -150+k*44, -190+k*20
		d.tube([]point{{x - 46 + k*3, y}, {x - 6, y}, {x, y + 8}, {x, y + 360 - k*44}}, 26-k*3,
			metal(charcoal.lighter(0.3)))
	}
	d.soft(rounded(-190, 0, 330, 76, 14), rubber(mix(d.c, signalRed, 0.5)), 16)
}

func putHaft(d *drawing, angle float32, head func()) {
	d.lay()
	d.turned(angle, 0, 0, func() {
		handle := []surface{wood(beech), rubber(charcoal), wood(walnut), satin(sunny)}[d.one(4)]
		d.lathe(body(0, "15,-190 17,-60 20,60 16,140 24,230 20,270"), handle, 0.2)
		head()
	})
}

func drawHammer(d *drawing) {
	putHaft(d, 34, func() {
		s := metal(mix(d.c, steel, 0.6))
		d.soft(shape("-100,-236! 20,-246 70,-250 150,-190! 130,-176 60,-206 20,-196 -60,-196 -66,-180! -104,-180!"),
			s, 16)
		d.soft(rounded(-132, -244, 40, 74, 10), s, 12)
	})
}

func drawMallet(d *drawing) {
	putHaft(d, 34, func() { d.soft(rounded(-120, -262, 240, 120, 20), rubber(d.c), 30) })
}

func drawCrowbar(d *drawing) {
	d.lay()
	d.tube(curveThrough(150, -250, 190, -210, 150, -150, -160, 230, -190, 250), 28, satin(d.c))
	d.soft(shape("150,-268! 170,-240 120,-236 96,-256!"), metal(steel), 5)
	d.soft(shape("-180,230! -220,270 -200,280! -160,246!"), metal(steel), 5)
}

func drawAxe(d *drawing) {
	putHaft(d, 30, func() {
		d.soft(shape("-30,-230! 40,-226! 46,-150! -30,-146! -90,-140 -150,-100! -176,-190 -150,-280! -90,-240"),
			metal(mix(d.c, charcoal, 0.5)), 14)
		d.softUncast(shape("-150,-100! -176,-190 -150,-280! -138,-256 -156,-190 -138,-116"), metal(white), 5)
	})
}

func drawChisel(d *drawing) {
	d.lay()
	for i, x := range []float32{-50, 50} {
		d.turned(30+float32(i)*8, x, 0, func() {
			w := 20 + float32(i)*10
			d.flat(poly(x-w, -260, x+w, -260, x+w, -40, x+9, -10, x-9, -10, x-w, -40), metal(steel), 1.2, 0.9)
			d.lathe(turnedBody{x, curve("16,-16 30,10 26,90 34,190 24,220")}, d.made(wood), 0.2)
		})
	}
}

func drawPliers(d *drawing) {
	d.lay()
	d.turned(28, 0, 0, func() {
		for _, side := range []float32{1, -1} {
			d.within(matrix{a: side, e: 1}, func() {
				d.soft(shape("-6,20! 30,0 44,60 70,180 60,280 34,290 20,200 0,90"), rubber(d.c), 15)
				d.soft(shape("3,-20! 40,-60 46,-130 30,-200 6,-250! 3,-240 8,-150"), metal(steel), 10)
			})
		}
		d.ball(0, -10, 44, 40, metal(steel))
		d.ball(0, -10, 16, 16, metal(charcoal))
		for i := range 8 {
			d.line([]point{{-12, -236 + float32(i)*10}, {12, -236 + float32(i)*10}}, 3, charcoal, 0.6)
		}
	})
}

func drawWrench(d *drawing) {
	d.lay()
	d.turned(36, 0, 0, func() {
		s := metal(mix(d.c, steel, 0.7))
		d.soft(shape("-30,-130! 30,-130! 26,200 36,250 0,270 -36,250 -26,200").without(ellipse(0, 240, 14, 14)), s, 14)
		d.soft(shape("-86,-250! -30,-270! -30,-190! 10,-190! 20,-260! 90,-220 80,-130 20,-100 -40,-104 -90,-150"),
			s, 14)
		d.ball(34, -150, 20, 14, metal(charcoal))
	})
}

func drawSpanners(d *drawing) {
	d.lay()
	for i := range 5 {
		k := 1 - float32(i)*0.1
		x := -170 + float32(i)*84
		d.placed(k, x, 0, func() {
			s := metal(mix(d.c, steel, 0.7))
			d.soft(shape("-16,-150! 16,-150! 16,150! -16,150!"), s, 8)
			d.soft(ellipse(0, 190, 48, 48).without(ellipse(0, 190, 27, 27)), s, 9)
			d.soft(shape("-50,-240! -22,-250! -22,-196! 22,-196! 22,-250! 50,-240! 52,-170 0,-130 -52,-170"), s, 9)
		})
	}
}

func drawTapeMeasure(d *drawing) {
	s := rubber(mix(d.c, charcoal, 0.1))
	d.flat(poly(90, 120, 330, 120, 330, 156, 90, 156), satin(sunny), 1.1, 0.95)
	for i := range 22 {
		h := float32(10)
		if i%5 == 0 {
			h = 20
		}
		d.line([]point{{110 + float32(i)*10, 156}, {110 + float32(i)*10, 156 - h}}, 2, charcoal, 1)
	}
	d.flat(rect(326, 112, 10, 60), metal(steel), 1.1, 0.8)
	d.soft(shape("-170,170! -180,0 -150,-130 -40,-180 80,-160 150,-60 160,170!"), s, 40)
	d.soft(ellipse(-10, 0, 110, 110), satin(charcoal), 10)
	d.soft(ellipse(-10, 0, 94, 94), satin(d.c), 8)
	d.words(d.Label, -10, 0, 120, d.c.contrast())
}

func drawSpiritLevel(d *drawing) {
	c := newCamera(12, 20)
	d.box(c, 0, 0, 0, 640, 90, 40, satin(d.c))
	for _, x := range []float32{70, 320, 540} {
		d.fillEven(c.onFront(rounded(x-42, 24, 84, 42, 20), 0, 90, 0), matte(charcoal), 1)
		d.flat(c.onFront(rounded(x-34, 32, 68, 26, 13), 0, 90, 0), glossy(rgb{190, 220, 60}), 1.2, 0.9)
		d.flat(c.onFront(ellipse(x, 44, 13, 9), 0, 90, 0), glossy(rgb{232, 246, 150}), 1.3, 1)
	}
	d.wordsOn(func(p path) path { return c.onFront(p, 0, 90, 0) }, d.Label, 190, 45, 90, d.c.contrast())
}

func drawLaserLevel(d *drawing) {
	for _, x := range []float32{-80, 0, 80} {
		d.cone(x*0.3, 120, x*1.4, 290, 16, 10, metal(charcoal))
	}
	d.fillEven(poly(-40, -50, -420, -56, -420, -48, -40, -42), matte(signalRed).faded(0.85), 1.2)
	d.soft(rounded(-110, -140, 220, 270, 30), rubber(charcoal), 20)
	d.soft(rounded(-90, -124, 180, 236, 20), satin(d.c), 12)
	d.ball(-70, -46, 28, 34, glossy(rgb{80, 30, 34}))
	d.words(d.Label, 20, 40, 110, d.c.contrast())
}

func drawCalliper(d *drawing) {
	d.lay()
	d.turned(-12, 0, 0, func() {
		s := metal(steel)
		d.flat(poly(-330, -30, 330, -30, 330, 20, -330, 20), s, 1.15, 0.95)
		for i := range 50 {
			h := float32(10)
			if i%5 == 0 {
				h = 18
			}
			d.line([]point{{-180 + float32(i)*10, 20}, {-180 + float32(i)*10, 20 - h}}, 2, charcoal, 0.9)
		}

		d.plate(poly(-330, -34, -250, -34, -250, 30, -262, 190, -330, 40), s)
		d.plate(poly(-250, -34, -160, -34, -120, 50, -220, 50, -248, 190), s)
		d.soft(rounded(-240, -60, 190, 110, 10), satin(charcoal), 10)
		d.fillEven(rounded(-226, -44, 130, 60, 6), matte(rgb{188, 204, 186}), 1)
		d.words("12.50", -160, -14, 100, charcoal)
	})
}

func drawMultimeter(d *drawing) {
	d.tube(curveThrough(-30, 220, -60, 300, 120, 330, 250, 220, 210, 40), 11, rubber(signalRed))
	d.tube(curveThrough(30, 220, 20, 290, 180, 290, 290, 200, 270, 60), 11, rubber(nearBlack))
	d.cone(206, 50, 190, -120, 18, 6, rubber(signalRed))
	d.cone(272, 66, 262, -100, 18, 6, rubber(nearBlack))
	d.soft(rounded(-130, -230, 260, 460, 30), rubber(d.c), 18)
	d.soft(rounded(-108, -208, 216, 416, 18), satin(charcoal), 8)
	d.fillEven(rounded(-90, -190, 180, 96, 8), matte(rgb{188, 204, 186}), 1)
	d.words("230.4", 0, -142, 130, charcoal)
	d.ball(0, 20, 78, 78, satin(charcoal.lighter(0.1)))
	d.line([]point{{0, 20}, {-40, -30}}, 13, white, 1)
	for i := range 3 {
		d.ball(-60+float32(i)*60, 164, 20, 20, rubber([]rgb{signalRed, nearBlack, sunny}[i]))
	}
}

// putHeap draws many small things on a heap.
func putHeap(d *drawing, n int, thing func(x, y float32)) {
	d.lay()
	for i := range n {
		sin, cos := sincos(float32(i) * 137.5)
		r := 200 * sqrt(1-float32(i)/float32(n))
		x, y := cos*r, sin*r*0.7
		d.turned(d.between(0, 360), x, y, func() { thing(x, y) })
	}
}

func drawScrews(d *drawing) {
	c := d.c
	if d.Colour != "" && distance(c, charcoal) > 120 && distance(c, brass) > 150 {
		c = mix(c, brass, 0.6)
	}
	putHeap(d, 26, func(x, y float32) {
		d.lathe(turnedBody{x, []point{{22, y - 60}, {8, y - 44}, {8, y + 40}, {1, y + 66}}}, metal(c), 0.16)
		for k := range 9 {
			ty := y - 30 + float32(k)*9
			d.line([]point{{x - 12, ty + 3}, {x + 12, ty - 3}}, 3, c.darker(0.45), 0.8)
		}
		d.flat(ellipse(x, y-60, 22, 6), metal(c), 1.2, 0.9)
		d.line([]point{{x - 10, y - 60}, {x + 10, y - 60}}, 3, nearBlack, 0.8)
	})
}

func drawNails(d *drawing) {
	putHeap(d, 30, func(x, y float32) {
		d.rod(x, y-70, x, y+70, 8, metal(steel))
		d.flat(ellipse(x, y-70, 15, 5), metal(steel), 1.2, 0.9)
	})
}

func drawWallPlugs(d *drawing) {
	putHeap(d, 26, func(x, y float32) {
		d.lathe(turnedBody{x, curve(f("22,%g 18,%g 18,%g 15,%g 6,%g", y-56, y-46, y+10, y+40, y+60))},
			satin(d.c.lighter(0.1)), 0.2)
		d.line([]point{{x, y - 10}, {x, y + 50}}, 4, d.c.darker(0.5), 0.8)
	})
}

func drawGlue(d *drawing) {
	b := body(0, "26,-110 80,-80 86,-40 86,190 76,204")
	d.lathe(b, satin(white), 0.16)
	putWrapLabel(d, b, -20, 150, d.c)
	d.lathe(body(0, "6,-230 20,-120 30,-106"), satin(signalRed), 0.2)
}

func drawSealant(d *drawing) {
	d.turned(28, 0, 0, func() {
		b := body(0, "48,-120 48,230")
		d.lathe(body(0, "5,-290 22,-130 30,-118"), satin(white), 0.2)
		d.lathe(b, satin(white), 0.16)
		putWrapLabel(d, b, -80, 200, mix(d.c, palette["blue"], 0.6))
	})
}

func drawAdhesiveTape(d *drawing) {
	s := satin(d.c)
	b := turnedBody{30, []point{{170, 60}, {170, 130}}}
	d.lathe(b, s, 0.36)
	d.flat(ellipse(30, 60, 170, 61), s, 1.16, 1)
	d.flat(ellipse(30, 60, 112, 40), cardboard(kraft), 0.7, 1.1)
	d.ball(-100, -50, 150, 150, s)
	d.flat(ellipse(-100, -50, 136, 136), s, 1.08, 0.95)
	d.flat(ellipse(-100, -50, 92, 92), cardboard(kraft), 0.7, 1.1)
	d.fillEven(ellipse(-100, -50, 82, 82), matte(rgb{228, 226, 223}), 0.9)
}

func drawPaint(d *drawing) {
	b := body(0, "150,-110 156,-104 156,-90 148,-84 148,150 154,158")
	d.tube(arc(0, -90, 152, 150, 200, 340), 8, metal(steel))
	d.lathe(b, metal(steel), 0.2)
	d.latheOn(b.part(-70, 140, 0.2), b, satin(white))
	d.latheOn(b.part(40, 140, 0.2), b, satin(d.c))
	d.words(d.Label, 0, 0, 200, charcoal)
	d.opening(0, -110, 146, 0.22, metal(steel), d.c)
	d.soft(shape("-60,-84! -20,-80! -24,-30 -36,20 -50,-20!"), glossy(d.c), 12)
	d.soft(rounded(190, 60, 34, 170, 12).turn(24, 200, 140), wood(beech), 12)
	d.turned(24, 200, 140, func() {
		d.flat(rect(172, 16, 70, 44), metal(steel), 1.1, 0.9)
		d.soft(poly(172, -60, 242, -50, 242, 18, 172, 18), matte(d.c), 8)
	})
}

func drawFoamCan(d *drawing) {
	b := body(0, "50,-130 76,-104 78,-80 78,220 70,230")
	d.lathe(b, satin(d.c), 0.16)
	putWrapLabel(d, b, 20, 160, white)
	d.rod(0, -170, 0, -126, 26, satin(charcoal))
	d.tube([]point{{0, -160}, {60, -180}, {180, -240}}, 14, satin(white))
	putEmblem(d, 0, -40, 34, d.c.contrast())
}

func drawLadder(d *drawing) {
	s := metal(mix(d.c, steel, 0.7))
	d.rod(60, -260, 210, 300, 16, satin(charcoal))
	d.rod(-20, -260, 70, 280, 16, satin(charcoal))
	for i := range 6 {
		t := float32(i) / 6
		w := 60 + 70*t
		y := -210 + float32(i)*86
		x := -10 - 60*t
		d.flat(poly(x-w, y, x+w, y, x+w+8, y+22, x-w-8, y+22), s, 1.15, 0.9)
	}
	d.rod(-60, -270, -210, 310, 20, s)
	d.rod(60, -270, 90, 310, 20, s)
	d.soft(rounded(-76, -290, 152, 36, 10), rubber(mix(d.c, signalRed, 0.5)), 10)
}

func drawToolbox(d *drawing) {
	c := newCamera(24, 20)
	d.roundBox(c, 0, 0, 0, 420, 130, 200, 14, satin(d.c))
	d.roundBox(c, -6, 130, -6, 432, 60, 212, 20, satin(charcoal))
	p, q := c.at(120, 190, 90), c.at(300, 190, 90)
	d.tube(curveThrough(p.x, p.y, p.x+10, p.y-60, q.x-10, q.y-60, q.x, q.y), 24, rubber(nearBlack))
	for _, x := range []float32{80, 320} {
		d.soft(c.onFront(rounded(x-22, 40, 44, 66, 8), 0, 190, -8), satin(sunny), 8)
	}
	d.wordsOn(func(p path) path { return c.onFront(p, 0, 130, 0) }, d.Label, 205, 70, 140, d.c.contrast())
}

func drawWorkbench(d *drawing) {
	c := newCamera(22, 18)
	putLegsBelow(d, c, 520, 200, 240, 20, 26, satin(charcoal))
	d.box(c, 20, 60, 20, 480, 14, 160, d.made(wood))
	d.box(c, 0, 240, 0, 520, 30, 200, d.made(wood))
	p := c.at(60, 280, 20)
	d.soft(rounded(p.x-30, p.y-60, 90, 66, 10), satin(palette["blue"]), 14)
	d.flat(rounded(p.x-50, p.y-50, 26, 56, 4), metal(steel), 1.1, 0.8)
}

func drawTrolley(d *drawing) {
	d.tube(curveThrough(-130, 160, -150, -240, -110, -270, 110, -270, 150, -240, 130, 160), 18, satin(d.c))
	for i := range 3 {
		d.rod(-138, -160+float32(i)*90, 138, -160+float32(i)*90, 13, satin(d.c))
	}
	d.flat(poly(-150, 150, 150, 150, 190, 210, -190, 210), metal(steel), 1.1, 0.9)
	putWheel(d, -160, 210, 54)
	putWheel(d, 160, 210, 54)
}

func drawWelder(d *drawing) {
	c := newCamera(26, 18)
	d.tube(curveThrough(40, 40, -80, 80, -120, -20, -40, 60, 120, 110), 14, rubber(nearBlack))
	d.roundBox(c, 0, 0, 0, 260, 230, 360, 22, satin(d.c))
	p, q := c.at(130, 230, 60), c.at(130, 230, 300)
	d.tube(curveThrough(p.x, p.y, p.x+6, p.y-60, q.x-6, q.y-60, q.x, q.y), 26, rubber(charcoal))
	d.fillEven(c.onFront(rounded(20, 20, 220, 110, 10), 0, 230, 0), matte(charcoal), 1)
	d.wordsOn(func(p path) path { return c.onFront(p, 0, 230, 0) }, "180", 130, 56, 80, rgb{240, 90, 70})
	for _, x := range []float32{70, 190} {
		k := c.at(x, 50, 0)
		d.ball(k.x, k.y, 26, 26, metal(brass))
	}
	d.fillEven(c.onRight(rect(60, 60, 240, 120), 260, 230, 0), matte(charcoal).faded(0.5), 1)
}

func drawCompressor(d *drawing) {
	s := glossy(d.c)
	putWheel(d, -130, 170, 50)
	d.turned(90, 0, 60, func() { d.lathe(body(0, "70,-220 96,-170 96,290 70,340"), s, 0.2) })
	d.soft(rounded(-120, -150, 130, 130, 14), metal(charcoal.lighter(0.2)), 12)
	for i := range 5 {
		d.line([]point{{-114, -134 + float32(i)*22}, {4, -134 + float32(i)*22}}, 6, charcoal, 0.8)
	}
	d.turned(90, 90, -80, func() { d.lathe(body(90, "50,-190 60,-170 60,-30"), satin(charcoal), 0.2) })
	d.ball(150, -30, 26, 26, metal(white))
	d.tube(curveThrough(200, -70, 290, -110, 330, -60, 260, 20), 18, satin(charcoal))
	d.rod(170, 150, 170, 214, 20, rubber(nearBlack))
}

func drawPressureWasher(d *drawing) {
	s := satin(d.c)
	d.tube(curveThrough(-60, -100, -70, -300, 70, -300, 60, -100), 18, satin(charcoal))
	d.tube(curveThrough(90, 120, 230, 160, 280, 20, 220, -80), 16, rubber(nearBlack))
	d.rod(210, -70, 300, -320, 14, metal(steel))
	d.soft(shape("180,-90! 240,-120! 260,-60 230,0 200,-20!"), s, 12)
	d.soft(rounded(-120, -140, 240, 350, 40), s, 40)
	d.soft(rounded(-96, -60, 192, 180, 24), satin(charcoal), 18)
	d.words(d.Label, 0, -96, 150, d.c.contrast())
	d.ball(0, 30, 32, 32, satin(signalRed))
	putWheel(d, -116, 190, 52)
	putWheel(d, 116, 190, 52)
}

func drawWeldingMask(d *drawing) {
	s := glossy(d.c)
	d.soft(shape("0,-230 130,-200 180,-80 170,80 110,190 0,230 -110,190 -170,80 -180,-80 -130,-200"), s, 80)
	d.soft(rounded(-110, -80, 220, 120, 12), satin(nearBlack), 10)
	d.flat(rounded(-92, -64, 184, 88, 6), glossy(rgb{40, 110, 70}), 1.3, 0.8)
	d.ball(-176, -20, 22, 30, rubber(nearBlack))
	d.ball(176, -20, 22, 30, rubber(nearBlack))
}

func putFitting(d *drawing) surface {
	if d.known && distance(d.c, chrome) > 130 {
		return satin(d.c)
	}
	return metal(chrome)
}

func drawTap(d *drawing) {
	s := putFitting(d)
	d.lathe(body(0, "90,250 96,256 96,270"), s, 0.24)
	d.lathe(body(0, "44,20 48,30 48,254"), s, 0.16)
	d.tube(curveThrough(0, 40, -4, -160, -90, -230, -180, -150, -184, -60), 40, s)
	d.soft(rounded(-210, -74, 52, 34, 8), s, 10)
	d.turned(-34, 20, 90, func() { d.soft(shape("30,70! 200,60 210,84 40,112!"), s, 12) })
	d.ball(38, 100, 36, 36, s)
}

func drawShowerHead(d *drawing) {
	s := putFitting(d)
	d.tube(curveThrough(60, 230, 30, 300, 160, 330, 250, 250, 220, 120), 20, metal(steel))
	d.turned(-24, 0, 0, func() {
		d.lathe(body(30, "26,-60 24,60 30,250"), s, 0.2)
		d.ball(0, -120, 136, 128, s)
		d.flat(ellipse(-6, -112, 116, 108), satin(rgb{232, 235, 238}), 0.95, 1.05)
		for i := range 40 {
			sin, cos := sincos(float32(i) * 137.5)
			r := 17 * sqrt(float32(i))
			d.fillEven(ellipse(-6+cos*r, -112+sin*r*0.93, 5, 5), matte(charcoal), 1)
		}
	})
}

func drawBasin(d *drawing) {
	s := glossy(d.c)
	d.soft(shape("-250,-60! 250,-60! 240,60 160,150 60,180 -60,180 -160,150 -240,60"), s, 60)
	d.flat(ellipse(0, -60, 252, 84), s, 1.12, 1)
	d.flat(ellipse(0, -46, 200, 58), s, 0.72, 1.06)
	d.flat(ellipse(0, -24, 20, 8), metal(steel), 1, 0.8)
	d.placed(0.42, 60, -190, func() { drawTapAt(d) })
}

func drawTapAt(d *drawing) {
	s := metal(chrome)
	d.lathe(body(0, "44,20 48,30 48,254"), s, 0.16)
	d.tube(curveThrough(0, 40, -40, 10, -150, 30, -180, 90), 40, s)
	d.soft(rounded(-20, -30, 140, 30, 10), s, 10)
}

func drawSiphon(d *drawing) {
	s := satin(d.c)
	d.tube(curveThrough(40, 70, 200, 70, 240, 30, 330, 30), 44, s)
	d.lathe(body(0, "70,-200 74,-190 30,-170 28,-60"), s, 0.2)
	d.lathe(body(0, "50,-60 84,-40 84,90 60,140 50,150"), s, 0.2)
	for _, y := range []float32{-70, 60} {
		d.lathe(turnedBody{0, []point{{60, y}, {60, y + 26}}}, satin(d.c.darker(0.1)), 0.2)
	}
}

func drawSocket(d *drawing) {
	d.hang()
	s := satin(d.c)
	n := 1 + d.one(2)

	for i := range n {
		x := float32(i)*300 - float32(n-1)*150
		d.soft(rounded(x-150, -150, 300, 300, 18), s, 8)
		d.soft(rounded(x-122, -122, 244, 244, 10), s, 6)
		d.flat(ellipse(x, 0, 92, 92), s, 0.62, 1.0)
		d.flat(ellipse(x, 4, 84, 84), s, 0.85, 1.02)
		for _, dx := range []float32{-36, 36} {
			d.fillEven(ellipse(x+dx, 4, 12, 12), matte(nearBlack), 1)
		}
		for _, dy := range []float32{-84, 84} {
			d.flat(rounded(x-9, dy-4, 18, 14, 3), metal(steel), 1.1, 0.8)
		}
	}
}

func drawSwitch(d *drawing) {
	d.hang()
	s := satin(d.c)
	d.soft(rounded(-170, -170, 340, 340, 18), s, 8)
	n := 1 + d.one(2)
	w := 260 / float32(n)
	for i := range n {
		x := -130 + w*float32(i)
		d.flat(rounded(x+3, -130, w-6, 132, 8), s, 0.94, 1.04)
		d.flat(rounded(x+3, 0, w-6, 130, 8), s, 1.1, 0.98)
		d.line([]point{{x + 8, 0}, {x + w - 8, 0}}, 2, d.c.darker(0.4), 0.5)
	}
}

func drawExtensionLead(d *drawing) {
	d.lay()
	s := satin(d.c)
	d.tube(curveThrough(-250, 60, -330, 160, -160, 220, 60, 170, 230, 190), 18, rubber(d.c))
	d.turned(-8, 0, 0, func() {
		d.soft(rounded(-270, -90, 540, 150, 40), s, 18)
		for i := range 4 {
			x := -170 + float32(i)*116
			d.flat(ellipse(x, -14, 48, 48), s, 0.7, 1.0)
			d.fillEven(ellipse(x-16, -24, 8, 8).with(ellipse(x+16, -4, 8, 8)), matte(nearBlack), 1)
		}
		d.soft(rounded(218, -40, 30, 52, 6), glossy(signalRed), 6)
	})

	d.soft(rounded(220, 160, 90, 66, 20), s, 16)
	d.rod(308, 178, 352, 178, 11, metal(brass))
	d.rod(308, 206, 352, 206, 11, metal(brass))
}

func drawBreaker(d *drawing) {
	c := newCamera(26, 14)
	d.box(c, 0, 0, 0, 120, 360, 200, satin(d.c))
	d.box(c, 0, 90, -50, 120, 180, 50, satin(d.c))
	d.box(c, 36, 160, -84, 48, 56, 36, satin(palette["navy"]))
	d.wordsOn(func(p path) path { return c.onFront(p, 0, 270, -50) }, "C16", 60, 26, 70, charcoal)
	for _, y := range []float32{40, 320} {
		p := c.at(60, y, 0)
		d.ball(p.x, p.y, 22, 22, metal(steel))
		d.line([]point{{p.x - 12, p.y - 8}, {p.x + 12, p.y + 8}}, 5, charcoal, 0.9)
	}
}

func drawWallpaper(d *drawing) {
	s := matte(d.c)
	d.flat(rect(-60, -230, 300, 460), s, 1.06, 0.96)
	for i := range 24 {
		x, y := -20+float32(i%4)*74+float32(i/4%2)*34, -200+float32(i/4)*76
		if x > 220 {
			continue
		}
		switch d.one(2) {
		case 0:
			putEmblem(d, x, y, 26, d.c.darker(0.25))
		default:
			d.fillEven(poly(x, y-32, x+22, y, x, y+32, x-22, y), matte(d.c.darker(0.2)).faded(0.7), 1)
		}
	}

	b := turnedBody{-100, []point{{58, -236}, {58, 236}}}
	d.lathe(b, s, 0.2)
	d.flat(ellipse(-100, -236, 58, 12), matte(white), 1.1, 0.95)
	d.flat(ellipse(-100, -236, 36, 7), matte(d.c.darker(0.4)), 0.8, 1)
}

func drawTiles(d *drawing) {
	d.lay()
	d.turned(-9, 0, 0, func() {
		for i := range 9 {
			x, y := -225+float32(i%3)*152, -225+float32(i/3)*152
			d.soft(rounded(x, y, 146, 146, 4), glossy(d.c.lighter(float32((i*5)%4)*0.06)), 5)
			if d.one(2) == 1 {
				d.fillEven(ellipse(x+73, y+73, 50, 50).without(ellipse(x+73, y+73, 38, 38)),
					matte(d.second).faded(0.8), 1)

				for k := range 4 {
					cx, cy := x+float32(k%2)*146, y+float32(k/2)*146
					d.fillEven(ellipse(max(x+14, min(x+132, cx)), max(y+14, min(y+132, cy)), 12, 12),
						matte(d.second).faded(0.8), 1)
				}
			}
		}
	})
}

func drawLaminate(d *drawing) {
	c := newCamera(34, 34)
	tones := []rgb{mix(d.c, oak, 0.4), mix(d.c, walnut, 0.3), mix(d.c, beech, 0.4), mix(d.c, oak, 0.6)}
	for i := range 4 {
		d.box(c, float32(i)*16, float32(i)*16, float32(i)*4, 480, 13, 110, wood(tones[i%4]))
	}
	d.box(c, 30, 64, 130, 480, 13, 110, wood(tones[1]))
}

func drawAngleBracket(d *drawing) {
	c := newCamera(34, 20)
	s := metal(mix(d.c, steel, 0.6))
	d.box(c, 0, 0, 0, 130, 10, 220, s)
	d.box(c, 0, 0, 220, 130, 240, 10, s)
	for i := range 4 {
		p := c.at(34+float32(i%2)*60, 70+float32(i/2)*100, 219)
		d.fillEven(ellipse(p.x, p.y, 11, 13), matte(charcoal), 1)
		q := c.at(34+float32(i%2)*60, 11, 60+float32(i/2)*90)
		d.fillEven(ellipse(q.x, q.y, 13, 7), matte(charcoal), 1)
	}
}

func drawWorkGloves(d *drawing) {
	d.lay()
	for _, side := range []float32{1, -1} {
		d.within(matrix{side, 0, side * 104, 0, 1, 0}, func() {
			d.turned(8, 0, 0, func() {
				d.soft(gloveShape(), d.fabric(), 22)
				d.softUncast(shape("-66,170! 66,170! 66,80 60,0 -50,-4 -70,60"), rubber(d.second), 12)
				putRib(d, -64, 190, 128, 46, knitted(d.c.darker(0.2)))
			})
		})
	}
}
