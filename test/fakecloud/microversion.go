package fakecloud

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var microversionPattern = regexp.MustCompile(`^([1-9]\d*)\.([1-9]\d*|0)$`)

func parseMicroversion(s string) (major, minor int, ok bool) {
	m := microversionPattern.FindStringSubmatch(s)
	if m == nil {
		return 0, 0, false
	}
	major, _ = strconv.Atoi(m[1])
	minor, _ = strconv.Atoi(m[2])
	return major, minor, true
}

// requestedVersion returns the microversion that a request asks Nova for: the last one for the service in
// OpenStack-API-Version, or the value of the older header.
func requestedVersion(h http.Header) string {
	values := strings.Split(strings.Join(h.Values("OpenStack-API-Version"), ","), ",")
	for _, value := range slices.Backward(values) {
		words := strings.Fields(value)
		if len(words) == 2 && strings.EqualFold(words[0], Compute) {
			return words[1]
		}
	}
	values = strings.Split(h.Get("X-OpenStack-Nova-API-Version"), ",")
	return strings.TrimSpace(values[len(values)-1])
}

// negotiate sets the microversion of the request.
func (k *call) negotiate() {
	asked := k.record.Microversion
	highest := fmt.Sprintf("2.%d", k.maxMinor)
	switch asked {
	case "":
		asked = "2.1"
	case "latest":
		asked = highest
	}
	major, minor, ok := parseMicroversion(asked)
	if !ok {
		panic(badRequest("API Version String %s is of invalid format. Must be of format MajorNum.MinorNum.", asked))
	}
	k.version, k.minor = asked, minor
	if major != 2 || minor < 1 || minor > k.maxMinor {
		panic(refuse(406, "Version %s is not supported by the API. Minimum is 2.1 and maximum is %s.", asked, highest))
	}
}

// novaURL is the root of the region's service, as in links.
func (k *call) novaURL() string { return k.base + "/compute/" + url.PathEscape(k.record.Region) }

// selfURL is the endpoint as the client uses it. A link to a bookmark lacks the version.
func (k *call) selfURL() string { return k.novaURL() + "/v2.1/" + k.projectURL }

func (k *call) bookmarkURL() string { return k.novaURL() + "/" + k.projectURL }

func (k *call) links(path string) []object {
	return []object{
		{{"rel", "self"}, {"href", k.selfURL() + path}},
		{{"rel", "bookmark"}, {"href", k.bookmarkURL() + path}},
	}
}

// nextLink leads to the page after the item with the id.
func (k *call) nextLink(path, id string) []object {
	query := maps.Clone(k.record.Query)
	query.Set("marker", id)
	return []object{{{"rel", "next"}, {"href", k.selfURL() + path + "?" + query.Encode()}}}
}

func (k *call) computeVersion() reply {
	return jsonReply(200, object{{"version", object{
		{"id", "v2.1"}, {"status", "CURRENT"}, {"version", fmt.Sprintf("2.%d", k.maxMinor)}, {"min_version", "2.1"},
		{"updated", "2013-07-23T11:33:21Z"},
		{"links", []object{
			{{"rel", "self"}, {"href", k.novaURL() + "/v2.1/"}},
			{{"rel", "describedby"}, {"type", "text/html"}, {"href", "http://docs.openstack.org/"}},
		}},
		{"media-types", []object{{
			{"base", "application/json"},
			{"type", "application/vnd.openstack.compute+json;version=2.1"},
		}}},
	}}})
}
