import type { CompletedCommand, CompletedOption, CompletionTree, Value } from './tree.ts';

/** Task ids of the place that is typed, as zsh would take its words. */
const ownFunctions = `_skeleton_tasks() {
  local -a ids place
  local plain
  _skeleton_place
  (( \${+opt_args[--plan]} )) && _skeleton_plain --plan && place+=(--plan "$plain")
  ids=(\${(f)"$(skeleton $before completion --tasks $place 2>/dev/null)"})
  compadd -a ids
}
_skeleton_place() {
  local plain
  (( \${+opt_args[-C]} )) && _skeleton_plain -C && place=(-C "$plain")
}
# What was typed for an option, as zsh would take it, into $plain: opt_args puts a backslash before backslashes and colons.
_skeleton_plain() {
  local typed=\${\${opt_args[$1]//\\\\\\\\/\\\\}//\\\\:/:}
  plain=\${(Q)typed}
  [[ $typed == '~/'* ]] && plain=$HOME/\${(Q)typed[3,-1]}
  return 0
}
`;

/** For zsh (zshcompsys(1), `_arguments`), as a file of $fpath and to be sourced. */
export function renderZsh({ options, commands }: CompletionTree): string {
  const described = commands.map(({ name, description }) => quoted(`${name}:${description}`));
  return `#compdef skeleton
${ownFunctions}_skeleton() {
  local curcontext=$curcontext state line
  typeset -A opt_args
  local -a before place
  local -a commands=(
    ${described.join('\n    ')}
  )
  _arguments -C ${options.map(specOf).join(' ')} '1: :->command' '*:: :->rest'
  case $state in
    command) _describe command commands ;;
    rest)
      # The command's own _arguments forgets what stood before the command.
      _skeleton_place
      before=($place)
      case $line[1] in
${commands.map(commandCase).join('')}      esac ;;
  esac
}
if [[ $funcstack[1] == _skeleton ]]; then _skeleton "$@"; else compdef _skeleton skeleton; fi
`;
}

function commandCase({ name, options, argument }: CompletedCommand): string {
  // Where nothing is known of the words, naming them would keep the options back.
  const words = argument.kind === 'text' ? [] : [quoted(`*:${actionOf(argument)}`)];
  const specs = [...options.map(specOf), ...words];
  return `        ${name}) _arguments ${specs.join(' ')} ;;\n`;
}

function specOf({ flags, description, value }: CompletedOption): string {
  const said = `[${description.replace(/[[\]\\]/g, String.raw`\$&`)}]`;
  const takes = value === undefined ? '' : `:${actionOf(value)}`;
  const joined = (flag: string): string =>
    value !== undefined && flag.startsWith('--') ? `${flag}=` : flag;
  const specs = flags.map((flag) => quoted(`*${joined(flag)}${said}${takes}`));
  return specs.join(' ');
}

/** Its message and what it calls. */
function actionOf(value: Value): string {
  switch (value.kind) {
    case 'words':
      return `value:(${value.words.join(' ')})`;
    case 'file':
      return 'file:_files';
    case 'folder':
      return 'folder:_files -/';
    case 'task':
      return 'task:_skeleton_tasks';
    case 'text':
      return 'value: ';
  }
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
