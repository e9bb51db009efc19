#!/bin/sh
# Rejects keys and tokens of well-known shapes, and a new .env file, in the files that changed, or, where no list of
# them is given, in all files. What already stood where the attempt began (SKELETON_BASE) is no reason to reject.
# A net for accidents, not a scanner: for more, make gitleaks or trufflehog a gate beside it.
# Exit status: 0 none, 1 found, 75 it could not look.
set -u

unable() { echo "no-secrets: $1" >&2; exit 75; }
for tool in git xargs sort mktemp; do
  command -v "$tool" >/dev/null || unable "$tool is not installed"
done
git rev-parse --is-inside-work-tree >/dev/null || unable 'not in a work tree of git'
base=${SKELETON_BASE:-}
[ -z "$base" ] || git cat-file -e "$base^{commit}" || unable "$base is no commit"

shapes='AKIA[0-9A-Z]{16}|ASIA[0-9A-Z]{16}'                                  # Amazon
shapes="$shapes|gh[oprsu]_[0-9A-Za-z]{36,}|github_pat_[0-9A-Za-z_]{60,}"    # GitHub
shapes="$shapes|glpat-[0-9A-Za-z_-]{20,}"                                   # GitLab
shapes="$shapes|sk-(ant|proj|or)-[0-9A-Za-z_-]{30,}|hf_[0-9A-Za-z]{30,}"    # Anthropic, OpenAI, OpenRouter, Hugging Face
shapes="$shapes|AIza[0-9A-Za-z_-]{35}"                                      # Google
shapes="$shapes|xox[abeoprs]-[0-9A-Za-z-]{10,}"                             # Slack
shapes="$shapes|hooks[.]slack[.]com/services/T[0-9A-Za-z_]+/B[0-9A-Za-z_]+/[0-9A-Za-z]{20,}"
shapes="$shapes|[rs]k_live_[0-9A-Za-z]{20,}"                                # Stripe
shapes="$shapes|SG[.][0-9A-Za-z_-]{16,}[.][0-9A-Za-z_-]{32,}"               # SendGrid
shapes="$shapes|npm_[0-9A-Za-z]{36}|pypi-AgEI[0-9A-Za-z_-]{50,}"            # package registries
shapes="$shapes|-----BEGIN ([A-Z0-9]+ )*PRIVATE KEY( BLOCK)?-----[^\"']{0,60}"

# Bytes, not characters: a file that is no valid UTF-8 is searched as well.
LC_ALL=C
export LC_ALL
list=$(mktemp) || unable 'no room for a temporary file'
trap 'rm -f "$list"' EXIT
if [ -s "${SKELETON_CHANGED_FILES:-}" ]; then
  cat "$SKELETON_CHANGED_FILES" >"$list"
else
  git ls-files -z --cached --others --exclude-standard >"$list"
fi || unable 'the list of files cannot be read'

# Status 1 of git grep means that nothing matches; only more than that is an error.
search() {
  # shellcheck disable=SC2016 # for the inner shell
  xargs -0 sh -c '
    options=$1; pattern=$2; shift 2
    git --literal-pathspecs -c submodule.recurse=false -c grep.lineNumber=false grep --untracked --no-color \
      --no-column -a "$options" -e "$pattern" -- "$@"
    [ $? -le 1 ]' sh "$@" <"$list"
}
at_base() { [ -n "$base" ] && git grep -qaF -e "$1" "$base" --; }

status=0
tokens=$(search -hoE "$shapes") || unable 'git grep failed'
while IFS= read -r token; do
  [ -n "$token" ] || continue
  at_base "$token" && continue
  status=1
  places=$(search -noF "$token") || unable 'git grep failed'
  printf '%s\n' "$places" | while IFS= read -r place; do
    echo "${place%":$token"}:1: error: looks like a secret: $(printf %.8s "$token")…"
  done
done <<END
$(printf '%s\n' "$tokens" | sort -u)
END

# A name with a newline in it falls apart here, which at worst misses that name.
while IFS= read -r path; do
  case ${path##*/} in
    .env | .env.local | .env.*.local) ;;
    *) continue ;;
  esac
  [ -e "$path" ] || continue
  [ -n "$base" ] && git cat-file -e "$base:$path" 2>/dev/null && continue
  status=1
  echo "A file of secrets would be committed: $path (put it into .gitignore, and an example beside it)"
done <<END
$(tr '\0' '\n' <"$list")
END

exit "$status"
