package commerceml

import (
	"slices"
	"strings"
)

// packetReader reads the head of a catalogue or of a packet of offers.
type packetReader struct {
	Packet
	// partial is the text of СодержитТолькоИзменения. A packet without one counts as one with only changes: so nothing
	// is missing from it.
	partial string
	// id is the id of the packet, and catalog the id of the catalogue that a packet of offers names.
	id, catalog string
	began       bool
}

func newPacketReader(start startTag, hasOffers bool) packetReader {
	return packetReader{Packet: Packet{HasOffers: hasOffers}, partial: attrOf(start.attrs, "СодержитТолькоИзменения")}
}

// read reads a child of the packet, and reports whether it belongs to the head. What comes after the goods or offers is
// too late.
func (p *packetReader) read(r *reader, start startTag) (isHead bool, err error) {
	var to *string
	switch start.name {
	case "СодержитТолькоИзменения":
		to = &p.partial
	case "Ид":
		to = &p.id
	case "ИдКаталога":
		to = &p.catalog
	default:
		return false, nil
	}
	text, err := r.text()
	*to = firstOf(text, *to)
	return true, err
}

// begin is called when the first goods or offers come. The packet of a catalogue's offers has the id catalogue#number.
func (p *packetReader) begin() {
	if p.began {
		return
	}
	p.began = true
	p.IsFull = isFalse(p.partial)
	p.Catalog = p.id
	if p.HasOffers {
		ofPacket, _, _ := strings.Cut(p.id, "#")
		p.Catalog = firstOf(p.catalog, ofPacket)
	}
	p.Catalog = shorten(p.Catalog)
}

// end adds the packet to the summary. count is the number of its goods or offers.
func (p *packetReader) end(c *converter, count int64) {
	p.begin()
	if p.IsFull || count > 0 {
		c.summary.addPacket(p.Packet)
	}
	c.packet = packetReader{}
}

// addPacket adds a packet. Of two for one catalogue both must be full.
func (s *Summary) addPacket(packet Packet) {
	i := slices.IndexFunc(s.Packets, func(other Packet) bool {
		return other.Catalog == packet.Catalog && other.HasOffers == packet.HasOffers
	})
	switch {
	case i >= 0:
		s.Packets[i].IsFull = s.Packets[i].IsFull && packet.IsFull
	case len(s.Packets) < maxListed:
		s.Packets = append(s.Packets, packet)
	}
}

// listed passes on that the packet has a good or an offer. Those whose ids are too long are no products. Of a file with
// too many catalogues it passes on the first.
func (c *converter) listed(good, offer string) error {
	if c.target.Listed == nil || !fits(good) || offer != "" && !fits(offer) {
		return nil
	}
	if !c.catalogs[c.packet.Catalog] {
		if len(c.catalogs) >= MaxCatalogs {
			c.summary.TooManyCatalogs = true
			c.warnOnce("too_many_catalogs",
				"The file has goods or offers of more than %d catalogues. Those of the others are "+
					"applied, but nothing that is missing is archived.", MaxCatalogs)
			return nil
		}
		c.catalogs[c.packet.Catalog] = true
	}
	return c.target.Listed(Listed{c.packet.Packet, good, offer})
}
