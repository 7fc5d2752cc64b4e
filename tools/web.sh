#!/usr/bin/env bash
# Builds, tests and measures the npm package and the explorer's page.
#
#   tools/web.sh npm      the package, in target/npm
#   tools/web.sh site     the page, in target/web/site: any server of static files shows it
#   tools/web.sh test     both, tested in Node and in a headless Chromium
#   tools/web.sh bench    the package beside hash-wasm in both; OUT=FILE keeps the figures
#
# What it needs comes below target/: binaryen, puppeteer-core, typescript and
# hash-wasm by npm. The target wasm32-unknown-unknown comes by rustup; Node and a Chromium have to be
# there, or are installed by apt-get.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
PATH="$PATH:$HOME/.cargo/bin"
root=$PWD
wasm=crates/wasm
web=$root/target/web
npm=$root/target/npm

fail() {
    printf 'web: %s\n' "$@" >&2
    exit 1
}

need() {
    command -v node >/dev/null || tools/setup.sh web
    command -v npm >/dev/null || fail 'npm is missing: install it beside Node 18 or newer'
    local major
    major=$(node -p 'process.versions.node.split(".")[0]')
    [ "$major" -ge 18 ] || fail "Node $major is too old: install 18 or newer"
    # A Rust of Debian's has the target by a package of its own, and no rustup.
    if ! [ -d "$(rustc --print sysroot)/lib/rustlib/wasm32-unknown-unknown" ]; then
        command -v rustup >/dev/null || fail 'the target wasm32-unknown-unknown is missing: install it'
        rustup target add wasm32-unknown-unknown
    fi
    # For this machine, not for WebAssembly as the rest of that workspace.
    host=$(rustc -vV | sed -n 's/^host: //p')
    (cd $wasm && cargo build --quiet --locked --package manylane-glue --target "$host" \
        --target-dir "$web/build")
    glue=$web/build/$host/debug/manylane-glue
    if ! cmp -s $wasm/test/package.json "$web/tools/package.json" || ! [ -d "$web/tools/node_modules" ]; then
        mkdir -p "$web/tools"
        cp $wasm/test/package.json $wasm/test/package-lock.json "$web/tools/"
        echo 'web: installing binaryen, puppeteer-core, typescript and hash-wasm'
        (cd "$web/tools" && npm ci --silent --no-audit --no-fund --ignore-scripts)
    fi
}

# Compiles a crate and writes the module and its glue to a folder.
# module PACKAGE NAME FOLDER LEVEL
module() {
    (cd $wasm && cargo build --quiet --release --locked --package "$1" --target-dir "$web/build")
    local made=$web/build/wasm32-unknown-unknown/release/${1//-/_}.wasm
    mkdir -p "$3"
    if [ "$made" -ot "$3/$2_bg.wasm" ] && [ "$glue" -ot "$3/$2_bg.wasm" ]; then
        return
    fi
    "$glue" "$made" "$2" "$3"
    "$web/tools/node_modules/.bin/wasm-opt" "$4" --enable-simd --enable-bulk-memory \
        --enable-sign-ext --enable-mutable-globals --enable-nontrapping-float-to-int \
        --enable-reference-types --enable-multivalue --strip-debug --strip-producers \
        -o "$3/$2_bg.wasm" "$3/$2_bg.wasm"
}

make_npm() {
    module manylane-wasm manylane "$web/manylane" -O3
    mkdir -p "$npm/wasm"
    cp $wasm/js/* LICENSE-MIT LICENSE-APACHE "$npm/"
    cp "$web"/manylane/manylane.js "$web"/manylane/manylane_bg.wasm "$npm/wasm/"
    # The types of the package are written by hand.
    echo "web: the package is in target/npm: $(du -sk "$npm" | cut -f 1) KiB"
}

make_site() {
    make_npm
    module manylane-explorer explorer "$web/explorer" -Oz
    local site=$web/site
    rm -rf "$site"
    mkdir -p "$site/manylane/wasm"
    cp $wasm/www/* "$web/explorer/explorer.js" "$site/"
    cp crates/pages/src/style.css "$site/pages.css"
    # The pages' script looks through a document; here it looks through what was just shown.
    { echo 'export function enliven(document) {'; cat crates/pages/src/script.js; echo '}'; } >"$site/zoom.js"
    cp "$npm"/{api,memory,messages,files,jobs,worker,workers}.js "$site/manylane/"
    # Workers import browser.js, which finds a compressed module here.
    mv "$site/hashes.js" "$site/manylane/browser.js"
    cp "$npm/wasm/manylane.js" "$site/manylane/wasm/"
    gzip -9 -n -c "$npm/wasm/manylane_bg.wasm" >"$site/manylane/wasm/manylane.packed"
    gzip -9 -n -c "$web/explorer/explorer_bg.wasm" >"$site/explorer.packed"
    echo "web: the page is in target/web/site: $(du -sk "$site" | cut -f 1) KiB"
}

# The native program: MANYLANE, or one that is built.
find_program() {
    program=${MANYLANE:-}
    if [ -z "$program" ]; then
        cargo build --quiet --locked --package manylane-cli
        program=$root/target/debug/manylane
    fi
}

# Digests of messages of 0 to 3 blocks and a byte by the native program, a file for each hash.
make_answers() {
    local messages=$web/messages answers=$web/answers
    rm -rf "$messages" "$answers"
    mkdir -p "$messages" "$answers"
    node -e '
        const { writeFileSync } = require("node:fs");
        for (let n = 0; n <= 3 * 256 + 1; n++) {
            const bytes = Uint8Array.from({ length: n }, (_, i) => (i * 7 + n * 13) & 255);
            writeFileSync(`${process.argv[1]}/${n}`, bytes);
        }' "$messages"
    "$program" list --json >"$web/list.json"
    node -e '
        for (const { kind, name, block_bits } of JSON.parse(require("node:fs").readFileSync(0)).primitives) {
            if (kind === "hash") console.log(name, block_bits / 8);
        }' <"$web/list.json" >"$web/names"
    while read -r name block; do
        (cd "$messages" && seq 0 $((3 * block + 1)) | xargs "$program" sum -a "$name") |
            cut -d ' ' -f 1 >"$answers/$name"
    done <"$web/names"
}

named_chromium() {
    local name
    for name in "${CHROMIUM:-}" chromium chromium-browser google-chrome google-chrome-stable; do
        if [ -n "$name" ] && command -v "$name" >/dev/null; then
            command -v "$name"
            return
        fi
    done
}

# The browser's program; a browser is installed if there is none.
find_chromium() {
    named_chromium | grep . || { "$root/tools/setup.sh" web >&2 && named_chromium; }
}

# Installed as anybody installs it, so that what is tested is what is published.
install_package() {
    local user=$web/user
    mkdir -p "$user"
    local packed
    packed=$(cd "$npm" && npm pack --silent --pack-destination "$user")
    echo '{ "private": true, "type": "module" }' >"$user/package.json"
    rm -rf "$user/node_modules"
    (cd "$user" && npm install --silent --no-audit --no-fund --no-save "./$packed")
    rm -rf "$user/node_modules/puppeteer-core"
    cp $wasm/test/*.mjs $wasm/test/types.ts "$user/"
    ln -sfn "$web/tools/node_modules" "$web/node_modules"
}

case ${1:-} in
npm)
    need
    make_npm
    ;;
site)
    need
    make_site
    ;;
test)
    need
    make_site
    find_program
    make_answers
    install_package
    cd "$web/user"
    "$web/tools/node_modules/.bin/tsc" --noEmit --strict --target es2022 --lib es2022,dom,dom.iterable \
        --module nodenext types.ts
    WEB_ANSWERS=$web/answers node --test node.test.mjs
    chromium=$(find_chromium)
    for tests in browser files; do
        MANYLANE=$program WEB_SITE=$web/site CHROMIUM=$chromium node --test $tests.test.mjs
    done
    ;;
bench)
    need
    make_npm
    install_package
    cp benches/web/* "$web/user/"
    # The page loads both packages from where it stands.
    cp -r "$web/tools/node_modules/hash-wasm" "$web/user/node_modules/"
    chromium=$(find_chromium)
    cd "$web/user"
    CHROMIUM=$chromium node main.mjs ${OUT:+--json "$root/$OUT"}
    ;;
*)
    fail 'say npm, site, test or bench'
    ;;
esac
