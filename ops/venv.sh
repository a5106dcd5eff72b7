# Sets up .venv at the root of the checkout: `. ops/venv.sh; venv_ready ""` or `venv_ready "[test]"`.
# It is made once and used again until pyproject.toml, the locks, the extras or the place of the checkout change.
# Every package comes from a lock (ops/requirements, written by ops/lock) with its version and the hashes of its files. A file with another
# hash is never installed. Where the index does not have what the lock names, or not for this machine, what pyproject.toml asks for is
# installed instead, and said; WARLEDGER_LOCKED=1 (as .ci/run sets it) refuses that.

venv_say() { printf '%s\n' "$*" >&2; }

venv_python() {
    for candidate in python3.13 python3.12 python3.11 python3 python3.14; do
        if command -v "$candidate" >/dev/null 2>&1 &&
            "$candidate" -c 'import sys; raise SystemExit(sys.version_info < (3, 11))' 2>/dev/null; then
            command -v "$candidate"
            return 0
        fi
    done
    venv_say "Python 3.11 or newer is needed. On Debian 12: apt-get install python3 python3-venv"
    return 2
}

# Debian ships Python without venv's ensurepip. Install it where we may, else say the one line that does.
venv_has_venv() {
    "$1" -c 'import venv, ensurepip' 2>/dev/null && return 0
    local package line as=()
    package="python$("$1" -c 'import sys; print("%d.%d" % sys.version_info[:2])')-venv"
    line="apt-get install -y $package"
    if command -v apt-get >/dev/null 2>&1; then
        [ "$(id -u)" -eq 0 ] || as=(sudo -n)
        if [ "$(id -u)" -eq 0 ] || sudo -n true 2>/dev/null; then
            venv_say "Python's venv module is missing: running $line"
            { "${as[@]}" env DEBIAN_FRONTEND=noninteractive $line ||
                { "${as[@]}" apt-get update && "${as[@]}" env DEBIAN_FRONTEND=noninteractive $line; }; } >&2 || true
            "$1" -c 'import venv, ensurepip' 2>/dev/null && return 0
        fi
    fi
    venv_say "Python's venv module is missing. Install it with:  sudo $line"
    return 2
}

venv_stamp() {
    { cat pyproject.toml ops/requirements/*.txt; printf '%s %s' "$PWD" "$1"; } |
        { if command -v sha256sum >/dev/null 2>&1; then sha256sum; else shasum -a 256; fi; } | cut -d' ' -f1 # macOS has shasum
}

# $1: the extras. Installs the packages of their lock, then Warledger itself without looking for any more.
venv_install() {
    local lock report pip=(.venv/bin/python -m pip install --quiet --disable-pip-version-check)
    case "$1" in "") lock=run ;; "[test]") lock=test ;; *) lock=browser ;; esac
    report="$(mktemp)"
    if "${pip[@]}" --require-hashes -r "ops/requirements/$lock.txt" -r ops/requirements/build.txt 2>"$report"; then
        rm -f "$report"
        "${pip[@]}" --no-deps --no-build-isolation --editable . && return 0
        return 2
    fi
    cat "$report" >&2
    if grep -q "DO NOT MATCH THE HASHES" "$report"; then
        rm -f "$report"
        venv_say "A package is not the one that ops/requirements/$lock.txt names. It was not installed; do not use that index before you know why."
        return 2
    fi
    rm -f "$report"
    if [ -n "${WARLEDGER_LOCKED:-}" ]; then
        venv_say "ops/requirements/$lock.txt could not be installed, and WARLEDGER_LOCKED allows nothing else. Is the package index reachable?"
        return 2
    fi
    venv_say "ops/requirements/$lock.txt could not be installed on this machine: installing what pyproject.toml asks for, in versions nobody has pinned."
    "${pip[@]}" --editable ".$1" && return 0
    venv_say "The installation failed: is the package index reachable? Run the same command again to go on."
    return 2
}

# $1: extras to install: "", "[test]" or "[test,browser]". A set-up with more serves for less.
venv_ready() {
    local stamp have python
    have="$(cat .venv/.installed 2>/dev/null || true)"
    for extras in "$1" "[test]" "[test,browser]"; do
        case "$extras" in *"${1%]}"*) ;; *) continue ;; esac
        stamp="$(venv_stamp "$extras")"
        if [ "$have" = "$stamp" ] && .venv/bin/python -c '' 2>/dev/null; then
            return 0
        fi
    done
    python="$(venv_python)" || return 2
    if [ ! -w . ] || { [ -e .venv ] && [ ! -w .venv ]; }; then
        venv_say "$PWD is not yours to write to, and .venv belongs there: clone Warledger to a folder of your own, or run this as the owner."
        return 2
    fi
    if ! .venv/bin/python -c 'import pip' 2>/dev/null; then
        venv_has_venv "$python" || return 2
        venv_say "Setting up .venv with $python"
        "$python" -m venv --clear .venv || return 2
    fi
    venv_say "Installing Warledger and what it needs into .venv (once)"
    venv_install "$1" || return 2
    venv_stamp "$1" >.venv/.installed
}
