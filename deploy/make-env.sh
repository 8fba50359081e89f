#!/bin/sh
# Writes deploy/.env with random secrets. An existing file only gets the secrets that it lacks, as after an upgrade.
set -eu
cd "$(dirname "$0")"
file=${1:-.env}
umask 077
# Starts with a letter, because NATS reads a password of digits as a number.
secret() { printf 's%s' "$(od -An -N24 -tx1 /dev/urandom | tr -d ' \n')"; }
if [ -e "$file" ]; then
  added=
  while IFS= read -r line; do
    case "$line" in
      \#*) ;;
      *_PASSWORD= | *_TOKEN=)
        grep -q "^$line" "$file" && continue
        # The file may not end in a line break.
        printf '\n%s%s\n' "$line" "$(secret)" >> "$file"
        added="$added ${line%=}"
        ;;
    esac
  done < .env.example
  if [ -n "$added" ]; then echo "$file has new secrets:$added"; else echo "$file exists: nothing to do"; fi
  exit 0
fi
while IFS= read -r line; do
  case "$line" in
    \#*) printf '%s\n' "$line" ;;
    *_PASSWORD= | *_TOKEN=) printf '%s%s\n' "$line" "$(secret)" ;;
    *) printf '%s\n' "$line" ;;
  esac
done < .env.example > "$file"
echo "$file contains new secrets: keep it private, and keep it together with its database"
