/**
 * Tests are for every machine: what its shell has for the real service, or to log, would change what programs do that are tried.
 */
for (const name of ['STACKS_API_KEY', 'STACKS_API_URL', 'DEBUG']) delete process.env[name];
