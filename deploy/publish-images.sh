#!/usr/bin/env bash
# Builds the images of a release for amd64 and arm64, pushes them to REGISTRY, and signs what the registry has by its digest, with the SBOM and
# the provenance of the build (SLSA, in-toto) as attestations. Run it on the commit of the release, after `npm run release`.
#
#   deploy/publish-images.sh [--key cosign.key] [--plain-http] REGISTRY VERSION
#
# Needs podman or buildah, and cosign. Without --key cosign signs keyless, as in CI; with it COSIGN_PASSWORD is that of the key, and no public
# log is written. A processor that is not this machine's needs qemu-user-static and the kernel's binfmt_misc; without them it is left out.
# --plain-http is for a registry without TLS on this machine.
set -euo pipefail
cd "$(dirname "$0")/.."

usage() { sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0" >&2; exit 2; }
key=() push=() sign=()
while [ $# -gt 0 ]; do
  case "$1" in
    --key) [ $# -gt 1 ] || usage; key=(--key "$2" --tlog-upload=false); shift 2 ;;
    --plain-http) push=(--tls-verify=false) sign=(--allow-http-registry); shift ;;
    -*) usage ;;
    *) break ;;
  esac
done
[ $# -eq 2 ] || usage
registry=$1 version=$2 work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() { echo "publish-images: $*" >&2; exit 1; }
engine=$(command -v podman || command -v buildah) || fail "podman or buildah is missing"
command -v cosign > /dev/null || fail "cosign is missing"
sbom=.tarsy/release/tarsy-$version.cdx.json
[ -f "$sbom" ] || fail "$sbom is missing: npm run release writes it"
[ -z "$(git status --porcelain)" ] || fail "the tree has changes: the provenance would name a commit without them"
commit=$(git rev-parse HEAD)
[ "$(git rev-parse --quiet --verify "v$version^{commit}")" = "$commit" ] || fail "the commit is not that of the tag v$version"
# Only Docker's format has health checks.
export BUILDAH_FORMAT=docker

runs_here() {
  case "$(uname -m)-$1" in x86_64-amd64 | aarch64-arm64) return ;; esac
  case "$1" in amd64) [ -e /proc/sys/fs/binfmt_misc/qemu-x86_64 ] ;; arm64) [ -e /proc/sys/fs/binfmt_misc/qemu-aarch64 ] ;; esac
}
platforms=()
for arch in amd64 arm64; do
  if runs_here "$arch"; then platforms+=("linux/$arch")
  else echo "linux/$arch is left out: this machine cannot run it (qemu-user-static and binfmt_misc are missing)"; fi
done

# What SLSA calls the predicate; cosign adds the digest of the image as its subject: `provenance CONTAINERFILE BASE`.
provenance() {
  local digest=${2##*@sha256:} pinned= source
  # Without the credentials that a URL may have.
  source=$(git remote get-url origin 2> /dev/null | sed -E 's|//[^/@]*@|//|') || source=unknown
  [ "$digest" = "$2" ] || pinned=", \"digest\": { \"sha256\": \"$digest\" }"
  cat << EOF
{
  "buildDefinition": {
    "buildType": "urn:tarsy:publish-images:1",
    "externalParameters": { "version": "$version", "containerfile": "$1", "platforms": "${platforms[*]}" },
    "resolvedDependencies": [
      { "uri": "git+$source@refs/tags/v$version", "digest": { "gitCommit": "$commit" } },
      { "uri": "docker://$2"$pinned }
    ]
  },
  "runDetails": {
    "builder": { "id": "urn:tarsy:publish-images:$("$engine" --version | awk '{ print $1 "-" $3 }')" },
    "metadata": { "startedOn": "$started", "finishedOn": "$(date -u +%FT%TZ)" }
  }
}
EOF
}

# `publish NAME CONTAINERFILE CONTEXT BUILD_ARGUMENT`; the argument names the base image, which podman-compose.yml pins.
publish() {
  local name=$registry/$1 list=localhost/$1:$version-$$ base
  base=$(sed -n "s/^ *$4: //p" deploy/podman-compose.yml | head -n 1)
  started=$(date -u +%FT%TZ)
  "$engine" manifest create "$list" > /dev/null
  for platform in "${platforms[@]}"; do
    "$engine" build --quiet --platform "$platform" --manifest "$list" --build-arg "$4=$base" --file "$2" "$3" > /dev/null
  done
  "$engine" manifest push --all "${push[@]}" --digestfile "$work/digest" "$list" "docker://$name:$version"
  "$engine" manifest rm "$list" > /dev/null
  local image
  image=$name@$(cat "$work/digest")
  provenance "$2" "$base" > "$work/provenance.json"
  cosign sign --yes "${key[@]}" "${sign[@]}" "$image"
  cosign attest --yes "${key[@]}" "${sign[@]}" --type slsaprovenance1 --predicate "$work/provenance.json" "$image"
  if [ "$1" = tarsy ]; then cosign attest --yes "${key[@]}" "${sign[@]}" --type cyclonedx --predicate "$sbom" "$image"; fi
  echo "published $image"
}

publish tarsy deploy/Containerfile . NODE_IMAGE
publish tarsy-nats deploy/nats/Containerfile deploy/nats NATS_IMAGE
