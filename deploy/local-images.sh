#!/usr/bin/env bash
# Builds the base images of the stack (Node, Postgres, NATS, HAProxy, Prometheus, Alertmanager) from Debian's packages, under the same names, for a
# machine with access to a Debian mirror and npm but to no container registry. Needs root, podman, debootstrap and npm;
# takes about two minutes. Existing images are not rebuilt.
#
#   deploy/local-images.sh            build the missing images
#   deploy/local-images.sh --list     print the names, one per line
#   deploy/local-images.sh --remove   remove the images that this script built
set -euo pipefail
cd "$(dirname "$0")"

suite=forky
base=localhost/tarsy-debian:$suite
label=tarsy.local-image

# The versions are pinned only in the compose files.
image_of() { grep -ohE "docker\.io/(library|prom)/$1:[A-Za-z0-9._-]+" podman-compose.yml compose.monitoring.yml | head -n 1; }
node=$(image_of node) postgres=$(image_of postgres) nats=$(image_of nats) proxy=$(image_of haproxy)
prometheus=$(image_of prometheus) alertmanager=$(image_of alertmanager)

case "${1:-}" in
  --list) printf '%s\n' "$node" "$postgres" "$nats" "$proxy" "$prometheus" "$alertmanager"; exit ;;
  --remove)
    podman images --quiet --filter "label=$label" | sort -u | xargs --no-run-if-empty podman rmi --force
    exit ;;
  "") ;;
  *) echo "usage: $0 [--list | --remove]" >&2; exit 2 ;;
esac

for tool in podman debootstrap npm; do
  command -v "$tool" > /dev/null || { echo "$tool is missing: apt-get install --no-install-recommends podman debootstrap, and Node with npm" >&2; exit 1; }
done
[ "$(id -u)" -eq 0 ] || { echo "debootstrap needs root: run this as root" >&2; exit 1; }

# An archive of an npm package whose SHA-512 (in base64) is this one: `unpack ARCHIVE HASH DIRECTORY`.
unpack() {
  [ "$(openssl dgst -sha512 -binary "$1" | base64 --wrap=0)" = "$2" ] || { echo "$1 does not have the expected hash" >&2; return 1; }
  tar -xzf "$1" -C "$3" --strip-components=1
}
# The hash that package-lock.json has for a package.
locked_hash() { grep -A 3 "\"node_modules/$1\": {" ../package-lock.json | sed -n 's/.*"integrity": "sha512-\(.*\)".*/\1/p'; }
npm_version=11.19.1
npm_hash=ztsxKxt/kkIaAs+2i0GU6I+DRmUdrNasxTZKJe9TCdSjKxlhah/4r/hl5ygMD6XAg1qZ9c2TNomR4qgOydp10g==

missing() { ! podman image exists "$1"; }
# Without systemd there is no separate network for builds, so they use the network of the host.
build() { echo "building $1"; podman build --quiet --network host --label "$label=true" --tag "$1" --file - "$2" > /dev/null; }
# The tag names a version, but the version comes from Debian.
check_version() {
  local have; have=$(podman run --rm --network none --ulimit nofile=1024:1024 --ulimit nproc=1024:1024 --entrypoint "$2" "$1" "$3" 2>&1 | grep -m 1 -oE '[0-9]+\.[0-9]+(\.[0-9]+)?' | sed -n 1p) || true
  local tag=${1##*:}; case "${tag#v}" in "${have:-unknown}"*) ;; *) echo "note: $1 contains version $have, the version of Debian $suite" >&2 ;; esac
}

work=$(mktemp -d /var/tmp/tarsy-images.XXXXXX)
trap 'rm -rf "$work"' EXIT

if missing "$base"; then
  echo "building $base"
  mirror=$(awk '/^URIs:/ { print $2; exit }' /etc/apt/sources.list.d/*.sources 2> /dev/null || true)
  [ -n "$mirror" ] || mirror=$(awk '$1 == "deb" { print $(NF > 3 && $2 ~ /^\[/ ? 3 : 2); exit }' /etc/apt/sources.list)
  # This debootstrap may lack a script for the newer release; all scripts are the same.
  debootstrap --variant=minbase "$suite" "$work/root" "$mirror" /usr/share/debootstrap/scripts/sid > "$work/debootstrap.log" \
    || { tail -n 5 "$work/debootstrap.log" >&2; exit 1; }
  rm -rf "$work"/root/var/cache/apt/archives/*.deb "$work"/root/var/lib/apt/lists/* "$work"/root/usr/share/{doc,man,locale}/*
  # A mirror may be a snapshot whose index has expired.
  printf 'Acquire::Check-Valid-Until "false";\nAPT::Install-Recommends "false";\n' > "$work/root/etc/apt/apt.conf.d/99local"
  printf 'path-exclude /usr/share/doc/*\npath-exclude /usr/share/man/*\npath-exclude /usr/share/locale/*\n' > "$work/root/etc/dpkg/dpkg.cfg.d/99local"
  tar -C "$work/root" --exclude='./dev/*' -c . | podman import --change 'CMD ["bash"]' --change "LABEL $label=true" - "$base" > /dev/null
  rm -rf "$work/root"
fi

if missing "$node"; then
  version=${node##*:}; version=${version%%-*}
  mkdir -p "$work/node/npm" "$work/node/bin"
  case "$(uname -m)" in aarch64) arch=arm64 ;; *) arch=x64 ;; esac
  # Debian's Node has no type stripping; the npm package contains the official build.
  npm pack --silent --pack-destination "$work/node" "node-linux-$arch@$version" "npm@$npm_version" > /dev/null
  unpack "$work/node/node-linux-$arch-$version.tgz" "$(locked_hash "node-linux-$arch")" "$work/node/bin"
  unpack "$work/node/npm-$npm_version.tgz" "$npm_hash" "$work/node/npm"
  # The certificates of this machine, so that npm trusts the same servers during builds.
  cp /etc/ssl/certs/ca-certificates.crt "$work/node/ca.crt"
  build "$node" "$work/node" << CONTAINERFILE
FROM $base
COPY bin/bin/node /usr/local/bin/node
COPY npm /usr/local/lib/node_modules/npm
COPY ca.crt /etc/ssl/certs/ca-certificates.crt
ENV NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt
RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm && groupadd -g 1000 node && useradd -u 1000 -g node -m -s /bin/bash node
CMD ["node"]
CONTAINERFILE
  check_version "$node" node --version
fi

if missing "$postgres"; then
  major=${postgres##*:}; major=${major%%.*}
  mkdir -p "$work/postgres"; cp local-postgres-entrypoint.sh "$work/postgres/docker-entrypoint.sh"; chmod 755 "$work/postgres/docker-entrypoint.sh"
  build "$postgres" "$work/postgres" << CONTAINERFILE
FROM $base
RUN groupadd -r --gid 999 postgres && useradd -r -g postgres --uid 999 --home-dir /var/lib/postgresql postgres \
 && mkdir -p /var/lib/postgresql /etc/postgresql-common && echo 'create_main_cluster = false' > /etc/postgresql-common/createcluster.conf \
 && apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -y -o Dpkg::Options::=--force-confold postgresql-$major && rm -rf /var/lib/apt/lists/* \
 && sed -i "s/^#listen_addresses.*/listen_addresses = '*'/" /usr/share/postgresql/$major/postgresql.conf.sample \
 && mkdir -p /var/run/postgresql && chown postgres:postgres /var/lib/postgresql /var/run/postgresql && chmod 3777 /var/run/postgresql
ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/usr/lib/postgresql/$major/bin PGDATA=/var/lib/postgresql/$major/docker LANG=C.UTF-8
COPY docker-entrypoint.sh /usr/local/bin/
VOLUME /var/lib/postgresql
STOPSIGNAL SIGINT
EXPOSE 5432
ENTRYPOINT ["docker-entrypoint.sh"]
CMD ["postgres"]
CONTAINERFILE
  check_version "$postgres" postgres --version
fi

if missing "$nats"; then
  # busybox provides wget, as in the official Alpine image.
  mkdir -p "$work/nats"
  build "$nats" "$work/nats" << CONTAINERFILE
FROM $base
RUN apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -y nats-server busybox-static && rm -rf /var/lib/apt/lists/* \
 && { [ -x /usr/bin/nats-server ] || ln -s ../sbin/nats-server /usr/bin/nats-server; } && ln -s busybox /usr/bin/wget && mkdir -p /data
EXPOSE 4222 6222 8222
ENTRYPOINT ["nats-server"]
CONTAINERFILE
  check_version "$nats" nats-server --version
fi

if missing "$proxy"; then
  mkdir -p "$work/proxy"
  build "$proxy" "$work/proxy" << CONTAINERFILE
FROM $base
RUN apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -y -o Dpkg::Options::=--force-confold haproxy && rm -rf /var/lib/apt/lists/*
USER 99:99
STOPSIGNAL SIGUSR1
EXPOSE 8080
CMD ["haproxy", "-f", "/usr/local/etc/haproxy/haproxy.cfg"]
CONTAINERFILE
  check_version "$proxy" haproxy -v
fi

# Of the monitoring: `monitor IMAGE PACKAGE PROGRAM DATA`. busybox provides wget, as in the official images.
monitor() {
  missing "$1" || return 0
  mkdir -p "$work/$2"
  build "$1" "$work/$2" << CONTAINERFILE
FROM $base
RUN apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -y $2 busybox-static && rm -rf /var/lib/apt/lists/* \
 && ln -s busybox /usr/bin/wget && mkdir -p $4 && chown 65534:65534 $4
USER 65534:65534
ENTRYPOINT ["$3"]
CONTAINERFILE
  check_version "$1" "$3" --version
}
monitor "$prometheus" prometheus prometheus /prometheus
monitor "$alertmanager" prometheus-alertmanager prometheus-alertmanager /alertmanager

echo "all base images exist: $node, $postgres, $nats, $proxy, $prometheus, $alertmanager"
