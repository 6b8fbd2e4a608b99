package web

import (
	"mime"
	"strings"
)

// Unquoted removes the words of the peer from an error of net/http, which quotes them. They may repeat the request,
// with its secrets.
func Unquoted(failure string) string {
	ours, _, quotes := strings.Cut(failure, `"`)
	if !quotes {
		return failure
	}
	return strings.TrimRight(ours, " =:(") + "..."
}

// Media returns the media type of an answer if it is a known one, and a general description otherwise.
func Media(contentType string) string {
	media, _, _ := mime.ParseMediaType(contentType)
	switch media {
	case "application/json", "application/xml", "text/html", "text/plain", "text/xml":
		return media
	case "":
		return "no type"
	}
	return "another type"
}
