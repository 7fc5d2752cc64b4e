# For `source`: lists of Debian's packages of their own, so that the system's stay as they are.
#
#   debian_lists deb|deb-src RELEASE FOLDER [ARCHITECTURE]
#
# keeps the lists of a release below FOLDER, from the mirror that apt uses here or from $MIRROR, and
# sets the array `apt` to the options by which apt-get takes them. With an architecture the packages
# are those of a system of its own, on which nothing is installed yet. Calls `fail` with what is
# missing.
debian_lists() {
    local kind=$1 release=$2 folder=$3 architecture=${4:-} mirror
    mkdir -p "$folder/lists/partial" "$folder/cache/archives/partial"
    mirror=${MIRROR:-$(apt-get indextargets --format '$(RELEASE) $(COMPONENT) $(REPO_URI)' 'Created-By: Packages' |
        sed -n '/^[^ ]*-security /d; s/^[^ ]* main //p' | head -n 1)}
    [ -n "$mirror" ] || fail 'apt names no mirror of Debian: MIRROR=URL does'
    printf 'Types: %s\nURIs: %s\nSuites: %s\nComponents: main\n%s\n' "$kind" "$mirror" \
        "$release" 'Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg' \
        >"$folder/debian.sources"
    apt=(-q -o "Dir::Etc::SourceList=$folder/debian.sources" -o Dir::Etc::SourceParts=-
        -o "Dir::State::Lists=$folder/lists" -o "Dir::Cache=$folder/cache")
    if [ -n "$architecture" ]; then
        : >"$folder/status"
        apt+=(-o "APT::Architecture=$architecture" -o "APT::Architectures::=$architecture"
            -o "Dir::State::Status=$folder/status")
    fi
    apt-get "${apt[@]}" update >/dev/null || fail "the lists of Debian's packages cannot be had"
}
