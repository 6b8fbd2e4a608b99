#!/bin/sh
# Plans into batch.tfplan, and describes the plan in plan.md. Tells GitHub Actions
# in the output "changes" whether there is anything to apply. Fails where there is
# not, and a cluster is not in step: a rollout that pauses, or is held, is not done.
set -eu
trap 'rm -f plan.json plan.log' EXIT # they may hold secrets, as batch.tfplan may
code=0
terraform plan -input=false -lock-timeout=10m -detailed-exitcode -json -out=batch.tfplan >plan.log || code=$?
case $code in
0) changes=false ;;
2) changes=true ;;
*)
	jq -r '.diagnostic | select(.severity == "error") | "Error: \(.summary)\n\(.detail)\n"' plan.log >&2
	exit "$code"
	;;
esac
terraform show -no-color batch.tfplan
terraform show -json batch.tfplan >plan.json
code=0
planview -warnings plan.log plan.json >plan.md || code=$?
case $code in
0) ;;
3) echo "The plan has no placement attachment." >plan.md ;;
*) exit "$code" ;;
esac
left=$(jq -r '[.planned_values | .. | objects | select(.type? == "stackpolicy_placement_attachment") | .values | select(.phase != "in_step") | "\(.cluster): \(.phase)"] | join(", ")' plan.json)
echo "changes=$changes" >>"${GITHUB_OUTPUT:-/dev/null}"
if [ "$changes" = false ] && [ -n "$left" ]; then
	echo "$left, and this plan changes nothing: plan.md says why. Run this again later." >&2
	exit 1
fi
