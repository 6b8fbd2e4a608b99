#!/bin/sh
# Copies the zips of a release in this folder to a filesystem mirror, for
# Terraform and for OpenTofu. Arguments: the version, and the mirror's folder.
set -eu
version=${1:?which version?} mirror=${2:?which folder?}
case $version in
-* | *[!A-Za-z0-9.+-]*)
	echo "not a version: $version" >&2
	exit 2
	;;
esac
case $mirror in -*) mirror=./$mirror ;; esac
for registry in registry.terraform.io registry.opentofu.org; do
	mkdir -p "$mirror/$registry/stackpolicy/stackpolicy"
	cp terraform-provider-stackpolicy_"$version"_*.zip "$mirror/$registry/stackpolicy/stackpolicy/"
done
