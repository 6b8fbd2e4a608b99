package fakecloud

import (
	"encoding/hex"
	"fmt"
	"hash/fnv"
	"time"
)

// Epoch is the start of the default clock.
var Epoch = time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)

// time is the cloud's time.
func (c *Cloud) time() time.Time {
	if c.config.Now != nil {
		return c.config.Now().UTC()
	}
	return c.now
}

// tick moves the default clock and returns the time.
func (c *Cloud) tick() time.Time {
	c.now = c.now.Add(time.Second)
	return c.time()
}

// Advance moves the default clock. It does not move a clock from [Config.Now].
func (c *Cloud) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// isoTime is the services' format for most times.
func isoTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05Z") }

// microTime is Nova's format for times that it copies from its database.
func microTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000000") }

// hexID makes the next id of a kind: 32 hexadecimal digits. Each kind has a counter of its own, so that a request to
// one region changes no id of another.
func (c *Cloud) hexID(kind string) string {
	c.serial[kind]++
	h := fnv.New64a()
	h.Write([]byte(kind))
	stream := h.Sum64() ^ c.config.Seed
	var raw [16]byte
	for i := range 2 {
		n := splitmix(stream + c.serial[kind]*0x9e3779b97f4a7c15 + uint64(i)<<32)
		for j := range 8 {
			raw[8*i+j] = byte(n >> (8 * j))
		}
	}
	return hex.EncodeToString(raw[:])
}

// uuid makes the next id of a kind in the form of a random UUID.
func (c *Cloud) uuid(kind string) string {
	h := c.hexID(kind)
	return fmt.Sprintf("%s-%s-4%s-a%s-%s", h[:8], h[8:12], h[13:16], h[17:20], h[20:])
}

// splitmix is the output function of the SplitMix64 generator.
func splitmix(z uint64) uint64 {
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb
	return z ^ (z >> 31)
}
