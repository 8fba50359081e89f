#!/bin/sh
# Writes deploy/.env with random secrets. An existing file is not changed.
set -eu
cd "$(dirname "$0")"
file=${1:-.env}
[ ! -e "$file" ] || { echo "$file exists: nothing to do"; exit 0; }
umask 077
# Starts with a letter, because NATS reads a password of digits as a number.
secret() { printf 's%s' "$(od -An -N24 -tx1 /dev/urandom | tr -d ' \n')"; }
while IFS= read -r line; do
  case "$line" in
    *_PASSWORD=) printf '%s%s\n' "$line" "$(secret)" ;;
    *) printf '%s\n' "$line" ;;
  esac
done < .env.example > "$file"
echo "$file contains new secrets: keep it private, and keep it together with its database"
