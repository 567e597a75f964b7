#!/bin/sh
# Prints the path of a Chromium, with which the explorer is tested. Looked at in this order: CHROMIUM, and the names that
# systems give it on the path. Where there is none, one is installed if that needs no password; else exit code 1, with
# the command to type on stderr.
set -eu
. "$(dirname "$0")/packages.sh"

MAC="/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"

find_chromium() {
    for name in "${CHROMIUM:-}" chromium chromium-browser google-chrome google-chrome-stable "$MAC"; do
        if [ -n "$name" ] && command -v "$name"; then
            return 0
        fi
    done
    return 1
}

if ! found=$(find_chromium); then
    echo "no Chromium found; installing one" >&2
    case $(uname -s) in
        Darwin) install_first_of chromium || true ;;
        *) install_first_of chromium chromium-browser || true ;;
    esac
    if ! found=$(find_chromium); then
        echo "the tests of the explorer need a Chromium. Install it:" >&2
        echo "    $(install_hint chromium chromium)" >&2
        echo "or let CHROMIUM name one." >&2
        exit 1
    fi
fi
echo "$found"
