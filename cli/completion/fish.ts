import type { CompletedCommand, CompletedOption, CompletionTree, Value } from './tree.ts';

/** For fish (fish's own manual, "complete"). */
export function renderFish({ options, commands }: CompletionTree): string {
  const first = quoted("__skeleton_at ''");
  return `# skeleton's words for fish
function __skeleton_tasks
    set -l words (string replace -r '^~/' "$HOME/" -- (commandline -opc))
    set -l place
    set -l at 2
    while test $at -le (count $words)
        switch $words[$at]
            case -C --plan
                set -a place $words[$at] $words[(math $at + 1)]
                set at (math $at + 1)
            case '--plan=*'
                set -a place $words[$at]
        end
        set at (math $at + 1)
    end
    skeleton completion --tasks $place 2>/dev/null
end
# Whether the command that was typed so far is this one; '' for none.
function __skeleton_at
    set -l words (commandline -opc)
    set -l at 2
    while test $at -le (count $words)
        switch $words[$at]
            case -C
                set at (math $at + 1)
            case '-*'
            case '*'
                test $words[$at] = "$argv[1]"
                return
        end
        set at (math $at + 1)
    end
    test "$argv[1]" = ''
end
complete -c skeleton -f
${options.map((option) => optionLine(first, option)).join('')}${commands.map((command) => commandLines(first, command)).join('')}`;
}

function commandLines(first: string, command: CompletedCommand): string {
  const { name, description, options, argument } = command;
  const within = `__skeleton_at ${name}`;
  const own = `complete -c skeleton -n ${first} -a ${name} -d ${quoted(description)}\n`;
  const takes = takesOf(argument);
  const rest = takes === '' ? '' : `complete -c skeleton -n ${quoted(within)}${takes}\n`;
  return [own, rest, ...options.map((option) => optionLine(quoted(within), option))].join('');
}

function optionLine(when: string, { flags, description, value }: CompletedOption): string {
  const names = flags.map((flag) =>
    flag.startsWith('--') ? ` -l ${flag.slice(2)}` : ` -s ${flag.slice(1)}`,
  );
  const takes = value === undefined ? '' : ` -x${takesOf(value)}`;
  return `complete -c skeleton -n ${when}${names.join('')}${takes} -d ${quoted(description)}\n`;
}

function takesOf(value: Value): string {
  switch (value.kind) {
    case 'words':
      return ` -a ${quoted(value.words.join(' '))}`;
    case 'file':
      return ` -a ${quoted('(__fish_complete_path)')}`;
    case 'folder':
      return ` -a ${quoted('(__fish_complete_directories)')}`;
    case 'task':
      return ` -a ${quoted('(__skeleton_tasks)')}`;
    case 'text':
      return '';
  }
}

function quoted(text: string): string {
  return `'${text.replace(/['\\]/g, String.raw`\$&`)}'`;
}
