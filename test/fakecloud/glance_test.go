package fakecloud

import (
	"strings"
	"testing"
	"time"
)

func TestImages(t *testing.T) {
	c := Start(t, Config{})
	first := c.images[0].ID
	old := c.AddImage(Image{Name: "web", Created: time.Date(2020, 2, 3, 4, 5, 6, 0, time.UTC)})
	newer := c.AddImage(Image{Name: "web"})
	facts(t, c, []fact{
		{"nobody", "GET raw /image", "", 300, `{"versions": [{"id": "v2.15", "status": "CURRENT", "links": [{"rel": "self", "href": "` + c.url + `/image/v2/"}]}`},
		{"nobody", "GET image /images", "", 401, `"code": "401 Unauthorized", "title": "Unauthorized"`},
		{"member", "GET image /images/" + old, "", 200, `{"name": "web", "disk_format": "raw"`},
		{"member", "GET image /images/" + old, "", 200, `"id": "` + old + `", "created_at": "2020-02-03T04:05:06Z"`},
		{"member", "GET image /images/x", "", 404, `{"message": "No image found with ID x<br /><br />\n\n\n", "code": "404 Not Found", "title": "Not Found"}`},
		{"member", "GET image /images?name=web&limit=1", "", 200, `"id": "` + newer + `"`},
		{"member", "GET image /images?name=web&limit=1", "", 200, `"first": "/v2/images?limit=1&name=web", "schema": "/v2/schemas/images", "next": "/v2/images?limit=1&marker=` + newer + `&name=web"}`},
		{"member", "GET image /images?limit=1&name=web&marker=" + newer, "", 200, `"id": "` + old + `"`},
		{"member", "GET image /images?colour=red", "", 400, "fakecloud does not filter images by colour"},
		{"member", "GET image /images?name=x", "", 200, `{"images": [], "first": "/v2/images?name=x", "schema": "/v2/schemas/images"}`},
		{"member", "GET image /images?limit=x", "", 400, "limit param must be an integer"},
		{"member", "GET image /images?marker=x", "", 400, "No image found with ID x"},
		{"member", "GET image /nope", "", 404, "The resource could not be found."},
		{"member", "POST image /images/" + first, "{}", 405, ""},
	})
	k := login(t, c, "member")
	for accept, want := range map[string]string{"*/*": "<html>\n <head>\n  <title>404 Not Found</title>", "": "404 Not Found\n\nNo image found with ID x"} {
		if a := k.ask("GET image /images/x", "", "Accept", accept); a.status != 404 || !strings.HasPrefix(a.body, want) {
			t.Errorf("%q: %d %q", accept, a.status, a.body)
		}
	}
	c.RemoveImage(old)
	k.must(404, "GET image /images/"+old, "")
}
