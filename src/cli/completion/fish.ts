import type { Flag } from '../flags.ts';
import { isFile, type Vocabulary } from './vocabulary.ts';

/** Completes in fish, from 3.0 on. */
export function fishScript(vocabulary: Vocabulary): string {
  const names = vocabulary.map(({ name }) => name).join(' ');
  return [
    '# Completes stacks-quota in fish: stacks-quota completion fish | source',
    'complete -c stacks-quota -f',
    'complete -c stacks-quota -s h -l help -d help',
    'complete -c stacks-quota -n __fish_use_subcommand -s V -l version -d version',
    ...vocabulary.map(
      ({ name, summary }) => `complete -c stacks-quota -n __fish_use_subcommand -a ${name} -d ${quoted(summary)}`,
    ),
    `complete -c stacks-quota -n __fish_use_subcommand -a help -d 'help for a command'`,
    `complete -c stacks-quota -n '__fish_seen_subcommand_from help' -a '${names}'`,
    ...vocabulary.flatMap(commandLines),
  ].join('\n');
}

function commandLines({ name, flags, words }: Vocabulary[number]): string[] {
  const start = `complete -c stacks-quota -n '__fish_seen_subcommand_from ${name}'`;
  return [
    ...(words.length > 0 ? [`${start} -a '${words.join(' ')}'`] : []),
    ...Object.entries(flags).map(([flag, facts]) => `${start} ${flagWords(flag, facts)}`),
  ];
}

function flagWords(name: string, { type, short, value, about, choices }: Flag): string {
  const letter = short ? `-s ${short} ` : '';
  const given = isFile(value) ? ' -r -F' : ' -x';
  const taken = type === 'boolean' ? '' : given;
  const words = choices ? ` -a '${choices.join(' ')}'` : '';
  return `${letter}-l ${name}${taken}${words} -d ${quoted(about)}`;
}

function quoted(text: string): string {
  return `'${text.replace(/['\\]/g, '\\$&')}'`;
}
