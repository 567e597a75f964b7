# Sourced: may this user install packages of the system, and how?

# Prints the package manager that can be called without being asked anything; fails where there is none.
package_command() {
    if command -v apt-get >/dev/null 2>&1; then
        if [ "$(id -u)" = 0 ]; then
            echo "env DEBIAN_FRONTEND=noninteractive apt-get"
        elif sudo -n true >/dev/null 2>&1; then
            echo "sudo -n env DEBIAN_FRONTEND=noninteractive apt-get"
        else
            return 1
        fi
    elif command -v brew >/dev/null 2>&1 && [ "$(id -u)" != 0 ]; then
        echo "brew"
    else
        return 1
    fi
}

# Installs the first of the named packages that the system knows. Only what goes wrong is shown.
install_first_of() {
    manager=$(package_command) || return 1
    case $manager in
        *apt-get) $manager update -qq </dev/null >/dev/null || true; options="-y -qq --no-install-recommends" ;;
        *) options= ;;
    esac
    for package in "$@"; do
        if $manager install $options "$package" </dev/null >/dev/null; then
            return 0
        fi
    done
    return 1
}

# What a person has to type to install a package; the arguments are its names for apt-get and for Homebrew.
install_hint() {
    if [ "$(uname -s)" = Darwin ]; then
        echo "brew install $2"
    else
        echo "sudo apt-get update && sudo apt-get install $1"
    fi
}
