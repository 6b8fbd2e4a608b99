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

// Signer signs webhooks as https://www.standardwebhooks.com describes, with one signature for each secret.
type Signer []*standardwebhooks.Webhook // one for each secret

// NewSigner makes a signer from secrets with spaces between them. Each is the base64 text of 24 to 64 random bytes,
// with or without the prefix whsec_. Each of them signs, so that a consumer may have the old or the new secret while
// they are rotated.
func NewSigner(secrets string) (signer Signer, err error) {
	for secret := range strings.SplitSeq(secrets, " ") {
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
		if err != nil || len(key) < 24 || len(key) > 64 {
			return nil, errors.New("a secret for webhooks is the base64 text of 24 to 64 random bytes, such as " +
				"openssl rand -base64 32 prints")
		}
		webhook, err := standardwebhooks.NewWebhookRaw(key)
		if err != nil {
			return nil, err
		}
		signer = append(signer, webhook)
	}
	return signer, nil
}

// sign adds the three headers. The id is the token, so it is the same if a message is sent again. A GET is signed
// with an empty body.
func (s Signer) sign(req *http.Request, token string, now time.Time, body []byte) error {
	signatures := make([]string, len(s))
	for i, webhook := range s {
		var err error
		if signatures[i], err = webhook.Sign(token, now, body); err != nil {
			return err
		}
	}
	req.Header.Set(standardwebhooks.HeaderWebhookID, token)
	req.Header.Set(standardwebhooks.HeaderWebhookTimestamp, strconv.FormatInt(now.Unix(), 10))
	req.Header.Set(standardwebhooks.HeaderWebhookSignature, strings.Join(signatures, " "))
	return nil
}
