package fakecloud

import (
	"net/url"
	"slices"
)

// pageQuery has the parameters of a list in pages.
var pageQuery = []prop{{name: "limit", schema: naturals}, {name: "marker", schema: texts}}

// pages are the pages of a short list of Nova.
type pages[T any] struct {
	name     string // key of the list in the answer
	path     string // path of the next page
	id       func(T) string
	document func(T) object
}

// reply returns the requested page. A full page has a link to a next one.
func (p pages[T]) reply(k *call, q url.Values, all []T) reply {
	if marker := last(q, "marker"); marker != "" {
		i := slices.IndexFunc(all, func(item T) bool { return p.id(item) == marker })
		if i < 0 {
			panic(badRequest("marker [%s] not found", marker))
		}
		all = all[i+1:]
	}
	limit := k.limit(q)
	list := documents(all[:min(limit, len(all))], p.document)
	doc := object{{p.name, list}}
	if limit > 0 && len(list) == limit {
		doc = append(doc, field{p.name + "_links", k.nextLink(p.path, p.id(all[limit-1]))})
	}
	return jsonReply(200, doc)
}
