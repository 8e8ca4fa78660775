import type { Flag } from '../flags.ts';
import { isFile, type Vocabulary } from './vocabulary.ts';

/** Completes in zsh, sourced, also where nothing has called `compinit`, or as a file `_stacks-quota` in `fpath`. */
export function zshScript(vocabulary: Vocabulary): string {
  const commands = vocabulary.map(({ name, summary }) => `    ${quoted(`${name}:${summary}`)}`);
  return `#compdef stacks-quota
# Completes stacks-quota in zsh: source <(stacks-quota completion zsh)
_stacks_quota() {
  local -a commands
  commands=(
${commands.join('\n')}
    'help:help for a command'
  )
  if ((CURRENT == 2)); then
    _describe -t commands command commands
    _arguments '--help[help]' '--version[the version]'
    return
  fi
  local command=$words[2]
  shift words
  ((CURRENT--))
  case $command in
${vocabulary.map(commandCase).join('\n')}
  help) _describe -t commands command commands ;;
  esac
}
if [[ $funcstack[1] == _stacks_quota ]]; then
  _stacks_quota "$@"
else
  (($+functions[compdef])) || { autoload -Uz compinit && compinit -i }
  compdef _stacks_quota stacks-quota
fi`;
}

function commandCase({ name, flags, words }: Vocabulary[number]): string {
  const specs = [
    ...Object.entries(flags).map(([flag, facts]) => flagSpec(flag, facts)),
    "'(- *)'{-h,--help}'[help for this command]'",
    ...(words.length > 0 ? [quoted(`1:argument:(${words.join(' ')})`)] : []),
  ];
  return `  ${name})\n    _arguments -S \\\n      ${specs.join(' \\\n      ')} ;;`;
}

/** One flag as `_arguments` reads it: `'*'{-o,--out}'[write to FILE]:FILE:_files'`. */
function flagSpec(name: string, { type, short, multiple, value, about, choices }: Flag): string {
  const text = about.replace(/[[\]:\\]/g, '\\$&');
  const words = choices ? `(${choices.join(' ')})` : ' ';
  const action = isFile(value) ? '_files' : words;
  const rest = type === 'boolean' ? `[${text}]` : `[${text}]:${value?.replace(/[[\]:]/g, '\\$&')}:${action}`;
  const many = multiple ? '*' : '';
  if (!short) return quoted(`${many}--${name}${rest}`);
  return `${many && quoted(many)}{-${short},--${name}}${quoted(rest)}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
