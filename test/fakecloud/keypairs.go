package fakecloud

import (
	"cmp"
	"crypto/md5"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"time"
)

// keyPair is a public key of a user in a region.
type keyPair struct {
	name, user, key, fingerprint string

	number  int
	created time.Time
}

var keySchema = wrapped("keypair", closed(
	prop{name: "name", schema: nameSchema, required: true},
	prop{name: "public_key", schema: anyString, required: true}, // this cloud generates no keys
	prop{name: "type", schema: matching("ssh"), since: 2},
))

func (k *call) keyDocument(p *keyPair) object {
	doc := object{{"name", p.name}, {"public_key", p.key}, {"fingerprint", p.fingerprint}, {"user_id", p.user}}
	if k.minor >= 2 {
		doc = append(doc, field{"type", "ssh"})
	}
	return doc
}

// shownKey is the document of a single key pair.
func (k *call) shownKey(p *keyPair) object {
	return append(k.keyDocument(p), object{
		{"id", p.number}, {"created_at", microTime(p.created)}, {"deleted", false},
		{"deleted_at", nil}, {"updated_at", nil},
	}...)
}

// keyPair finds a key pair of the user; nil if there is none.
func (k *call) keyPair(name string) *keyPair {
	return first(k.region.keys, func(p *keyPair) bool {
		return p.name == name && cmp.Or(p.user, k.token.user.id) == k.token.user.id
	})
}

func (k *call) findKey() *keyPair {
	if p := k.keyPair(k.vars[0]); p != nil {
		return p
	}
	panic(notFound("Keypair %s not found for user %s", k.vars[0], k.token.user.id))
}

func (k *call) createKey(doc object) reply {
	given, _ := sub(doc, "keypair")
	p := &keyPair{name: text(given, "name"), key: text(given, "public_key"), user: k.token.user.id}
	words := strings.Fields(p.key)
	if len(words) < 2 {
		panic(badRequest("Keypair data is invalid: failed to generate fingerprint"))
	}
	raw, err := base64.StdEncoding.DecodeString(words[1])
	if err != nil {
		panic(badRequest("Keypair data is invalid: failed to generate fingerprint"))
	}
	if k.keyPair(p.name) != nil {
		panic(conflict("Key pair '%s' already exists.", p.name))
	}
	sum := md5.Sum(raw)
	p.fingerprint = strings.ReplaceAll(fmt.Sprintf("% x", sum), " ", ":")
	k.region.addKey(k.Cloud, p)
	status := 200
	if k.minor >= 2 {
		status = 201
	}
	return jsonReply(status, object{{"keypair", k.keyDocument(p)}})
}

func (r *region) addKey(c *Cloud, p *keyPair) {
	r.keyCount++
	p.number, p.created = r.keyCount, c.tick()
	r.keys = append(r.keys, p)
}

func (k *call) deleteKey(p *keyPair) reply {
	k.region.keys = slices.DeleteFunc(k.region.keys, func(o *keyPair) bool { return o == p })
	if k.minor >= 2 {
		return empty(204)
	}
	return empty(202)
}

// AddKeyPairs adds key pairs to a region that each user has, as if each had made them.
func (c *Cloud) AddKeyPairs(regionName string, names ...string) {
	c.change(regionName, func(r *region) {
		for _, name := range names {
			r.addKey(c, &keyPair{name: name})
		}
	})
}
