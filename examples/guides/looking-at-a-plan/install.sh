#!/bin/sh
# Installs planview, or another tool, of the version $STACKPOLICY_VERSION into a
# folder. The attestation says that the release workflow of the repository built it, from the tag of the version.
set -eu
version=$STACKPOLICY_VERSION folder=${1:?which folder?} tool=${2:-planview}
case $version in
-* | *[!A-Za-z0-9.+-]*)
	echo "not a version: $version" >&2
	exit 2
	;;
esac
case $tool in
planview | rollout) ;;
*)
	echo "not a tool: $tool" >&2
	exit 2
	;;
esac
case $folder in -*) folder=./$folder ;; esac
repository=stackpolicy/terraform-provider-stackpolicy
zip=${tool}_${version}_linux_amd64.zip
gh release download "v$version" --repo $repository --pattern "$zip" --dir "$folder"
gh attestation verify "$folder/$zip" --repo $repository --source-ref "refs/tags/v$version" \
	--signer-workflow $repository/.github/workflows/release.yml
unzip -q -d "$folder" "$folder/$zip" "$tool"
