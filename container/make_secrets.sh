#!/bin/sh
# Makes the secrets that compose.yaml names, once; what is there stays.
set -eu
folder=${1:-secrets}
umask 077
mkdir -p "$folder"

keep() {
    [ -s "$folder/$1" ] || printf '%s' "$2" > "$folder/$1"
    # the containers' users read them through the mount; the folder is closed to others
    chmod 0644 "$folder/$1"
}

word() {
    head -c 24 /dev/urandom | od -An -v -tx1 | tr -d ' \n'
}

keep superuser_password "$(word)"
keep owner_url "postgresql://vcontract_owner:$(word)@database/vcontract"
keep login_url "postgresql://vcontract_login:$(word)@database/vcontract"
keep metrics_token "$(word)"
