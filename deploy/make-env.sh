#!/bin/sh
# Writes deploy/.env with a random secret for everything that has one. An existing file is left as it is.
set -eu
cd "$(dirname "$0")"
file=${1:-.env}
[ ! -e "$file" ] || { echo "$file is there already: nothing done"; exit 0; }
umask 077
# A letter in front: a password of digits alone would be a number to NATS.
secret() { printf 's%s' "$(od -An -N24 -tx1 /dev/urandom | tr -d ' \n')"; }
while IFS= read -r line; do
  case "$line" in
    *_PASSWORD=) printf '%s%s\n' "$line" "$(secret)" ;;
    *) printf '%s\n' "$line" ;;
  esac
done < .env.example > "$file"
echo "$file holds new secrets: keep it to yourself, and keep it with the database it belongs to"
