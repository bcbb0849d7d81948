#!/bin/sh
# install.sh [OPENTELEMETRY]: installs what the programs need at run time in the current folder, and removes what only
# developers and other platforms need. With a non-empty OPENTELEMETRY: also the packages for traces.
set -eu
npm ci --omit=dev --ignore-scripts --no-audit --no-fund
if [ -n "${1:-}" ]; then
  peers=$(node -p 'Object.keys(require("./package.json").peerDependencies).join(" ")')
  # shellcheck disable=SC2086 # one word for each package
  versions=$(node -e '
    const { packages } = require("./package-lock.json");
    console.log(process.argv.slice(1).map((name) => `${name}@${packages[`node_modules/${name}`].version}`).join(" "));
  ' $peers)
  # shellcheck disable=SC2086
  npm install --no-save --omit=dev --ignore-scripts --no-audit --no-fund $versions
fi
# The SDK brings its native library for five platforms, of 30 MB each, and its Rust sources.
bridge=node_modules/@temporalio/core-bridge
platform=$(node -p 'process.arch === "arm64" ? "aarch64-unknown-linux-gnu" : "x86_64-unknown-linux-gnu"')
for folder in "$bridge"/releases/*; do
  [ "$(basename "$folder")" = "$platform" ] || rm -rf "$folder"
done
rm -rf "$bridge/sdk-core" "$bridge/src" "$bridge/bridge-macros" "$bridge/Cargo.lock" node_modules/rxjs/src
