package fakecloud

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// denied is Nova's refusal by policy.
func denied(rule string) *refusal { return forbidden("Policy doesn't allow %s to be performed.", rule) }

// errGone is the answer for a method that the microversion does not have.
var errGone = notFound("The resource could not be found.")

// adminOnly refuses all users except administrators.
func (k *call) adminOnly(rule string) {
	if !k.token.admin() {
		panic(denied(rule))
	}
}

// novaRoutes are the paths below a region's endpoint. A path with {} comes after the paths that spell that part out.
var novaRoutes = []route{
	{"GET", "/", 1, (*call).computeVersion},
	{"GET", "/flavors/detail", 1, (*call).listFlavors},
	{"GET", "/flavors/{}", 1, show("flavor", (*call).showFlavor, (*call).flavorDocument)},
	{"GET", "/flavors/{}/os-extra_specs", 1, show("extra_specs", (*call).showFlavor, func(*call, *Flavor) object {
		return object{}
	})},
	{"GET", "/images", 1, (*call).listNovaImages},
	{"GET", "/limits", 1, (*call).showLimits},
	{"POST", "/os-keypairs", 1, of(body(keySchema), (*call).createKey)},
	{"GET", "/os-keypairs/{}", 1, show("keypair", (*call).findKey, (*call).shownKey)},
	{"DELETE", "/os-keypairs/{}", 1, of((*call).findKey, (*call).deleteKey)},
	{"GET", "/os-availability-zone", 1, (*call).listZones},
	{"GET", "/os-availability-zone/detail", 1, (*call).listZonesDetail},
	{"GET", "/os-hypervisors/detail", 53, (*call).listHypervisors},
	{"PUT", "/os-quota-sets/{}", 1, of(body(quotaSchema()), (*call).updateQuotas)},
	{"GET", "/os-quota-sets/{}/detail", 1, (*call).showQuotasDetail},
	{"GET", "/os-server-groups", 1, (*call).listGroups},
	{"POST", "/os-server-groups", 1, of(body(groupSchema), (*call).createGroup)},
	{"GET", "/os-server-groups/{}", 1, show("server_group", (*call).findGroup, (*call).groupDocument)},
	{"DELETE", "/os-server-groups/{}", 1, of((*call).findGroup, (*call).deleteGroup)},
	{"GET", "/os-services", 1, (*call).listServices},
	{"PUT", "/os-services/{}", 53, of(body(serviceSchema), (*call).updateService)},
	{"GET", "/servers", 1, listServers("servers", false)},
	{"POST", "/servers", 1, of(body(createSchema), (*call).createServers)},
	{"GET", "/servers/detail", 1, listServers("servers/detail", true)},
	{"GET", "/servers/{}", 1, of((*call).findServer, (*call).showServer)},
	{"PUT", "/servers/{}", 1, of(body(updateSchema), (*call).updateServer)},
	{"DELETE", "/servers/{}", 1, of((*call).reachServer, (*call).deleteServer)},
	{"POST", "/servers/{}/action", 1, (*call).actOnServer},
	{"GET", "/servers/{}/metadata", 1, of((*call).reachServer, (*call).listMetadata)},
	{"POST", "/servers/{}/metadata", 1, of(body(metadataBody), (*call).addMetadata)},
	{"PUT", "/servers/{}/metadata/{}", 1, of(body(metaBody), (*call).setMetadata)},
	{"DELETE", "/servers/{}/metadata/{}", 1, of((*call).reachServer, (*call).deleteMetadata)},
	{"GET", "/servers/{}/os-instance-actions", 1, of((*call).reachServer, (*call).listActions)},
	{"POST", "/servers/{}/os-volume_attachments", 1, of(body(attachSchema), (*call).attachVolume)},
	{"GET", "/servers/{}/os-volume_attachments/{}", 1,
		show("volumeAttachment", (*call).attached, (*call).attachmentDocument)},
	{"DELETE", "/servers/{}/os-volume_attachments/{}", 1, of((*call).attached, (*call).detachVolume)},
	{"GET", "/servers/{}/tags", 26, of((*call).mappedServer, (*call).listTags)},
	{"PUT", "/servers/{}/tags", 26, of(body(tagsBody), (*call).replaceTags)},
}

func (k *call) serveNova() reply {
	k.region = k.regions[k.record.Region]
	switch {
	case k.region == nil:
		return k.nowhere()
	case len(k.parts) == 0 || k.parts[0] != "v2.1":
		return jsonReply(404, webob(404, "fakecloud knows no version but v2.1"))
	}
	k.id = "req-" + k.uuid("request")
	rep := k.askNova()
	rep.header.Set("X-Openstack-Request-Id", k.id)
	rep.header.Set("X-Compute-Request-Id", k.id)
	return rep
}

// askNova goes through Nova's pipeline in its order: token, route, microversion, content type, method, and finally
// the request itself.
func (k *call) askNova() reply {
	parts := k.parts[1:]
	versionDocument := strings.Join(parts, "") == "" && len(parts) < 2
	if k.token = k.validToken(k.record.Token); k.token == nil && (!versionDocument || k.projectURL != "") {
		return k.unauthorized()
	}
	if len(parts) == 0 && k.projectURL == "" {
		parts = []string{""}
	}
	r := k.find(novaRoutes, parts)
	if r == nil {
		return k.nowhere()
	}
	rep := refusable(func() reply {
		k.negotiate()
		return k.dispatch(r)
	}, novaRefusal)
	if k.version != "" {
		rep.header["Openstack-Api-Version"] = []string{"compute " + k.version}
		rep.header["X-Openstack-Nova-Api-Version"] = []string{k.version}
		rep.header["Vary"] = []string{"OpenStack-API-Version", "X-OpenStack-Nova-API-Version"}
	}
	return rep
}

func (k *call) dispatch(r *route) reply {
	ct, _, _ := strings.Cut(k.header.Get("Content-Type"), ";")
	switch ct {
	case "", "text/plain", "application/json", "application/vnd.openstack.compute+json":
	default:
		panic(refuse(415, "Unsupported Content-Type"))
	}
	project := strings.TrimSuffix(k.projectURL, "/")
	if project != "" && k.token != nil && project != k.token.projectID() {
		panic(badRequest(
			"Malformed request URL: URL's project_id '%s' doesn't match Context's project_id '%s'",
			project, k.token.projectID(),
		))
	}
	if k.minor < r.since {
		panic(errGone)
	}
	return r.serve(k)
}

func novaRefusal(e *refusal) reply {
	return jsonReply(e.status, novaFault(e.status, e.message, 0)).set("Content-Type", "application/json; charset=UTF-8")
}

var faultNames = map[int]string{
	400: "badRequest", 401: "unauthorized", 403: "forbidden", 404: "itemNotFound", 405: "badMethod",
	409: "conflictingRequest", 413: "overLimit", 415: "badMediaType", 429: "overLimit", 501: "notImplemented",
	503: "serviceUnavailable",
}

func novaFault(status int, message string, retry int) object {
	name, ok := faultNames[status]
	if !ok {
		name = "computeFault"
	}
	fault := object{{"code", status}, {"message", message}}
	if retry > 0 && name == "overLimit" {
		fault = append(fault, field{"retryAfter", strconv.Itoa(retry)})
	}
	return object{{name, fault}}
}

// empty is an answer without a body.
func empty(status int) reply {
	return reply{status: status, header: http.Header{"Content-Type": {"application/json"}}}
}

// body returns a function for [of] that finds the body of a request.
func body(s *schema) func(*call) object {
	return func(k *call) object { return k.body(s) }
}

// body reads the request's body and checks it.
func (k *call) body(s *schema) object {
	var v any
	if len(k.record.Body) > 0 {
		var err error
		if v, err = decode(k.record.Body); err != nil {
			panic(badRequest("Malformed request body"))
		}
	}
	if err := s.check(v, k.minor); err != nil {
		panic(badRequest("fakecloud: %v", err))
	}
	doc, _ := v.(object)
	return doc
}

// query checks the request's query. It refuses unknown keys, also in microversions that ignore them, because nobody
// sends a key without effect on purpose.
func (k *call) query(props ...prop) url.Values {
	s := closed(append([]prop{}, props...)...)
	doc := object{}
	for key, values := range k.record.Query {
		list := make([]any, len(values))
		for i, v := range values {
			list[i] = v
		}
		doc = append(doc, field{key, list})
	}
	if err := s.check(doc, k.minor); err != nil {
		panic(badRequest("fakecloud: %v", err))
	}
	known := url.Values{}
	for _, p := range props {
		if values, ok := k.record.Query[p.name]; ok && p.in(k.minor) {
			known[p.name] = values
		}
	}
	return known
}

// last returns the value of a parameter that counts if it is given twice.
func last(q url.Values, key string) string {
	if v := q[key]; len(v) > 0 {
		return v[len(v)-1]
	}
	return ""
}

// limit returns how many items the client wants, at most a page.
func (k *call) limit(q url.Values) int {
	limit := k.config.PageLimit
	if n, err := strconv.Atoi(last(q, "limit")); err == nil {
		limit = min(limit, n)
	}
	return limit
}

// Values of parameters, each of which may be given several times.
var (
	texts    = listOf(anyString)
	regexes  = listOf(regular)
	naturals = listOf(natural)
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
