// Package outboundtest provides a DNS server in memory, for tests of requests to URLs that users gave. It is for tests
// only.
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

// DNSServer is a DNS server in memory that knows only A records. It is safe for concurrent use.
type DNSServer struct {
	mu        sync.Mutex
	addresses map[string][]string
}

// NewDNSServer returns a server with the addresses of each host name. Each lookup of a name returns the next address;
// the last one is repeated. Other names do not exist.
func NewDNSServer(addresses map[string][]string) *DNSServer { return &DNSServer{addresses: addresses} }

// Resolver returns a resolver that uses the server.
func (n *DNSServer) Resolver() *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(_ context.Context, _, _ string) (net.Conn, error) {
		client, server := net.Pipe() // a pipe is no packet connection, so messages have a length prefix as over TCP
		go n.serve(server)
		return client, nil
	}}
}

func (n *DNSServer) serve(conn net.Conn) {
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

		response := n.respond(message)
		if _, err := conn.Write(binary.BigEndian.AppendUint16(nil, uint16(len(response)))); err != nil {
			return
		}
		if _, err := conn.Write(response); err != nil {
			return
		}
	}
}

func (n *DNSServer) respond(query []byte) []byte {
	var m dnsmessage.Message
	if err := m.Unpack(query); err != nil {
		panic(err)
	}

	question := m.Questions[0]
	m.Response, m.Additionals = true, nil
	addr, known := n.nextAddress(strings.TrimSuffix(question.Name.String(), "."), question.Type == dnsmessage.TypeA)
	switch {
	case !known:
		m.RCode = dnsmessage.RCodeNameError
	case question.Type == dnsmessage.TypeA:
		m.Answers = []dnsmessage.Resource{{
			Header: dnsmessage.ResourceHeader{Name: question.Name, Type: question.Type, Class: question.Class},
			Body:   &dnsmessage.AResource{A: netip.MustParseAddr(addr).As4()},
		}}
	}

	packed, err := m.Pack()
	if err != nil {
		panic(err)
	}

	return packed
}

func (n *DNSServer) nextAddress(name string, advance bool) (string, bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	remaining := n.addresses[name]
	if len(remaining) == 0 {
		return "", false
	}
	if advance && len(remaining) > 1 {
		n.addresses[name] = remaining[1:]
	}
	return remaining[0], true
}
