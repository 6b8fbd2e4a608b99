#!/bin/sh
# Verifies the files of a release in this folder: the checksums are signed by the
# key of the provider, and the zips have these checksums. Argument: the version.
set -eu
sums=terraform-provider-stackpolicy_${1:?which version?}_SHA256SUMS
gpg --verify "$sums.sig" "$sums"
sha256sum --check --ignore-missing "$sums"
