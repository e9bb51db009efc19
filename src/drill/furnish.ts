/**
 * A bash script that lays into a clone what the kinds of damage name, where the user has nothing of that name, and commits it.
 * The drill's plan takes the place of the user's: what a gate is asked to judge must not depend on it.
 */
export const furnish: string = String.raw`
git remote remove origin 2>/dev/null || true
put() {
  [ ! -e "$1" ] && [ ! -L "$1" ] || return 0
  mkdir -p "$(dirname "$1")" 2>/dev/null || return 0
  printf '%s\n' "$2" > "$1"; git add -f -- "$1"
}
echo 'PLAN.md -text
gates/skeleton-drill.sh -text' >> .git/info/attributes
rm -rf PLAN.md
cat > PLAN.md <<'END'
---
gates: skeleton-drill.sh
baseline: skip
max_file: 2MB
isolate: false
autostash: false
no_gates: false
notify: []
---

# Plan

- [ ] One
  may_change: skeleton-drill/**
- [ ] Two
  needs: none
  may_change: skeleton-drill/**
END
mkdir -p gates
cat > gates/skeleton-drill.sh <<'END'
#!/bin/sh
# The stand-in gate: passes what the honest agent does, and nothing else.
if [ -e "$DRILL_CONTROL/hold" ]; then
  mv "$DRILL_CONTROL/hold" "$DRILL_CONTROL/ready"
  exec sleep 600
fi
[ "$(cat "skeleton-drill/$SKELETON_TASK_ID" 2>/dev/null)" = done ]
END
chmod +x gates/skeleton-drill.sh
put README.md hello
put src/a.txt a
put src/deep/b.txt b
put private.key secret
[ -e tool.sh ] || { put tool.sh '#!/bin/sh'; chmod +x tool.sh; git add -f tool.sh; }
[ -e link ] || [ -L link ] || { ln -s src/a.txt link; git add -f link; }
[ -e dangling ] || [ -L dangling ] || { ln -s /nonexistent dangling; git add -f dangling; }
put "$(printf 'caf\xe9.txt')" x 2>/dev/null || true
put 'line
break.txt' y 2>/dev/null || true
if [ ! -e .gitignore ] || [ -f .gitignore ] && [ ! -L .gitignore ]; then
  [ ! -s .gitignore ] || [ -z "$(tail -c 1 .gitignore)" ] || echo >> .gitignore
  for rule in .env '*.log' node_modules/ /big.bin '!/PLAN.md' '!/gates/' '!/skeleton-drill/'; do
    grep -qxF -e "$rule" .gitignore 2>/dev/null || printf '%s\n' "$rule" >> .gitignore
  done
  git add -f .gitignore
fi
git add -f PLAN.md gates/skeleton-drill.sh
git add -f .skeleton.yml 2>/dev/null || git rm -qr --cached .skeleton.yml 2>/dev/null || true
git commit -qnm 'what the drill needs'
git branch -f other HEAD~1 2>/dev/null || git branch -f other
git tag -f v1 >/dev/null
git tag -f -a v2 -m annotated
git checkout -q -B feature; echo f > feature.txt; git add -f feature.txt; git commit -qnm feature
git checkout -q main
{ echo stashed > README.md && git stash push -q -m mine; } 2>/dev/null || true
{ echo again > README.md && git stash push -q -m second; } 2>/dev/null || true
keep() {
  [ ! -e "$1" ] && [ ! -L "$1" ] || return 0
  mkdir -p "$(dirname "$1")" 2>/dev/null || return 0
  printf '%s\n' "$2" > "$1"
}
keep .env TOKEN=1; chmod 600 .env
keep debug.log log
keep src/deep/d.log 'deep log'
keep node_modules/x/index.js module
keep logs/only.log l
[ -e big.bin ] || head -c 1048577 /dev/zero > big.bin
mkdir -p empty/inner 2>/dev/null || true
`;
