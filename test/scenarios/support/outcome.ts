/** What a call came to: `ok`, or its error. */
export const outcomeOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => 'ok',
    (error: unknown) => error,
  );
