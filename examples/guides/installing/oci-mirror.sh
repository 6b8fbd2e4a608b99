#!/bin/sh
# Copies the zips of a release in this folder to an OCI registry, for OpenTofu.
# Arguments: the version, and the repository, such as
# registry.example.com/opentofu-providers/stackpolicy/stackpolicy. Needs oras 1.3.
set -eu
version=${1:?which version?} repository=${2:?which repository?}
case $version in
-* | *[!A-Za-z0-9.+-]*)
	echo "not a version: $version" >&2
	exit 2
	;;
esac
case $repository in
-* | *[!A-Za-z0-9._:/-]*)
	echo "not a repository: $repository" >&2
	exit 2
	;;
esac
layout=$(mktemp -d)
trap 'rm -rf "$layout"' EXIT

platforms=
for zip in terraform-provider-stackpolicy_"$version"_*.zip; do
	platform=${zip#terraform-provider-stackpolicy_"$version"_} # such as linux_amd64.zip
	platform=${platform%.zip}
	oras push --artifact-type application/vnd.opentofu.provider-target \
		--artifact-platform "${platform%_*}/${platform#*_}" \
		--oci-layout "$layout:$platform" "$zip:archive/zip"
	platforms="$platforms $platform"
done
# shellcheck disable=SC2086 # one argument for each platform
oras manifest index create --artifact-type application/vnd.opentofu.provider \
	--oci-layout "$layout:$version" $platforms
oras cp --from-oci-layout "$layout:$version" "$repository:$version"
