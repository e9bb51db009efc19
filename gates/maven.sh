#!/bin/sh
# Judges a Maven project, here, by `mvn verify` (its own wrapper before an installed mvn): build, tests, and whatever
# checks the project binds to that. At least one test must have passed.
# MAVEN_ARGS="-P ci clean": more options and phases before it, with any version of Maven.
# Exit status: 0 accepted, 1 rejected, 75 it could not judge (a dependency cannot be downloaded).
set -u

accept() { echo "maven: accepted: $1"; exit 0; }
reject() { echo "maven: rejected: $1"; exit 1; }
unable() { echo "maven: $1"; exit 75; }

log=$(mktemp) || unable 'no room for a temporary file'
stamp=$(mktemp) || unable 'no room for a temporary file'
trap 'rm -f "$log" "$stamp"' EXIT
# At a time limit: what it has said so far, or nobody would know where it hung.
trap 'echo "maven: ended in the middle"; tail -n 40 "$log"; exit 143' HUP INT TERM

[ -f pom.xml ] || reject 'there is no pom.xml here'
if [ -f mvnw ]; then set -- sh ./mvnw; else set -- mvn; fi
command -v "$1" >/dev/null || reject 'mvn is not installed: https://maven.apache.org/install.html, or apt-get install maven'
command -v java >/dev/null || [ -x "${JAVA_HOME:-}/bin/java" ] ||
  reject 'java is not installed: apt-get install default-jdk-headless'

options=${MAVEN_ARGS:-}
unset MAVEN_ARGS
# shellcheck disable=SC2086 # words, as Maven itself reads them
"$@" --batch-mode --quiet --fail-at-end -Dstyle.color=never $options verify >"$log" 2>&1 </dev/null
ended=$?

# Of this run only: reports of an earlier one may lie in target/.
reports() {
  find . \( -name .git -o -name node_modules \) -prune -o -name 'TEST-*.xml' -newer "$stamp" -exec cat {} +
}
# shellcheck disable=SC2046 # two numbers
set -- $(reports | awk '
  { cases += gsub(/<testcase[ >]/, ""); skipped += gsub(/<skipped[ \/>]/, "") }
  END { print cases - skipped, skipped + 0 }')

if [ "$ended" -ne 0 ]; then
  here=$(pwd -P)
  escape=$(printf '\033')
  # As other compilers say it, and without what Maven says to everybody.
  sed "s/$escape\\[[0-9;]*m//g" "$log" | awk -v here="$here/" '
    /^(\[ERROR\])? *$|^\[ERROR\] (\[Help|-> \[Help)|Please refer to (dump|.*surefire-reports)|Re-run Maven|To see the full stack trace|For more information about the errors|After correcting the problems|mvn <args> -rf/ { next }
    match($0, /^\[ERROR\] .*\.java:\[[0-9]+,[0-9]+\] /) {
      place = substr($0, 9, RLENGTH - 10)
      text = substr($0, RLENGTH + 1)
      if (index(place, here) == 1) place = substr(place, length(here) + 1)
      sub(/\[/, "", place)
      sub(/,/, ":", place)
      $0 = place ": error: " text
      if (seen[$0]++) next
    }
    { print }'
  # In the words of Maven, or of what its wrapper downloads Maven with.
  if grep -Eq '\[ERROR\].*(Could not transfer artifact|in offline mode and the artifact|Unknown host)' "$log" ||
    grep -Eq '^(curl: \(6\)|wget: unable to resolve|wget: Failed to fetch)' "$log"; then
    unable 'a dependency or plugin cannot be downloaded'
  fi
  reject "mvn verify failed, exit $ended"
fi
if [ "$1" -gt 0 ]; then accept "$1 tests passed, $2 skipped"; fi
[ "$2" -eq 0 ] || reject "all $2 tests are skipped"
reject 'no test ran (no new report TEST-*.xml of surefire or failsafe)'
