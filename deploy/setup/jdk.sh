#!/bin/sh
# Prints the home of a JDK 17 or newer. Looked at in this order: JAVA_HOME, the java on the path, the places where
# systems keep their JDKs. One that every supported Spark runs on (17 to 21) wins over a newer one. Where there is
# none, one is installed if that needs no password; else exit code 1, with the command to type on stderr.
set -eu
. "$(dirname "$0")/packages.sh"

PACKAGES="openjdk-17-jdk-headless openjdk-21-jdk-headless default-jdk-headless"
FORMULA=openjdk@17

candidates() {
    echo "${JAVA_HOME:-}"
    if java=$(command -v java); then
        dirname "$(dirname "$(readlink -f "$java" 2>/dev/null || echo "$java")")"
    fi
    if [ -x /usr/libexec/java_home ]; then
        /usr/libexec/java_home -v 17 2>/dev/null || /usr/libexec/java_home -v 17+ 2>/dev/null || true
    fi
    for home in /usr/lib/jvm/* /opt/homebrew/opt/openjdk@* /usr/local/opt/openjdk@*; do
        if [ -d "$home/libexec/openjdk.jdk/Contents/Home" ]; then
            home=$home/libexec/openjdk.jdk/Contents/Home
        fi
        echo "$home"
    done
}

# The main version of the JDK in a folder, 0 when there is none (a JRE without a compiler is none).
version_of() {
    version=
    if [ -x "$1/bin/javac" ] && [ -r "$1/release" ]; then
        version=$(sed -n 's/^JAVA_VERSION="\([0-9][0-9]*\).*/\1/p' "$1/release")
    fi
    echo "${version:-0}"
}

find_jdk() {
    newer=
    candidates | {
        while IFS= read -r home; do
            version=$(version_of "$home")
            if [ "$version" -ge 17 ] && [ "$version" -le 21 ]; then
                echo "$home"
                exit 0
            elif [ "$version" -gt 21 ]; then
                newer=${newer:-$home}
            fi
        done
        [ -n "$newer" ] && echo "$newer"
    }
}

if ! home=$(find_jdk); then
    echo "no JDK 17 or newer found; installing one" >&2
    case $(uname -s) in
        Darwin) install_first_of "$FORMULA" || true ;;
        *) install_first_of $PACKAGES || true ;;
    esac
    if ! home=$(find_jdk); then
        echo "headwater needs a JDK 17 or newer (with javac). Install it:" >&2
        echo "    $(install_hint openjdk-17-jdk-headless "$FORMULA")" >&2
        echo "or let JAVA_HOME name one." >&2
        exit 1
    fi
fi
echo "$home"
