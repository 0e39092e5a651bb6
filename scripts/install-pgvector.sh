#!/bin/sh
# Builds pgvector from its source and installs it into a Postgres of this machine, for tests and benchmarks.
#
#   scripts/install-pgvector.sh [PG_CONFIG]
#
# PG_CONFIG is the pg_config of the server, such as /usr/lib/postgresql/15/bin/pg_config; the first on the path without
# one. Needs git, make, a C compiler and the server's headers (Debian: postgresql-server-dev-15), and the right to write
# to the server's folders. PGVECTOR_VERSION and PGVECTOR_SOURCE (an unpacked source) may say which.
set -eu

PG_CONFIG=${1:-$(command -v pg_config || true)}
[ -x "$PG_CONFIG" ] || { echo "no pg_config: name the server's as the first argument" >&2; exit 1; }
LIBRARY="$("$PG_CONFIG" --pkglibdir)/vector.so"
if [ -e "$LIBRARY" ]; then
  echo "pgvector is there already: $LIBRARY"
  exit 0
fi
[ -e "$("$PG_CONFIG" --includedir-server)/postgres.h" ] || {
  echo "the server's headers are missing: install the development package of $("$PG_CONFIG" --version)" >&2
  exit 1
}

WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
SOURCE=${PGVECTOR_SOURCE:-$WORK/pgvector}
if [ -z "${PGVECTOR_SOURCE:-}" ]; then
  git clone --quiet --depth 1 --branch "v${PGVECTOR_VERSION:-0.8.1}" https://github.com/pgvector/pgvector.git "$SOURCE"
fi

# No flags for this very processor: what is built here may run on another machine. No clang either.
make -s -C "$SOURCE" PG_CONFIG="$PG_CONFIG" OPTFLAGS="" with_llvm=no
make -s -C "$SOURCE" PG_CONFIG="$PG_CONFIG" OPTFLAGS="" with_llvm=no install
[ -e "$LIBRARY" ] || { echo "make ended without $LIBRARY" >&2; exit 1; }
echo "pgvector is installed: $LIBRARY"
