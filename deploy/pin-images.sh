#!/usr/bin/env bash
# Adds to each base image in podman-compose.yml the digest that its registry has for the tag, or replaces the one that is there.
# Needs podman and access to the registry. From then on a build fails if the registry serves something else under the tag.
# Run it again after a change of a version, and review the diff. Images of deploy/local-images.sh have no such digests.
set -euo pipefail
cd "$(dirname "$0")"

for image in $(grep -oE 'docker\.io/library/[a-z]+:[A-Za-z0-9._-]+' podman-compose.yml | sort -u); do
  podman pull --quiet "$image" > /dev/null
  digest=$(podman image inspect --format '{{.Digest}}' "$image")
  case "$digest" in
    sha256:????????????????????????????????????????????????????????????????) ;;
    *) echo "$image has no digest: $digest" >&2; exit 1 ;;
  esac
  sed -i -E "s|${image//./\\.}(@sha256:[0-9a-f]{64})?\$|$image@$digest|" podman-compose.yml
  echo "$image@$digest"
done
