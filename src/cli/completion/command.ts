import type { Command, CommandEntry } from '../command.ts';
import { EXIT, UsageError } from '../exit.ts';
import { oneOf, readFlags } from '../flags.ts';
import { SHELLS, type Shell, scriptFor } from './scripts.ts';
import type { Vocabulary } from './vocabulary.ts';

const FLAGS = {} as const;

/** `stacks-quota completion`, for these commands. */
export const completionCommand = (commands: readonly CommandEntry[]): Command => ({
  page: {
    usage: ['completion bash|zsh|fish'],
    about: 'Prints a script that completes commands, flags and their values in a shell.',
    flags: FLAGS,
    words: SHELLS,
    examples: [
      "echo 'source <(stacks-quota completion bash)' >> ~/.bashrc",
      "echo 'source <(stacks-quota completion zsh)' >> ~/.zshrc",
      'stacks-quota completion fish > ~/.config/fish/completions/stacks-quota.fish',
    ],
    exits: [
      ['0', 'printed'],
      ['2', 'not one of these shells'],
    ],
  },
  async run(args, { stdout }) {
    const { positionals } = readFlags(args, FLAGS);
    const [name, ...others] = positionals;
    if (name === undefined || others.length > 0)
      throw new UsageError(`completion takes one shell: ${SHELLS.join(', ')}.`);
    const shell: Shell = oneOf('The shell', name, SHELLS);
    await stdout.write(`${scriptFor(shell, await vocabularyOf(commands))}\n`);
    return EXIT.ok;
  },
});

/** Loads every command, to ask it for its flags. */
async function vocabularyOf(commands: readonly CommandEntry[]): Promise<Vocabulary> {
  return Promise.all(
    commands.map(async ({ name, summary, load }) => {
      const { flags, words = [] } = (await load()).page;
      return { name, summary, flags, words };
    }),
  );
}
