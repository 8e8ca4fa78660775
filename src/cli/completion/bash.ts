import { isFile, spellings, type Vocabulary } from './vocabulary.ts';

/** Completes in bash, from 3.2 on, which macOS has. */
export function bashScript(vocabulary: Vocabulary): string {
  const names = vocabulary.map(({ name }) => name).join(' ');
  return `# Completes stacks-quota in bash: source <(stacks-quota completion bash)
_stacks_quota() {
  local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} words=
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    words='${names} help --help --version'
  else
    case "\${COMP_WORDS[1]} $before" in
${vocabulary.flatMap(valueCases).join('\n')}
    *) case "\${COMP_WORDS[1]}" in
${vocabulary.map(wordCase).join('\n')}
      help) words='${names}' ;;
      esac ;;
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
_stacks_quota_files() {
  local IFS=$'\\n'
  COMPREPLY=($(compgen -f -- "$1"))
  compopt -o filenames 2> /dev/null
}
complete -F _stacks_quota stacks-quota`;
}

/** What follows a flag that takes a value. */
function valueCases({ name: command, flags }: Vocabulary[number]): string[] {
  return Object.entries(flags).flatMap(([name, { type, short, value, choices = [] }]) => {
    if (type === 'boolean') return [];
    const pattern = spellings(name, short)
      .map((flag) => `'${command} ${flag}'`)
      .join(' | ');
    const action = isFile(value) ? '_stacks_quota_files "$word"; return' : `words='${choices.join(' ')}'`;
    return [`    ${pattern}) ${action} ;;`];
  });
}

function wordCase({ name, flags, words }: Vocabulary[number]): string {
  const typed = Object.entries(flags).flatMap(([flag, { short }]) => spellings(flag, short));
  return `      ${name}) words='${[...words, ...typed, '--help', '-h'].join(' ')}' ;;`;
}
