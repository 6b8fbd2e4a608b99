package fakecloud

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"time"
)

// Image is an image in Glance. All are public.
type Image struct {
	ID      string
	Name    string
	Status  string // "active" if it is not given; "deactivated" takes an image from all new servers
	Region  string // the only region that has it; "" for all
	Created time.Time
}

// AddImage adds an image and returns its id.
func (c *Cloud) AddImage(given Image) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.addImage(given)
}

// RemoveImage removes an image. Servers keep its id.
func (c *Cloud) RemoveImage(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.images = slices.DeleteFunc(c.images, func(i *Image) bool { return i.ID == id })
}

// UpdateImage changes an image.
func (c *Cloud) UpdateImage(id string, f func(*Image)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f(c.image(id))
}

func (c *Cloud) addImage(given Image) string {
	image := given
	if image.ID == "" {
		image.ID = c.uuid("image")
	}
	image.Status = cmp.Or(image.Status, "active")
	if image.Created.IsZero() {
		image.Created = c.tick()
	}
	c.images = append(c.images, &image)
	slices.SortStableFunc(c.images, func(a, b *Image) int { return b.Created.Compare(a.Created) })
	return image.ID
}

func (c *Cloud) image(id string) *Image {
	return first(c.images, func(i *Image) bool { return i.ID == id })
}

func (i *Image) active() bool { return i != nil && i.Status == "active" }

// listNovaImages is Nova's list of images, which exists up to 2.35. terraform-provider-openstack uses it to find the
// image of a rebuild by name.
func (k *call) listNovaImages() reply {
	if k.minor >= 36 {
		panic(errGone)
	}
	list := []object{}
	for _, i := range k.images {
		if name := last(k.record.Query, "name"); name == "" || name == i.Name {
			list = append(list, object{{"id", i.ID}, {"name", i.Name}, {"links", k.links("images/" + i.ID)}})
		}
	}
	return jsonReply(200, object{{"images", list}})
}

var glanceRoutes = []route{
	{"GET", "/images", 0, (*call).listImages},
	{"GET", "/images/{}", 0, (*call).showImage},
}

func (k *call) serveGlance() reply {
	if len(k.parts) == 0 || k.parts[0] != "v2" {
		return jsonReply(http.StatusMultipleChoices, k.imageVersions())
	}
	if k.token = k.validToken(k.record.Token); k.token == nil {
		rep := jsonReply(401, webob(401,
			"This server could not verify that you are authorized to access the document you requested. Either you "+
				"supplied the wrong credentials (e.g., bad password), or your browser does not understand how to "+
				"supply the credentials required."))
		return rep.set("Www-Authenticate", `Keystone uri="`+k.identityURL()+`"`)
	}
	k.region = k.regions[k.record.Region]
	rep := k.nowhere()
	if r := k.find(glanceRoutes, k.parts[1:]); r != nil {
		rep = refusable(func() reply { return r.serve(k) },
			func(e *refusal) reply { return jsonReply(e.status, webob(e.status, e.message)) })
	}
	return rep.set("X-Openstack-Request-Id", "req-"+k.uuid("request"))
}

// imageDocument describes an image of 512 zeros, as in the real test cloud.
func imageDocument(i *Image) object {
	created := isoTime(i.Created)
	return object{
		{"name", i.Name}, {"disk_format", "raw"}, {"container_format", "bare"}, {"visibility", "public"}, {"size", 512},
		{"virtual_size", 512}, {"status", i.Status}, {"checksum", "bf619eac0cdf3f68d496ea9344137e8b"},
		{"protected", false}, {"min_ram", 0}, {"min_disk", 0}, {"owner", AdminProjectID}, {"os_hidden", false},
		{"os_hash_algo", "sha512"},
		{"os_hash_value", "df40d4a774e0b453a5b87c00d6f0ef5d753143454e88ee5f7b607134598294c7" +
			"905ccbcf94bbc46e474db6eb44e56a6dbb6d9a1be9d4fb5d1b5f2d0c6ed34bfe"},
		{"id", i.ID}, {"created_at", created}, {"updated_at", created}, {"tags", []string{}},
		{"self", "/v2/images/" + i.ID}, {"file", "/v2/images/" + i.ID + "/file"}, {"schema", "/v2/schemas/image"},
	}
}

func (k *call) showImage() reply {
	if i := k.image(k.vars[0]); i != nil && i.in(k.region) {
		return jsonReply(200, imageDocument(i))
	}
	panic(notFound("No image found with ID %s", k.vars[0]))
}

func (i *Image) in(r *region) bool { return i.Region == "" || r != nil && r.name == i.Region }

// listImages supports the filters name and status, and has all images on one page.
func (k *call) listImages() reply {
	q := k.record.Query
	fit := []object{}
	for _, i := range k.images {
		if i.in(k.region) && fitsImage(q, i) {
			fit = append(fit, imageDocument(i))
		}
	}
	return jsonReply(200, object{{"images", fit}, {"first", "/v2/images"}, {"schema", "/v2/schemas/images"}})
}

// fitsImage refuses unknown parameters: filters of Glance that nobody uses, and names of properties, which no image
// has.
func fitsImage(q url.Values, i *Image) bool {
	for key := range q {
		value := last(q, key)
		switch key {
		case "limit":
		case "name":
			if value != i.Name {
				return false
			}
		case "status":
			if value != i.Status {
				return false
			}
		case "visibility", "sort", "sort_key", "sort_dir": // all are public, and the newest is the first
		default:
			panic(badRequest("fakecloud does not filter images by %s", key))
		}
	}
	return true
}

func (k *call) imageVersions() object {
	return object{{"versions", []object{{
		{"id", "v2.15"}, {"status", "CURRENT"}, {"links", []object{{{"rel", "self"}, {"href", k.base + "/image/v2/"}}}},
	}}}}
}
