#!/bin/sh
# collect.sh IMAGE APP: puts everything that the image holds into the folder IMAGE: Node without its debug symbols, the
# libraries that it and the native modules of APP need, certificates, a user, and APP itself.
set -eu
image=$1
app=$2
node=$(readlink -f "$(command -v node)")
mkdir -p "$image/usr/local/bin" "$image/etc/ssl/certs" "$image/etc/courier" "$image/app" "$image/data" "$image/tmp"
cp "$node" "$image/usr/local/bin/node"
if command -v strip >/dev/null; then strip --strip-unneeded "$image/usr/local/bin/node"; fi
find "$app/node_modules" -name '*.node' -type f >"$image/natives"
# Names are resolved by libraries that no program names: NSS loads them at run time.
for name in libnss_files.so.2 libnss_dns.so.2 libresolv.so.2; do
  find /lib /usr/lib -name "$name" | head -n 1
done >"$image/libraries"
for file in "$node" $(cat "$image/natives"); do
  ldd "$file" | grep -o '/[^ ]*' || true
done >>"$image/libraries"
sort -u "$image/libraries" | while read -r file; do
  mkdir -p "$image$(dirname "$file")"
  cp -L "$file" "$image$file"
done
rm "$image/natives" "$image/libraries"
cp -L /etc/ssl/certs/ca-certificates.crt "$image/etc/ssl/certs/"
echo 'hosts: files dns' >"$image/etc/nsswitch.conf"
echo 'courier:x:1000:1000::/tmp:/nonexistent' >"$image/etc/passwd"
echo 'courier:x:1000:' >"$image/etc/group"
cp -R "$app/." "$image/app/"
rm -rf "$image/app/deploy"
# For developers only.
find "$image/app" -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' -o -name '*.md' \) -delete
if command -v strip >/dev/null; then find "$image/app" -name '*.node' -exec strip --strip-unneeded {} +; fi
chmod 1777 "$image/tmp"
chown 1000:1000 "$image/data"
chmod 0700 "$image/data"
