#!/bin/sh
# Starts TARSy in containers: checks what it needs, makes deploy/.env, builds the images and starts them. Safe to repeat.
#
#   deploy/up.sh                    podman with podman-compose 1.5 or newer, else docker with compose v2
#   deploy/up.sh --check            only checks
#   deploy/up.sh -f FILE …          with more compose files, such as -f deploy/compose.cluster.yml
#   deploy/up.sh ARGUMENT …         more arguments for `up`, such as --scale executor=3
set -eu

only_check=no
if [ "${1:-}" = --check ]; then only_check=yes; shift; fi
files="-f podman-compose.yml"
while [ "${1:-}" = -f ]; do
  [ -f "${2:-}" ] || { echo "there is no compose file ${2:-} (-f)" >&2; exit 1; }
  files="$files -f $(basename "$2")"
  [ "$(cd "$(dirname "$2")" && pwd)" = "$(cd "$(dirname "$0")" && pwd)" ] || { echo "compose files are in deploy, found $2" >&2; exit 1; }
  shift 2
done
cd "$(dirname "$0")"

fail() { echo "$1" >&2; exit 1; }

# Whether version $1 is $2 or newer.
at_least() { [ "$(printf '%s\n%s\n' "$1" "$2" | sort -V | head -n 1)" = "$2" ]; }

has_docker() {
  # The command docker may be podman under another name.
  command -v docker > /dev/null && ! docker --version 2> /dev/null | grep -qi podman && docker compose version > /dev/null 2>&1 && docker info > /dev/null 2>&1
}

check_podman() {
  command -v podman-compose > /dev/null || { echo "podman-compose is missing: pipx install podman-compose"; return 1; }
  version=$(podman-compose version 2> /dev/null | sed -n 's/^podman-compose[r]* version:* *//p' | head -n 1)
  at_least "${version:-0}" 1.5 || { echo "podman-compose is ${version:-of no known version}, 1.5 or newer is needed: pipx upgrade podman-compose"; return 1; }
  at_least "$(podman version --format '{{.Client.Version}}' 2> /dev/null || echo 0)" 4.3 || { echo "podman 4.3 or newer is needed: $(podman --version)"; return 1; }
  # Without systemd podman on Linux needs other settings.
  if [ -z "${CONTAINERS_CONF:-}" ] && [ "$(uname -s)" = Linux ] && [ ! -d /run/systemd/system ]; then CONTAINERS_CONF=$PWD/containers.conf; export CONTAINERS_CONF; fi
  # `podman info` fails if the runtime of its settings is missing.
  why=$(podman info 2>&1 > /dev/null) || { echo "podman cannot run here: $(printf '%s' "$why" | tail -n 1) (it needs crun or runc)"; return 1; }
}

if command -v podman > /dev/null; then
  # In this shell, because it exports.
  problem=$(mktemp)
  trap 'rm -f "$problem"' EXIT
  if check_podman > "$problem"; then
    compose=podman-compose
    # Only images of this format have health checks.
    BUILDAH_FORMAT=docker; export BUILDAH_FORMAT
  elif has_docker; then compose="docker compose"
  else fail "$(cat "$problem")"
  fi
elif has_docker; then compose="docker compose"
else fail "neither podman nor docker with compose v2 is installed: apt-get install podman crun pipx, pipx install podman-compose"
fi

# A variable of the environment takes precedence over deploy/.env.
port=${TARSY_PORT:-$(sed -n 's/^TARSY_PORT=//p' .env 2> /dev/null | tail -n 1)}
port=$(printf '%s' "${port%%#*}" | tr -cd 0-9)
port=${port:-8080}
engine=${compose%%[- ]*}
own=$("$engine" ps --quiet --filter label=com.docker.compose.project=tarsy 2> /dev/null || true)
listens() { cat /proc/net/tcp /proc/net/tcp6 2> /dev/null | awk -v port=":$(printf '%04X' "$port")" '$4 == "0A" && substr($2, length($2) - 4) == port { found = 1 } END { exit !found }'; }
if [ -z "$own" ] && listens; then fail "port $port is taken: stop what listens there, or set TARSY_PORT in deploy/.env"; fi

if [ "$only_check" = yes ]; then echo "$compose can start TARSy on port $port"; exit; fi
./make-env.sh
$compose $files up -d --build "$@"
echo "TARSy is starting: http://localhost:$port/ (deploy/down.sh stops it)"
