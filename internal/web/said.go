package web

import (
	"mime"
	"strings"
)

// Unquoted is an error of the network without the words of the peer, which may repeat what it
// was asked, with the secrets in it: net/http quotes them.
func Unquoted(failure string) string {
	ours, _, quotes := strings.Cut(failure, `"`)
	if !quotes {
		return failure
	}
	return strings.TrimRight(ours, " =:(") + "..."
}

// Media names the media type of an answer, of which only a known one is repeated.
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
