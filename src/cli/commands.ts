import type { CommandEntry } from './command.ts';

/** Every command, in the order of the help. */
export const COMMANDS: readonly CommandEntry[] = [
  {
    name: 'quota',
    summary: 'what remains of each window, and when it resets',
    load: async () => (await import('./quota/command.ts')).quotaCommand,
  },
  {
    name: 'get',
    summary: 'the body of any path of the service',
    load: async () => (await import('./get/command.ts')).getCommand,
  },
  {
    name: 'info',
    summary: 'status of the service',
    load: async () => (await import('./info/command.ts')).infoCommand,
  },
  {
    name: 'assets',
    summary: 'asset events of accounts, one line of JSON each',
    load: async () => (await import('./assets/command.ts')).assetsCommand,
  },
  {
    name: 'mock',
    summary: 'a mock of the service on a port of this machine',
    load: async () => (await import('./mock/command.ts')).mockCommand,
  },
  {
    name: 'proxy',
    summary: 'a local proxy that paces any program, in any language',
    load: async () => (await import('./proxy/command.ts')).proxyCommand,
  },
  {
    name: 'completion',
    summary: 'a script that completes commands and flags in a shell',
    load: async () => (await import('./completion/command.ts')).completionCommand(COMMANDS),
  },
];

/** The command of that name, if there is one. */
export function commandOf(name: string): CommandEntry | undefined {
  return COMMANDS.find((command) => command.name === name);
}
