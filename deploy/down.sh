#!/bin/sh
# Stops and removes everything of the compose project, found by its label: containers, also those that were added with --scale or
# by another compose file, and networks. The data stays unless --volumes is given. Images stay. Safe to repeat.
#
#   deploy/down.sh                     containers and networks
#   deploy/down.sh --volumes           and all data
#   deploy/down.sh --project NAME      of another project than tarsy
set -eu

usage="usage: $0 [--volumes] [--project NAME]"
project=tarsy
with_volumes=no
while [ $# -gt 0 ]; do
  case "$1" in
    --volumes) with_volumes=yes ;;
    --project)
      [ -n "${2:-}" ] || { echo "--project needs a name: $usage" >&2; exit 2; }
      project=$2
      shift
      ;;
    -h | --help) echo "$usage"; exit ;;
    *) echo "\"$1\" is not an option: $usage" >&2; exit 2 ;;
  esac
  shift
done

# Both podman-compose and docker compose set these labels.
own="label=com.docker.compose.project=$project"
of_service="label=com.docker.compose.service"

# Prints `removed KIND: NAME NAME …`, unless there are none.
report() {
  kind=$1
  shift
  [ $# -eq 0 ] || echo "$engine: removed $kind: $*"
}

# Removes what the project has in $engine. Fails if something is left.
take_down() {
  # Each id and name is one word.
  # shellcheck disable=SC2046,SC2086
  all=$("$engine" ps --all --filter "$own" --format '{{.Names}}' | sort)
  backing=$(for service in postgres nats nats-2 nats-3; do
    "$engine" ps --filter "$own" --filter "$of_service=$service" --format '{{.Names}}'
  done)
  running=$("$engine" ps --filter "$own" --format '{{.Names}}')
  first=
  for name in $running; do
    printf '%s\n' "$backing" | grep -qxF "$name" || first="$first $name"
  done
  # Each container has its own grace period. The servers stop last, so that executors can release their sessions.
  [ -z "$first" ] || "$engine" stop $first > /dev/null
  [ -z "$backing" ] || "$engine" stop $backing > /dev/null
  if [ -n "$all" ]; then
    case "$engine" in
      # podman refuses to remove a container that another one was made to wait for.
      podman) podman rm --force --depend --ignore $all > /dev/null ;;
      *) "$engine" rm --force $all > /dev/null ;;
    esac
  fi
  report containers $all

  left=no
  networks=
  for network in $("$engine" network ls --filter "$own" --format '{{.Name}}'); do
    if why=$("$engine" network rm "$network" 2>&1 > /dev/null); then
      networks="$networks $network"
    else
      echo "$engine: the network $network stays ($why): remove or disconnect what uses it, and repeat" >&2
      left=yes
    fi
  done
  report networks $networks

  volumes=
  for volume in $("$engine" volume ls --filter "$own" --format '{{.Name}}'); do
    if [ "$with_volumes" = no ]; then
      volumes="$volumes $volume"
    elif why=$("$engine" volume rm "$volume" 2>&1 > /dev/null); then
      volumes="$volumes $volume"
    else
      echo "$engine: the volume $volume stays ($why): remove what uses it, and repeat" >&2
      left=yes
    fi
  done
  if [ "$with_volumes" = yes ]; then
    report volumes $volumes
  elif [ -n "$volumes" ]; then
    echo "$engine: kept the data in$volumes (--volumes removes it)"
  fi

  [ -n "$all$networks$volumes" ] || [ "$left" = yes ] || echo "$engine: nothing of the project \"$project\" was there"
  [ "$left" = no ]
}

found=no
failed=no
for engine in podman docker; do
  command -v "$engine" > /dev/null || continue
  # An installed docker without its daemon is no engine.
  "$engine" ps > /dev/null 2>&1 || continue
  # The command docker may be podman under another name.
  case "$engine $found" in "docker podman") ! docker --version | grep -qi podman || continue ;; esac
  found=$engine
  take_down || failed=yes
done
if [ "$found" = no ]; then
  echo "neither podman nor docker can be used here: try \"podman ps\", or \"docker ps\"" >&2
  exit 1
fi
[ "$failed" = no ]
