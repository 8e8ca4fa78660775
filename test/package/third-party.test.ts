import { existsSync, readFileSync } from 'node:fs';
import { build } from 'esbuild';
import { expect, it } from 'vitest';
import { ENTRY_POINTS } from '../../scripts/entry-points.ts';

/** The packages whose code ends up in `dist`: what the entry points import, but for what users install by themselves. */
async function bundledPackages(): Promise<readonly string[]> {
  const { peerDependencies, dependencies = {} } = JSON.parse(readFileSync('package.json', 'utf8'));
  const { metafile } = await build({
    entryPoints: [...Object.values(ENTRY_POINTS), 'src/cli/bin.ts'],
    external: Object.keys({ ...peerDependencies, ...dependencies }),
    bundle: true,
    splitting: true,
    metafile: true,
    write: false,
    format: 'esm',
    platform: 'node',
    outdir: 'dist',
  });
  const used = Object.values(metafile.outputs).flatMap(({ inputs }) => Object.keys(inputs));
  const folders = used.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []);
  return [...new Set(folders)].sort();
}

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
