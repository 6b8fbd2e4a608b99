package hook

import (
	"encoding/base64"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// Signer signs webhooks as https://www.standardwebhooks.com describes.
type Signer struct{ webhook *standardwebhooks.Webhook }

// NewSigner makes a signer from a secret: the base64 text of 24 to 64 random
// bytes, with or without the prefix whsec_.
func NewSigner(secret string) (*Signer, error) {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil || len(key) < 24 || len(key) > 64 {
		return nil, errors.New(
			"a secret for webhooks is the base64 text of 24 to 64 random bytes, such as openssl rand -base64 32 prints",
		)
	}
	webhook, err := standardwebhooks.NewWebhookRaw(key)
	if err != nil {
		return nil, err
	}
	return &Signer{webhook}, nil
}

// sign adds the three headers. The id is the token, so that a message that is
// sent again has the same; a GET is signed with an empty body.
func (s *Signer) sign(req *http.Request, token string, now time.Time, body []byte) error {
	signature, err := s.webhook.Sign(token, now, body)
	if err != nil {
		return err
	}
	req.Header.Set(standardwebhooks.HeaderWebhookID, token)
	req.Header.Set(standardwebhooks.HeaderWebhookTimestamp, strconv.FormatInt(now.Unix(), 10))
	req.Header.Set(standardwebhooks.HeaderWebhookSignature, signature)
	return nil
}
