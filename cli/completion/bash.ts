import type { CompletedOption, CompletionTree, Value } from './tree.ts';

/** Lists words, files and task ids, as bash would take what was typed. */
const ownFunctions = `# skeleton's words for bash
_skeleton_words() { mapfile -t -O "\${#COMPREPLY[@]}" COMPREPLY < <(compgen -W "$1" -- "$cur"); }
_skeleton_files() { compopt -o filenames; mapfile -t COMPREPLY < <(compgen "$1" -- "$cur"); }
# A word as bash would take it, into $plain; variables in it stay as they are.
_skeleton_plain() {
  local typed=$1 quote='' char
  plain=''
  [[ $typed == '~' || $typed == '~/'* ]] && { plain=$HOME; typed=\${typed:1}; }
  while [[ $typed ]]; do
    char=\${typed:0:1} typed=\${typed:1}
    if [[ $char == "$quote" ]]; then quote=''
    elif [[ ! $quote && $char == [\\'\\"] ]]; then quote=$char
    elif [[ $char == \\\\ && $quote != \\' ]]; then
      [[ $quote && \${typed:0:1} != [\\$\\\`\\"\\\\] ]] && plain+=$char
      plain+=\${typed:0:1} typed=\${typed:1}
    else plain+=$char; fi
  done
}
_skeleton_tasks() {
  local id
  while IFS= read -r id; do
    [[ $id == "$cur"* ]] && COMPREPLY+=("$id")
  done < <("\${COMP_WORDS[0]}" "\${place[@]}" completion --tasks "\${plan[@]}" 2>/dev/null)
}
`;

/** For bash 4 and newer (bash(1), "Programmable Completion"). */
export function renderBash({ options, commands }: CompletionTree): string {
  const words = [...commands.map(({ name }) => name), ...options.flatMap(({ flags }) => flags)];
  return `${ownFunctions}_skeleton() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} command='' plain='' word i
  local -a place=() plan=()
  COMPREPLY=()
  # Bash takes --option=value for three words.
  if [[ $cur == = ]]; then cur=''
  elif [[ $prev == = ]]; then prev=\${COMP_WORDS[COMP_CWORD-2]}; fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    case $word in
      -C) _skeleton_plain "\${COMP_WORDS[++i]}"; place+=(-C "$plain") ;;
      --plan)
        [[ \${COMP_WORDS[i+1]} == = ]] && ((i++))
        _skeleton_plain "\${COMP_WORDS[++i]}"; plan=(--plan "$plain") ;;
      -*) ;;
      *) [[ $command ]] || command=$word ;;
    esac
  done
  case $command:$prev in
${valueCases('', options)}${commands.map((command) => valueCases(command.name, command.options)).join('')}  esac
  case $command in
    '') _skeleton_words '${words.join(' ')}' ;;
${commands.map(({ name, options: own, argument }) => commandCase(name, own, argument)).join('')}  esac
}
complete -F _skeleton skeleton
`;
}

/** Where the word before is an option that takes a value, only that can follow. */
function valueCases(command: string, options: readonly CompletedOption[]): string {
  return options
    .flatMap(({ flags, value }) => (value === undefined ? [] : [{ flags, value }]))
    .map(({ flags, value }) => {
      const names = flags.map((flag) => `${command}:${flag}`).join('|');
      return `    ${names}) ${[...callOf(value), 'return'].join('; ')} ;;\n`;
    })
    .join('');
}

function commandCase(name: string, options: readonly CompletedOption[], argument: Value): string {
  const flags = options.flatMap((option) => option.flags).join(' ');
  const words = `_skeleton_words '${flags}'`;
  const rest = callOf(argument)[0] ?? words;
  return `    ${name}) if [[ $cur == -* ]]; then ${words}; else ${rest}; fi ;;\n`;
}

function callOf(value: Value): readonly string[] {
  switch (value.kind) {
    case 'words':
      return [`_skeleton_words '${value.words.join(' ')}'`];
    case 'file':
      return ['_skeleton_files -f'];
    case 'folder':
      return ['_skeleton_files -d'];
    case 'task':
      return ['_skeleton_tasks'];
    case 'text':
      return [];
  }
}
