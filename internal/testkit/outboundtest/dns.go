// Package outboundtest puts a small world in place of the internet, for tests of requests to addresses that users gave. It is for tests only.
package outboundtest

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"net/netip"
	"strings"
	"sync"

	"golang.org/x/net/dns/dnsmessage"
)

// Names is a DNS server in memory. It is safe for concurrent use.
type Names struct {
	mu      sync.Mutex
	answers map[string][]string
}

// NewNames makes a server that knows these names. Each has its addresses one after the other; the last one stays. Other names do not exist.
func NewNames(answers map[string][]string) *Names { return &Names{answers: answers} }

// Resolver asks the server.
func (n *Names) Resolver() *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(_ context.Context, _, _ string) (net.Conn, error) {
		client, server := net.Pipe() // no packets, so messages come as over TCP
		go n.serve(server)
		return client, nil
	}}
}

func (n *Names) serve(conn net.Conn) {
	defer conn.Close()
	for {
		var length [2]byte
		if _, err := io.ReadFull(conn, length[:]); err != nil {
			return
		}
		message := make([]byte, binary.BigEndian.Uint16(length[:]))
		if _, err := io.ReadFull(conn, message); err != nil {
			return
		}
		answer := n.answer(message)
		if _, err := conn.Write(binary.BigEndian.AppendUint16(nil, uint16(len(answer)))); err != nil {
			return
		}
		if _, err := conn.Write(answer); err != nil {
			return
		}
	}
}

func (n *Names) answer(query []byte) []byte {
	var m dnsmessage.Message
	if err := m.Unpack(query); err != nil {
		panic(err)
	}
	asked := m.Questions[0]
	m.Response, m.Additionals = true, nil
	addr, known := n.next(strings.TrimSuffix(asked.Name.String(), "."), asked.Type == dnsmessage.TypeA)
	switch {
	case !known:
		m.RCode = dnsmessage.RCodeNameError
	case asked.Type == dnsmessage.TypeA:
		m.Answers = []dnsmessage.Resource{{
			Header: dnsmessage.ResourceHeader{Name: asked.Name, Type: asked.Type, Class: asked.Class},
			Body:   &dnsmessage.AResource{A: netip.MustParseAddr(addr).As4()},
		}}
	}
	packed, err := m.Pack()
	if err != nil {
		panic(err)
	}
	return packed
}

func (n *Names) next(name string, take bool) (string, bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	left := n.answers[name]
	if len(left) == 0 {
		return "", false
	}
	if take && len(left) > 1 {
		n.answers[name] = left[1:]
	}
	return left[0], true
}
