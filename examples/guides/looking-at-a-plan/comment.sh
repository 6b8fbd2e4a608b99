#!/bin/sh
# Posts plan.md to the pull request $PULL_REQUEST of $GITHUB_REPOSITORY, or puts it
# into the comment that an earlier run posted.
set -eu
case $PULL_REQUEST in
"" | *[!0-9]*)
	echo "not the number of a pull request: $PULL_REQUEST" >&2
	exit 2
	;;
esac
case $GITHUB_REPOSITORY in
[!A-Za-z0-9]* | */*/* | *[!A-Za-z0-9._/-]*)
	echo "not a repository: $GITHUB_REPOSITORY" >&2
	exit 2
	;;
esac
mark='<!-- planview -->'
{
	echo "$mark"
	cat plan.md
} >comment.md
comments=$(gh api --paginate "repos/$GITHUB_REPOSITORY/issues/$PULL_REQUEST/comments" \
	--jq ".[] | select(.user.login == \"github-actions[bot]\" and (.body | startswith(\"$mark\"))) | .id")
comment=$(echo "$comments" | head -n 1)
if [ -n "$comment" ]; then
	gh api --silent --method PATCH "repos/$GITHUB_REPOSITORY/issues/comments/$comment" --field body=@comment.md
else
	gh api --silent --method POST "repos/$GITHUB_REPOSITORY/issues/$PULL_REQUEST/comments" --field body=@comment.md
fi
