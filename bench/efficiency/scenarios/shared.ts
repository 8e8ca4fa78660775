import type { Scenario } from '../scenario.ts';

/** Clients with one key that share its quota, and clients that do not. */
export const shared: readonly Scenario[] = [2, 4, 8, 20, 50].flatMap((clients): Scenario[] => {
  const usual = { limits: { second: 20, minute: 500 }, clients, bulk: 2_250, distance: 'usual' } as const;
  return [
    { ...usual, name: `${clients} clients that share`, promised: 'honest', isShared: true },
    ...(clients > 4
      ? [
          {
            ...usual,
            name: `${clients} clients that do not share`,
            promised: clients > 8 ? 'company' : 'crowd',
          } as const,
        ]
      : []),
  ];
});
