package adaptertest

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
)

// OfPeer is what the answers of Raw have of their own.
const OfPeer = "10.0.0.7 of the peer"

// Raw are answers, as bytes of HTTP/1.1, that no client of Connect takes for one of an RPC
// server. None of them is an error that a peer sent.
func Raw() map[string]string {
	answers := map[string]string{
		"no HTTP":            OfPeer + "\r\n\r\n",
		"no HTTP status":     "HTTP/1.1 abc " + OfPeer + "\r\n\r\n",
		"no HTTP header":     "HTTP/1.1 200 OK\r\n" + OfPeer + "\r\n\r\n",
		"no length":          "HTTP/1.1 200 OK\r\nContent-Length: " + OfPeer + "\r\n\r\n",
		"no transfer coding": "HTTP/1.1 200 OK\r\nTransfer-Encoding: " + OfPeer + "\r\n\r\n",
	}
	add := func(name, status, header, body string) {
		answers[name] = fmt.Sprintf("HTTP/1.1 %s\r\nContent-Length: %d\r\n%s\r\n%s", status, len(body), header, body)
	}
	for _, status := range []string{"403", "404", "429", "500", "502", "503", "504"} {
		add("status "+status, status+" "+OfPeer, "", "")
		add("status "+status+" and no error in JSON", status+" "+OfPeer, "Content-Type: application/json\r\n", OfPeer)
	}
	add("another content type", "200 OK", "Content-Type: text/"+OfPeer+"\r\n", "")
	enveloped := "\x00\x00\x00\x00" + string(rune(len(OfPeer))) + OfPeer
	for _, kind := range []string{
		"application/proto", "application/connect+proto", "application/grpc", "application/grpc+proto", "application/grpc-web", "application/grpc-web+proto",
	} {
		of := "Content-Type: " + kind + "\r\n"
		add("another codec of "+kind, "200 OK", "Content-Type: "+kind+OfPeer+"\r\n", "")
		add("no message of "+kind, "200 OK", of, "")
		add("text of "+kind, "200 OK", of, OfPeer)
		add("no protobuf of "+kind, "200 OK", of, enveloped)
		add("flags of "+kind, "200 OK", of, "\x40"+enveloped[1:])
		for _, flag := range []string{"\x02", "\x80"} {
			add("an end that says nothing of "+kind, "200 OK", of, flag+enveloped[1:])
			add("bytes after the end of "+kind, "200 OK", of, flag+"\x00\x00\x00\x02{}"+OfPeer)
		}
		for _, header := range []string{"Content-Encoding", "Connect-Content-Encoding", "Grpc-Encoding"} {
			add(header+" of "+kind, "200 OK", of+header+": "+OfPeer+"\r\n", enveloped)
			add("no gzip in "+header+" of "+kind, "200 OK", of+header+": gzip\r\n", "\x01"+enveloped[1:])
		}
		add("no number as a status of "+kind, "200 OK", of+"Grpc-Status: "+OfPeer+"\r\n", "")
		add("no text as a message of "+kind, "200 OK", of+"Grpc-Status: 5\r\nGrpc-Message: %zz"+OfPeer+"\r\n", "")
		add("no details of "+kind, "200 OK", of+"Grpc-Status: 5\r\nGrpc-Status-Details-Bin: "+OfPeer+"\r\n", "")
		add("no protobuf as details of "+kind, "200 OK", of+"Grpc-Status: 5\r\nGrpc-Status-Details-Bin: CgMx\r\n", "")
	}
	return answers
}

// Answering returns a client each of whose requests gets that answer.
func Answering(answer string) *http.Client {
	return &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(context.Context, string, string) (net.Conn, error) {
		ours, theirs := net.Pipe()
		go func() {
			defer theirs.Close()
			reader := bufio.NewReader(theirs)
			if r, err := http.ReadRequest(reader); err == nil {
				_, _ = io.Copy(io.Discard, r.Body)
			}
			_, _ = io.Copy(theirs, strings.NewReader(answer))
		}()
		return ours, nil
	}}}
}
