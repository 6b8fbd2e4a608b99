#!/bin/sh
# Creates a cluster of four servers, lets it grow to six, shrink to three and get
# a new release in batches, and destroys it. Each step must leave an empty plan.
set -eu
terraform=${TERRAFORM:-terraform}

apply() {
  echo "=== $*"
  "$terraform" apply -auto-approve -input=false -no-color "$@" >apply.log || { cat apply.log; exit 1; }
  "$terraform" output -raw placement
}

# settled fails unless nothing is left to do.
settled() {
  "$terraform" plan -detailed-exitcode -input=false -no-color "$@" >plan.log || { cat plan.log; exit 1; }
}

"$terraform" init -input=false >/dev/null
apply -var size=4
settled -var size=4
apply -var size=6
settled -var size=6
apply -var size=3
settled -var size=3
apply -var size=3 -var release=2 # two of the three
apply -var size=3 -var release=2 # the last one
settled -var size=3 -var release=2
"$terraform" destroy -auto-approve -input=false -no-color >destroy.log || { cat destroy.log; exit 1; }
echo "=== everything worked, and nothing is left"
