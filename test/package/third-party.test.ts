import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { bundledPackages } from '../../scripts/bundled-packages.ts';

/** A package with its licence, word for word. */
function notice(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
  const file = ['LICENSE', 'license', 'LICENSE.md', 'license.md'].find((path) => existsSync(`${folder}/${path}`));
  if (file === undefined) throw new Error(`${folder} has no licence`);
  const words = readFileSync(`${folder}/${file}`, 'utf8').trim();
  return `## ${name} ${version} · ${license}\n\n\`\`\`text\n${words}\n\`\`\`\n`;
}

const HEAD = `# Third-party software

The published files hold code of these packages, under these licences. \`npx vitest run test/package/third-party.test.ts -u\`
writes this document.
`;

it('THIRD-PARTY.md has the licence of every package whose code is published, and of no other', async () => {
  const folders = await bundledPackages();
  expect(folders.length).toBeGreaterThan(0);
  await expect([HEAD, ...folders.map(notice)].join('\n')).toMatchFileSnapshot('../../THIRD-PARTY.md');
});
