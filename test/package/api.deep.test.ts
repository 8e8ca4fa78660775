import { expect, it } from 'vitest';
import { apiReport } from './support/api-report.ts';

const HEAD = `# The interface

Every public name and its declaration, without comments, so that no change of the interface goes unnoticed: a test compares this page with the
source, and \`npm run api\` writes it anew.
`;

const report = apiReport();

it('docs/api.md has every public name as it is declared, and no other', async () => {
  await expect(`${HEAD}\n${report}`).toMatchFileSnapshot('../../docs/api.md');
});

it('the report leaves no entry point without a name', () => {
  expect(report).not.toMatch(/```ts fragment\s*```/);
});
