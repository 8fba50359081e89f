#!/bin/bash
# Entry point of the image that local-images.sh builds; does what this stack needs of the official one: on an empty volume
# it creates the cluster, the user and the database that the environment names. Then it runs its arguments.
set -euo pipefail
if [ "${1:-}" = postgres ] && [ ! -s "$PGDATA/PG_VERSION" ]; then
  : "${POSTGRES_PASSWORD:?must be set for a new database}"
  user=${POSTGRES_USER:-postgres} database=${POSTGRES_DB:-${POSTGRES_USER:-postgres}}
  mkdir -p "$PGDATA" && chmod 700 "$PGDATA"
  initdb --pgdata="$PGDATA" --username="$user" --pwfile=<(printf '%s\n' "$POSTGRES_PASSWORD") --auth-local=trust --auth-host=scram-sha-256
  printf '\nhost all all all scram-sha-256\n' >> "$PGDATA/pg_hba.conf"
  pg_ctl --pgdata="$PGDATA" --options="-c listen_addresses=''" --wait start
  [ "$database" = postgres ] || psql --username="$user" --dbname=postgres --command="CREATE DATABASE \"$database\""
  pg_ctl --pgdata="$PGDATA" --mode=fast --wait stop
  echo "PostgreSQL init process complete; ready for start up."
fi
exec "$@"
