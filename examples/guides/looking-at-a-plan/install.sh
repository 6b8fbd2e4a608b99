#!/bin/sh
# Installs planview $PLANVIEW_VERSION into a folder. The attestation says that the
# release workflow of the repository built it.
set -eu
repository=stackpolicy/terraform-provider-stackpolicy
zip=planview_${PLANVIEW_VERSION}_linux_amd64.zip
gh release download "v$PLANVIEW_VERSION" --repo $repository --pattern "$zip" --dir "$1"
gh attestation verify "$1/$zip" --repo $repository --signer-workflow $repository/.github/workflows/release.yml
unzip -q -d "$1" "$1/$zip" planview
