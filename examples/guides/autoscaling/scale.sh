#!/bin/sh
# Gives the cluster the size that its load needs: scale.sh REQUESTS_PER_SECOND
set -eu
per_node=100 # requests per second that a node can serve
wanted=$((($1 + per_node - 1) / per_node))
"${TERRAFORM:-terraform}" apply -auto-approve -input=false -lock-timeout=10m -var "wanted=$wanted"
