#!/bin/sh
# Verifies the files of a release in this folder: the checksums are signed by the
# key of the provider, and the zips have these checksums. Argument: the version.
set -eu
version=${1:?which version?}
case $version in
-* | *[!A-Za-z0-9.+-]*)
	echo "not a version: $version" >&2
	exit 2
	;;
esac
sums=terraform-provider-stackpolicy_${version}_SHA256SUMS
gpg --verify "$sums.sig" "$sums"
sha256sum --check --ignore-missing "$sums"
